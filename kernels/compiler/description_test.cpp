// Descriptions: derived from signatures, and an author's own with the dialect's variants expanded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/description.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/package/metadata.hpp"
#include "kernels/compiler/failure.hpp"

using namespace bascule::compiler;
using Json = nlohmann::json;

namespace {

const KernelParameter kA{"a", KernelParameter::Form::scalar, "", "f32", "float"};
const KernelParameter kX{"x", KernelParameter::Form::view, "in", "f32", "float"};
const KernelParameter kY{"y", KernelParameter::Form::view, "out", "f32", "float"};

KernelSignature axpb(std::vector<ContractItem> contract = {}) { return {"axpb.kernel.cpp", 3, "", "axpb", {kA, kX, kY}, std::move(contract)}; }

Image image(Target::Kind kind, const char* architecture, const char* file) {
  Image result;
  result.source = "axpb.kernel.cpp";
  result.target.kind = kind;
  result.target.architecture = architecture;
  result.file = file;
  return result;
}

std::vector<Image> make_images() {
  std::vector<Image> images;
  images.push_back(image(Target::Kind::ptx, "sm_80", "axpb.sm_80.ptx"));
  images.push_back(image(Target::Kind::spirv, "", "axpb.spv"));
  return images;
}
const std::vector<Image> kImages = make_images();

std::string derive(const KernelSignature& kernel, const std::string& reference = "") {
  Options options;
  options.name = "demo";
  return derive_description(options, {kernel}, kImages, reference);
}

std::string refusal(ContractItem item) {
  try {
    derive(axpb({std::move(item)}));
    return "";
  } catch (const Failure& failure) {
    return failure.what();
  }
}

const char* const kOwn = R"({"package": {"name": "own", "version": "1"}, "kernels": [{"name": "axpb_f32",
  "parameters": [{"name": "a", "kind": "scalar", "type": "f32"}, {"name": "x", "kind": "buffer", "type": "f32", "access": "in"},
                 {"name": "y", "kind": "buffer", "type": "f32", "access": "out"}],
  "variants": [{"name": "cl", "format": "opencl-c", "image": "axpb.cl", "launches": [{"function": "axpb", "grid": [1], "block": [1]}]},
               {"name": "one", "format": "dialect", "image": "axpb.kernel.cpp", "launches": [{"function": "axpb", "grid": [1], "block": [1]}]}]}]})";

}  // namespace

TEST_CASE("a derived description is a valid source with a variant per image, buffers split") {
  const std::string text = derive(axpb({{"length", {"x", "y.length"}}, {"tolerance", {"R2", "ulps(2)"}}, {"block", {"128"}}, {"values", {"x", "-1", "1"}}}), "demo.reference.so");
  const auto metadata = bascule::core::read_metadata(text, bascule::core::MetadataForm::source, 0, "demo.json");
  REQUIRE_MESSAGE(metadata.ok(), metadata.error().message);
  const Json kernel = Json::parse(text)["kernels"][0];
  CHECK(kernel["parameters"][1]["length"] == "y.length");
  CHECK(kernel["parameters"][1]["minimum"] == -1);
  CHECK(kernel["tolerance"]["ulps"] == 2);
  REQUIRE(kernel["variants"].size() == 3);
  CHECK(kernel["variants"][0]["name"] == "ptx_sm_80");
  CHECK(kernel["variants"][0]["launches"][0]["block"][0] == "128");
  CHECK(kernel["variants"][0]["launches"][0]["grid"][0] == "ceildiv(work_items, (128))");
  CHECK(kernel["variants"][0]["launches"][0]["arguments"][1]["as"] == "split");
  CHECK(kernel["variants"][1]["format"] == "spirv");
  CHECK(kernel["variants"][2]["class"] == "reference");
}

TEST_CASE("contract items that make no sense are refused") {
  CHECK(refusal({"lenght", {"x", "n"}}).find("'lenght' is not known") != std::string::npos);
  CHECK(refusal({"length", {"z", "1"}}).find("no parameter 'z'") != std::string::npos);
  CHECK(refusal({"length", {"a", "1"}}).find("'a' is no buffer") != std::string::npos);
  CHECK(refusal({"length", {"x"}}).find("has 1 arguments, it takes 2") != std::string::npos);
  CHECK(refusal({"tolerance", {"R2", "ulp(2)"}}).find("'ulp(2)' is not known") != std::string::npos);
  CHECK(refusal({"values", {"x", "0", "many"}}).find("'many' is no number") != std::string::npos);
}

TEST_CASE("a dialect variant becomes one per image, others stay, in their places") {
  CHECK(dialect_sources(kOwn, "own.json") == std::vector<std::string>{"axpb.kernel.cpp"});
  CHECK(other_images(kOwn, "own.json") == std::vector<std::string>{"axpb.cl"});
  const Json kernel = Json::parse(expand_description(kOwn, "own.json", {{"axpb.kernel.cpp", {axpb()}}}, kImages))["kernels"][0];
  REQUIRE(kernel["variants"].size() == 3);
  CHECK(kernel["variants"][0]["name"] == "cl");
  CHECK(kernel["variants"][1]["name"] == "one_ptx_sm_80");
  CHECK(kernel["variants"][1]["image"] == "axpb.sm_80.ptx");
  CHECK(kernel["variants"][1]["launches"][0]["arguments"][2]["as"] == "split");
  CHECK(kernel["variants"][2]["name"] == "one_spirv");
}

TEST_CASE("without images the dialect's variants are left out") {
  CHECK(Json::parse(expand_description(kOwn, "own.json", {}, {}))["kernels"][0]["variants"].size() == 1);
}

TEST_CASE("a plan that passes something else than the function takes is refused") {
  const auto refused = [](const KernelSignature& kernel) -> std::string {
    try {
      expand_description(kOwn, "own.json", {{"axpb.kernel.cpp", {kernel}}}, kImages);
      return "";
    } catch (const Failure& failure) {
      return failure.what();
    }
  };
  KernelSignature other = axpb();
  CHECK(refused(other).empty());
  other.parameters[0].type = "f64";
  CHECK(refused(other).find("parameter 'a' is f64, the plan passes f32") != std::string::npos);
  other = axpb();
  other.parameters[1].form = KernelParameter::Form::scalar;
  CHECK(refused(other).find("the plan passes a buffer of f32") != std::string::npos);
  other = axpb();
  other.parameters.pop_back();
  CHECK(refused(other).find("takes 2 parameters, the plan passes 3") != std::string::npos);
  other = axpb();
  other.name = "saxpy";
  CHECK(refused(other).find("axpb is not in axpb.kernel.cpp") != std::string::npos);
}
