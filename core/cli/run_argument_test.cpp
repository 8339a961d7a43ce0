// Tests of run_argument.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_argument.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "failure.hpp"
#include "npy.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::cli;

TEST_CASE("values, literal buffers and outputs are read in the order and size given") {
  const RunArgument value = parse_run_argument("u16:0x1234");
  CHECK(value.kind == RunArgument::Kind::value);
  REQUIRE(value.data.size() == 2);
  CHECK(value.data[0] == std::byte{0x34});

  const RunArgument literal = parse_run_argument("in:f32:=1,2.5,-3");
  CHECK(literal.kind == RunArgument::Kind::buffer);
  CHECK(literal.buffer_bytes == 12);
  float second = 0;
  std::memcpy(&second, literal.data.data() + 4, 4);
  CHECK(second == 2.5f);
  CHECK(parse_run_argument("in:f32:=").buffer_bytes == 0);

  const RunArgument out = parse_run_argument("out:f64:1000:-");
  CHECK(out.buffer_bytes == 8000);
  CHECK(out.output == "-");
  CHECK_FALSE(out.initialised);
  CHECK(parse_run_argument("out:u8:4294967297:y.npy").buffer_bytes == 4294967297u);

  const RunArgument bytes = parse_run_argument("bytes:00ffA5");
  REQUIRE(bytes.data.size() == 3);
  CHECK(bytes.data[2] == std::byte{0xa5});
}

TEST_CASE("files are read at an element offset, and '+' inside a path stays a path") {
  const bascule::test::TemporaryDirectory directory;
  const std::string path = directory / "a+b.npy";
  write_npy(path, {ElementType::u32, {4}, std::vector<std::byte>(16)});
  CHECK(parse_run_argument("in:u32:" + path).offset_bytes == 0);
  CHECK(parse_run_argument("in:u32:" + path + "+3").offset_bytes == 12);
  CHECK(parse_run_argument("in:u32:" + path + "+4").offset_bytes == 16);
  CHECK_THROWS_WITH_AS(parse_run_argument("in:u32:" + path + "+5"), doctest::Contains("4 elements"), Failure);
  const RunArgument both = parse_run_argument("inout:u32:" + path + ":out.npy");
  CHECK(both.output == "out.npy");
  CHECK(both.initialised);
  CHECK_THROWS_AS(parse_run_argument("in:f32:" + path), Failure);
}

TEST_CASE("a malformed argument is refused with the word and the valid forms") {
  for (const char* word : {"", "x", "f32", "f33:1", "f32:", "f32:1,2", "in:f32", "in:f99:=1", "in:f32:", "in:f32:=1,", "in:f32:=1,,2",
                           "out:f32:10", "out:f32:x:y.npy", "out:f32:10:", "out:f64:18446744073709551615:-", "out:f32:-1:-",
                           "inout:f32:a.npy", "bytes:", "bytes:0", "bytes:0g", "in:f32:/no/such/file.npy", "+1:u8"}) {
    CAPTURE(word);
    CHECK_THROWS_AS(parse_run_argument(word), Failure);
  }
}

TEST_CASE("dimensions are one to three whole numbers") {
  std::uint64_t out[3];
  parse_dimensions("--grid", "7", out);
  CHECK((out[0] == 7 && out[1] == 1 && out[2] == 1));
  parse_dimensions("--grid", "4294967297,2,0", out);
  CHECK((out[0] == 4294967297u && out[1] == 2 && out[2] == 0));
  for (const char* text : {"", ",", "1,", "1,2,3,4", "-1", "x", "1 ,2", "1.5"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_dimensions("--grid", text, out), doctest::Contains("--grid"), Failure);
  }
}
