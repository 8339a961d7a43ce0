// Arguments made from contracts: they satisfy them, with the least lengths.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cli/check/inputs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "core/cli/check/compare.hpp"
#include "core/package/metadata.hpp"
#include "tests/support/seed.hpp"

using namespace bascule;
using namespace bascule::cli::check;

namespace {

core::Contract contract(const std::string& parameters, const std::string& more = "") {
  const std::string json = R"({"package": {"name": "p"}, "kernels": [{"name": "k", "parameters": [)" + parameters + "]" + more +
                           R"(, "variants": [{"name": "v", "format": "host", "launches": [{"function": "k", "grid": [1], "block": [1]}]}]}]})";
  auto metadata = core::read_metadata(json, core::MetadataForm::source, 0, "test");
  REQUIRE_MESSAGE(metadata.ok(), metadata.error().message);
  return metadata->kernels[0].contract;
}

const char* const kMatrix = R"({"name": "rows", "kind": "scalar", "type": "u64"}, {"name": "stride", "kind": "scalar", "type": "u64"},
  {"name": "columns", "kind": "scalar", "type": "u64"},
  {"name": "x", "kind": "buffer", "type": "f32", "access": "in", "length": "rows == 0 ? 0 : (rows - 1) * stride + columns"},
  {"name": "y", "kind": "buffer", "type": "f32", "access": "out", "length": "x.length"})";
const char* const kStride = R"(, "requires": [{"expression": "stride >= columns && rows != stride", "message": "stride too small"}])";

std::uint64_t integer(const Value& value) {
  std::uint64_t result = 0;
  std::memcpy(&result, value.bytes.data(), value.bytes.size());
  return result;
}

Value floats(std::vector<float> numbers) {
  Value value;
  value.count = numbers.size();
  value.bytes.resize(numbers.size() * sizeof(float));
  std::memcpy(value.bytes.data(), numbers.data(), value.bytes.size());
  return value;
}

}  // namespace

TEST_CASE("generated arguments meet the contract's conditions, and buffers have exactly the length that it asks for") {
  const core::Contract matrix = contract(kMatrix, kStride);
  std::mt19937_64 random(test::seed());
  for (const std::uint64_t size : sizes()) {
    std::string reason;
    const auto inputs = make_inputs(matrix, size, false, random, reason);
    REQUIRE_MESSAGE(inputs.has_value(), reason);
    const std::uint64_t rows = integer(inputs->values[0]), stride = integer(inputs->values[1]), columns = integer(inputs->values[2]);
    CHECK(stride >= columns);
    CHECK(rows != stride);
    CHECK(inputs->values[3].count == (rows == 0 ? 0 : (rows - 1) * stride + columns));
    CHECK(inputs->values[4].count == inputs->values[3].count);
    CHECK(inputs->values[3].bytes.size() == inputs->values[3].count * 4);
    CHECK(inputs->work_items == inputs->values[4].count);
  }
}

TEST_CASE("a contract that nothing satisfies gives the condition's message") {
  std::mt19937_64 random(test::seed());
  std::string reason;
  CHECK_FALSE(make_inputs(contract(kMatrix, R"(, "requires": [{"expression": "stride > columns && stride < columns", "message": "never"}])"), 33, false, random, reason));
  CHECK(reason == "never");
}

TEST_CASE("values stay within the range that the contract states") {
  const core::Contract ranged = contract(R"({"name": "a", "kind": "scalar", "type": "f32", "minimum": 3, "maximum": 4},
    {"name": "i", "kind": "buffer", "type": "i32", "access": "in", "minimum": -2, "maximum": 5},
    {"name": "y", "kind": "buffer", "type": "f32", "access": "out"})");
  std::mt19937_64 random(test::seed());
  std::string reason;
  const auto inputs = make_inputs(ranged, 1000, false, random, reason);
  REQUIRE(inputs.has_value());
  float a = 0;
  std::memcpy(&a, inputs->values[0].bytes.data(), sizeof a);
  CHECK((a >= 3 && a <= 4));
  for (std::size_t i = 0; i < 1000; ++i) {
    std::int32_t value = 0;
    std::memcpy(&value, inputs->values[1].bytes.data() + 4 * i, sizeof value);
    REQUIRE((value >= -2 && value <= 5));
  }
}

TEST_CASE("NaN and infinity are given only where the contract says what they mean") {
  const std::string buffers = R"({"name": "x", "kind": "buffer", "type": "f32", "access": "in"}, {"name": "y", "kind": "buffer", "type": "f32", "access": "out"})";
  CHECK(allows_special(contract(buffers, R"(, "nan": "propagate")")));
  CHECK_FALSE(allows_special(contract(buffers)));
  CHECK_FALSE(allows_special(contract(R"({"name": "x", "kind": "buffer", "type": "f32", "access": "in", "maximum": 1})", R"(, "nan": "propagate")")));
  std::mt19937_64 random(test::seed());
  std::string reason;
  const auto inputs = make_inputs(contract(buffers, R"(, "nan": "propagate")"), 4099, true, random, reason);
  REQUIRE(inputs.has_value());
  std::size_t strange = 0;
  for (std::size_t i = 0; i < 4099; ++i) {
    float value = 0;
    std::memcpy(&value, inputs->values[0].bytes.data() + 4 * i, sizeof value);
    strange += !std::isfinite(value);
  }
  CHECK(strange > 0);
}

TEST_CASE("results are compared by the contract's tolerance") {
  const std::string y = R"({"name": "y", "kind": "buffer", "type": "f32", "access": "out"})";
  const float next = std::nextafter(1.0f, 2.0f);
  const float infinity = INFINITY, nan = NAN;
  const core::Contract exact = contract(y, R"(, "tolerance": {"rule": "R4"})");
  CHECK(compare(exact, {floats({1, nan, infinity})}, {floats({1, nan, infinity})}) == "");
  CHECK(compare(exact, {floats({0.0f})}, {floats({-0.0f})}) == "");
  CHECK(compare(exact, {floats({1, next})}, {floats({1, 1})}).starts_with("y[1] is 1.0000001, expected 1;"));
  const core::Contract ulp = contract(y, R"(, "tolerance": {"rule": "R2", "ulps": 1})");
  CHECK(compare(ulp, {floats({next})}, {floats({1})}) == "");
  CHECK(compare(ulp, {floats({std::nextafter(next, 2.0f)})}, {floats({1})}) != "");
  CHECK(compare(ulp, {floats({nan})}, {floats({1})}) != "");
  CHECK(compare(ulp, {floats({infinity})}, {floats({-infinity})}) != "");
  const core::Contract none = contract(y);
  CHECK(compare(none, {floats({100, 1e-6f})}, {floats({100, 2e-6f})}) == "");  // far below 16 unit roundoffs of 100
  CHECK(compare(none, {floats({1e-6f})}, {floats({2e-6f})}) != "");
  const core::Contract integers = contract(R"({"name": "y", "kind": "buffer", "type": "i32", "access": "inout"})", R"(, "tolerance": {"rule": "R2", "absolute": 9})");
  CHECK(compare(integers, {floats({1})}, {floats({2})}) != "");
}
