// From the compiler's tree to signatures. The tree here is cut down to what is read.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/signature.hpp"

#include <doctest/doctest.h>

#include "kernels/compiler/entries.hpp"
#include "kernels/compiler/failure.hpp"

using namespace bascule::compiler;

namespace {

std::string parameter(const std::string& name, const std::string& type) {
  return R"({"kind": "ParmVarDecl", "name": ")" + name + R"(", "type": {"qualType": "alias", "desugaredQualType": ")" + type + "\"}},";
}

std::string function(const std::string& name, const std::string& parameters, const std::string& section = "bascule kernel",
                     const std::string& type = "void (int)") {
  return R"({"kind": "FunctionDecl", "name": ")" + name + R"(", "loc": {"line": 7}, "type": {"qualType": ")" + type + R"("}, "inner": [)" + parameters +
         R"({"kind": "SectionAttr", "section_name": ")" + section + "\"}]}";
}

std::vector<KernelSignature> read(const std::string& declarations) {
  return read_signatures(R"({"kind": "TranslationUnitDecl", "inner": [)" + declarations + "]}", "x.kernel.cpp");
}

std::string refusal(const std::string& declarations) {
  try {
    read(declarations);
    return "";
  } catch (const Failure& failure) {
    return std::string(failure.what()) + " | " + failure.remedy();
  }
}

}  // namespace

TEST_CASE("numbers, views and pointers become parameters") {
  const auto kernels = read(R"({"kind": "NamespaceDecl", "name": "deep", "inner": [)" +
                            function("norms", parameter("a", "const float") + parameter("x", "bsc::in<unsigned int>") +
                                                  parameter("h", "bsc::inout<__bf16>") + parameter("p", "const float *__restrict") +
                                                  parameter("q", "long *")) +
                            "]}");
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].scope == "deep::");
  CHECK(kernels[0].line == 7);
  const auto& list = kernels[0].parameters;
  REQUIRE(list.size() == 5);
  CHECK((list[0].form == KernelParameter::Form::scalar && list[0].type == "f32"));
  CHECK((list[1].form == KernelParameter::Form::view && list[1].type == "u32" && list[1].access == "in"));
  CHECK((list[2].type == "bf16" && list[2].access == "inout"));
  CHECK((list[3].form == KernelParameter::Form::pointer && list[3].access == "in" && list[3].type == "f32"));
  CHECK((list[4].access == "inout" && list[4].type == "i64"));
}

TEST_CASE("only functions that are marked are kernels") {
  CHECK(read(function("helper", "", ".text")).empty());
  CHECK(read(function("k", "")).size() == 1);
}

TEST_CASE("a contract belongs to the kernel that it names") {
  const auto kernels = read(function("bascule_contract_0", "", "bascule contract k, nan(propagate)", "void ()") + "," + function("k", ""));
  REQUIRE(kernels.size() == 1);
  REQUIRE(kernels[0].contract.size() == 1);
  CHECK(kernels[0].contract[0].key == "nan");
  const std::string text = refusal(function("c", "", "bascule contract other, nan(none)", "void ()") + "," + function("k", ""));
  CHECK(text.find("BASCULE_CONTRACT(other, ...) names no kernel | the kernels are k") != std::string::npos);
}

TEST_CASE("what a kernel cannot take is refused with the parameter and what to do") {
  CHECK(refusal(function("k", parameter("s", "Settings"))).find("parameter 's' has the type Settings") != std::string::npos);
  CHECK(refusal(function("k", parameter("b", "bool"))).find("use bsc::u32") != std::string::npos);
  CHECK(refusal(function("k", parameter("x", "bsc::in<Particle>"))).find("'x'") != std::string::npos);
  CHECK(refusal(function("k", parameter("p", "float **"))).find("'p'") != std::string::npos);
  CHECK(refusal(function("k", parameter("", "float"))).find("has no name") != std::string::npos);
  CHECK(refusal(function("k", "", "bascule kernel", "float (int)")).find("returns a value") != std::string::npos);
  CHECK(refusal(R"({"kind": "FunctionTemplateDecl", "name": "k", "inner": [)" + function("k", "") + "]}").find("is a template") != std::string::npos);
  CHECK(refusal("nonsense").find("is no JSON") != std::string::npos);
}

TEST_CASE("an entry takes each buffer as three parameters and half scalars as float") {
  const auto kernels = read(function("k", parameter("s", "_Float16") + parameter("x", "bsc::in<float>") + parameter("q", "float *")));
  const std::string text = entries_text("/src/x.kernel.cpp", kernels);
  CHECK(text.find("void k(float s, const float BSC_GLOBAL* x_base, bsc::u64 x_offset, bsc::u64 x_length, "
                  "float BSC_GLOBAL* q_base, bsc::u64 q_offset, bsc::u64 q_length)") != std::string::npos);
  CHECK(text.find("::k(static_cast<bsc::f16>(s), bsc::internal::make_view<bsc::in<float>>(x_base, x_offset, x_length), "
                  "bsc::internal::make_view<bsc::inout<float>>(q_base, q_offset, q_length).data());") != std::string::npos);
  Options options;
  options.name = "demo";
  const std::string header = header_text(options, kernels);
  CHECK(header.find("bascule::KernelHandle<float, bascule::In<float>, bascule::InOut<float>> k{\"k\"}") != std::string::npos);
}
