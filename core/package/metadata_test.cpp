// Reading and writing the metadata of packages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/metadata.hpp"

#include <doctest/doctest.h>

#include "core/package/json_value.hpp"
#include "core/package/test_packages.hpp"

using namespace bascule::core;
using namespace bascule::core::testing;

namespace {

Metadata read(std::string_view json) {
  auto metadata = read_metadata(json, MetadataForm::packed, 1, "test");
  REQUIRE_MESSAGE(metadata.ok(), metadata.error().message);
  return std::move(*metadata);
}

std::string refusal(std::string_view json) {
  auto metadata = read_metadata(json, MetadataForm::packed, 1, "test");
  REQUIRE_FALSE(metadata.ok());
  CHECK(metadata.error().status == BSC_INVALID_PACKAGE);
  CHECK(metadata.error().message.starts_with("test"));
  CHECK_FALSE(metadata.error().remedy.empty());
  return metadata.error().message;
}

// What a change of the sample leads to.
std::string refusal(std::string_view from, std::string_view to) { return refusal(replaced(std::string(kAxpb), from, to)); }

}  // namespace

TEST_CASE("the contract and its variants are read as written") {
  const Metadata metadata = read(kAxpb);
  CHECK(metadata.name == "demo");
  CHECK(metadata.version == "1.0.0");
  REQUIRE(metadata.kernels.size() == 1);
  const Contract& contract = metadata.kernels[0].contract;
  CHECK(contract.name == "axpb_f32");
  CHECK(contract.version_major == 1);
  CHECK(contract.version_minor == 2);
  REQUIRE(contract.parameters.size() == 4);
  CHECK(contract.parameters[1].type == ElementType::u64);
  CHECK(contract.parameters[3].access == Access::out);
  CHECK(contract.parameters[3].length.text() == "n");
  CHECK(contract.requirements[0].message == "n must be below 2^40");
  CHECK(contract.tolerance.ulps == 2);
  const auto& variants = metadata.kernels[0].variants;
  REQUIRE(variants.size() == 2);
  CHECK(variants[0].capabilities[0].name == "avx2");
  CHECK_FALSE(variants[0].image.has_value());
  CHECK(variants[0].launches[0].block[0].constant_value() == 4096);
  CHECK(variants[0].launches[0].arguments[2].form == BufferForm::span);
  CHECK(variants[1].image == 0u);
  CHECK(variants[1].compiler_options() == "-cl-std=CL1.2 -DBLOCK=256");
  CHECK(variants[1].launches[0].arguments[2].form == BufferForm::split);
  REQUIRE(variants[1].launches[0].arguments.size() == 5);
  CHECK(variants[1].launches[0].arguments[4].source == ArgumentSource::block_offset);
}

TEST_CASE("what was written reads as the same again") {
  const std::string once = write_metadata(read(kAxpb));
  const std::string twice = write_metadata(read(once));
  CHECK(once == twice);
  CHECK(contains(once, "ceildiv(n, BLOCK)"));
}

TEST_CASE("the values that a parameter is meant for are read and written") {
  const std::string json = replaced(std::string(kAxpb), R"("name": "a", "kind": "scalar",)",
                                    R"("name": "a", "kind": "scalar", "minimum": -2.5, "maximum": 7,)");
  const Metadata metadata = read(json);
  CHECK(metadata.kernels[0].contract.parameters[0].minimum == -2.5);
  CHECK(metadata.kernels[0].contract.parameters[0].maximum == 7.0);
  CHECK_FALSE(metadata.kernels[0].contract.parameters[1].minimum);
  CHECK(read(write_metadata(metadata)).kernels[0].contract.parameters[0].minimum == -2.5);
  CHECK(refusal(R"("name": "a", "kind": "scalar",)", R"("name": "a", "kind": "scalar", "minimum": 3, "maximum": 2,)")
            .find("is above the maximum") != std::string::npos);
  CHECK(refusal(R"("name": "a", "kind": "scalar",)", R"("name": "a", "kind": "scalar", "minimum": "low",)")
            .find("minimum") != std::string::npos);
}

TEST_CASE("every kind of launch argument survives writing and reading") {
  const std::string json = replaced(
      replaced(std::string(kAxpb), R"("workspace": "0")", R"("workspace": "n * 8")"), R"({"parameter": "y"}]}]
   }]}]})",
      R"({"parameter": "y", "as": "address"}, {"value": "n + BLOCK", "type": "u32"},
         {"workspace": {"offset": "n * 4", "bytes": "n * 4", "type": "f32"}}, {"local": "BLOCK * 4"}],
        "when": "n > 0", "cooperative": true}]
   }]}]})");
  const Metadata metadata = read(json);
  const Launch& launch = metadata.kernels[0].variants[1].launches[0];
  REQUIRE(launch.arguments.size() == 8);
  CHECK(launch.arguments[3].form == BufferForm::address);
  CHECK(launch.arguments[4].type == ElementType::u32);
  CHECK(launch.arguments[5].source == ArgumentSource::workspace);
  CHECK(launch.arguments[6].expression.constant_value() == 1024);
  CHECK(launch.has_when);
  CHECK(launch.cooperative);
  CHECK(write_metadata(metadata) == write_metadata(read(write_metadata(metadata))));
}

TEST_CASE("arguments left out are the contract's parameters, and a bare name is a parameter") {
  const auto with = [](std::string_view arguments) {
    return write_metadata(read(replaced(
        std::string(kAxpb), R"([{"parameter": "a"}, {"parameter": "n"}, {"parameter": "x"}, {"parameter": "y"}]}])", arguments)));
  };
  const std::string written = write_metadata(read(kAxpb));
  CHECK(with(R"(["a", {"parameter": "n"}, "x", "y"]}])") == written);
  const std::string without = replaced(std::string(kAxpb), R"(["GRAIN"],
                   "arguments": [{"parameter": "a"}, {"parameter": "n"}, {"parameter": "x"}, {"parameter": "y"}]})", R"(["GRAIN"]})");
  CHECK(write_metadata(read(without)) == written);
}

TEST_CASE("an unknown, missing or doubled name is refused with its path") {
  CHECK(contains(refusal(R"("doc": "y = a*x + b")", R"("dok": "")"), "kernels[0]: unknown name \"dok\"; known here: "));
  CHECK(contains(refusal(R"("kind": "scalar", "type": "u64")", R"("kind": "scalar")"),
                 "kernels[0].parameters[1]: the name \"type\" is missing"));
  CHECK(contains(refusal(R"("version": "1.2")", R"("version": "1.2", "version": "1.2")"), "\"version\" twice"));
  CHECK(contains(refusal(R"("name": "n")", R"("name": "a")"), "the parameter \"a\" is there twice"));
  CHECK(contains(refusal(R"("name": "opencl")", R"("name": "host_v3")"), "the variant \"host_v3\" is there twice"));
  CHECK(contains(refusal(R"("package": {"name": "demo", "version": "1.0.0"},)", ""), "\"package\" is missing"));
  CHECK(contains(refusal(R"("access": "in", )", ""), "\"access\" is missing"));
  CHECK(contains(refusal(R"("function": "axpb_f32_v3")", R"("function": "")"), "function: must not be empty"));
}

TEST_CASE("a value of the wrong kind is refused with what is wanted") {
  CHECK(contains(refusal(R"("doc": "y = a*x + b")", R"("doc": 3)"), "kernels[0].doc: must be a string, not a number"));
  CHECK(contains(refusal(R"("GRAIN": 4096)", R"("GRAIN": -1)"), "constants.GRAIN: must be an integer"));
  CHECK(contains(refusal(R"("GRAIN": 4096)", R"("GRAIN": 1.5)"), "constants.GRAIN: must be an integer"));
  CHECK(contains(refusal(R"(["GRAIN"])", R"("GRAIN")"), "block: must be an array"));
  CHECK(contains(refusal(R"(["GRAIN"])", R"([true])"), "must be an expression"));
  CHECK(contains(refusal(R"("linear_grid": true)", R"("linear_grid": 1)"), "must be true or false"));
  CHECK(contains(refusal(R"("type": "f32"})", R"("type": "float"})"), "\"float\", which is no number format"));
  CHECK(contains(refusal(R"("type": "f32"})", R"("type": "f8e4m3"})"), "in buffers only"));
  CHECK(contains(refusal(R"("nan": "propagate")", R"("nan": "maybe")"), "allowed are"));
  CHECK(contains(refusal(R"("ulps": 2)", R"("ulps": -2)"), "tolerance.ulps"));
  CHECK(contains(refusal(R"("version": "1.2")", R"("version": "1")"), "MAJOR.MINOR"));
  CHECK(contains(refusal("[]"), "must be an object, not an array"));
  CHECK(contains(refusal(R"("avx2")", R"("a b")"), "capabilities[0].name"));
}

TEST_CASE("a name that does not resolve is refused with the names there are") {
  CHECK(contains(refusal(R"("length": "n")", R"("length": "m")"),
                 "kernels[0].parameters[2].length: the expression `m`, column 1: unknown name `m`; known here: n, x.length, y.length"));
  CHECK(contains(refusal(R"(["n"])", R"(["a"])"), "unknown name `a`"));  // a float has no place in an expression
  CHECK(contains(refusal(R"("n < 1 << 40")", R"("n < GRAIN")"), "unknown name `GRAIN`"));
  CHECK(contains(refusal(R"({"parameter": "x"})", R"({"parameter": "z"})"), "no parameter \"z\"; it has a, n, x, y"));
  CHECK(contains(refusal(R"({"parameter": "x"})", R"({})"), "needs one of the names"));
  CHECK(contains(refusal(R"("image": 0)", R"("image": 1)"), "the package has 1 images"));
}

TEST_CASE("what can never work is refused when the package is read") {
  CHECK(contains(refusal(R"("image": 0, )", ""), "image: is missing"));
  CHECK(contains(refusal(R"(["GRAIN"])", "[0]"), "is 0"));
  CHECK(contains(refusal(R"("n < 1 << 40")", R"("1 < 2")"), "the same value for all arguments"));
  CHECK(contains(refusal(R"("GRAIN": 4096)", R"("n": 4096)"), "has the name of a parameter"));
  CHECK(contains(refusal(R"("GRAIN": 4096)", R"("work_items": 4096)"), "a meaning of its own"));
  CHECK(contains(refusal(R"({"parameter": "x"})", R"({"parameter": "x", "as": "split"})"), "not what format host takes"));
  CHECK(contains(refusal(R"({"parameter": "x"})", R"({"local": 4})"), "no meaning for format host"));
  CHECK(contains(refusal(R"({"parameter": "x"})", R"({"value": 300, "type": "u8"})"), "which u8 cannot hold"));
  CHECK(contains(refusal(R"({"parameter": "x"})", R"({"value": "n", "type": "f32"})"), "integer type"));
  CHECK(contains(refusal(R"({"parameter": "x"})", R"({"workspace": {"bytes": 4}})"), "the variant has none"));
  CHECK(contains(refusal("BLOCK)\"]", "BLOCK)\", 2]"), "one dimension"));
}

TEST_CASE("JSON that is broken, too deep or too large is refused with the place") {
  CHECK(contains(refusal("{\"package\":\n {\"name\" \"x\"}}"), "at line 2, column 1"));
  CHECK(contains(refusal(""), "is not JSON"));
  CHECK(contains(refusal(std::string(100, '[')), "levels deep"));
  CHECK(contains(refusal(std::string("{\"package\":\"\xff\"}")), "is not JSON"));
  std::string many = "{";
  for (std::size_t i = 0; i <= kMaxJsonMembers; ++i) many += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  CHECK(contains(refusal(many + "}"), "more than 1024 names"));
  std::string values = "[0";
  for (std::size_t i = 0; i < kMaxJsonValues; ++i) values += ",0";
  CHECK(contains(refusal(values + "]"), "holds more than"));
  CHECK(contains(refusal("{\"package\": 1e999}"), "test"));
}

TEST_CASE("too many parameters, launches and dimensions are refused") {
  std::string parameters = "\"parameters\": [";
  for (int i = 0; i < 65; ++i) parameters += std::string(i ? "," : "") + R"({"name": "p)" + std::to_string(i) + R"(", "kind": "scalar", "type": "u8"})";
  CHECK(contains(refusal(R"("parameters": [)", parameters + R"(], "parametersx": [)"), "has 65 elements, the limit is 64"));
  CHECK(contains(refusal(R"(["n"])", "[1,1,1,1]"), "has 4 elements, the limit is 3"));
  CHECK(contains(refusal(R"(["n"])", "[]"), "at least one element"));
}
