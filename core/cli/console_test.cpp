// Tests of console.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "console.hpp"

#include <doctest/doctest.h>

using namespace bascule::cli;

TEST_CASE("times and rates keep four significant digits across units") {
  CHECK(format_time(0.5) == "0.500 ns");
  CHECK(format_time(999.94) == "999.9 ns");
  CHECK(format_time(999.96) == "1.000 us");
  CHECK(format_time(1234567) == "1.235 ms");
  CHECK(format_time(5e9) == "5.000 s");
  CHECK(format_time(12345e9) == "12345 s");
  CHECK(format_rate(1.5e9, "B") == "1.500 GB/s");
  CHECK(format_rate(3.2e11, "FLOP") == "320.0 GFLOP/s");
}

TEST_CASE("bytes are in binary units") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1536) == "1.5 KiB");
  CHECK(format_bytes(std::uint64_t{1} << 40) == "1.0 TiB");
}

TEST_CASE("a table aligns its columns, also with text beyond ASCII") {
  Table table({{"name"}, {"time", Table::Align::right}});
  table.add({"a", "1 \u00b5s"});
  table.add_rule();
  table.add({"longer", "10 us"});
  CHECK(table.text() == "name     time\na        1 \u00b5s\n\nlonger  10 us\n");
}

TEST_CASE("control characters of foreign text never reach the terminal") { CHECK(printable("a\x1b[31m\x7f") == "a?[31m?"); }

TEST_CASE("text of several lines becomes one, without its indentation") { CHECK(printable("a:\n  b\n  c") == "a: b c"); }
