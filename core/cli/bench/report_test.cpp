// Tests of report.hpp: what is written is read back, and damaged files are refused.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "../failure.hpp"
#include "present.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::cli;

namespace {

// A report file that goes with the test.
struct TemporaryFile {
  void write(const std::string& text) const { std::ofstream(path, std::ios::trunc) << text; }
  bascule::test::TemporaryDirectory directory;
  std::string path = directory / "report.json";
};

Report sample_report() {
  Report report;
  report.suite = "llm";
  report.cache_mode = "warm";
  report.environment = {{"processor", "a \"quoted\" name\n\x01"}};
  DeviceRecord device;
  device.id = "cpu:0";
  device.memory_bytes = std::uint64_t{1} << 63;
  report.devices = {device};
  Row row;
  row.kernel = "sgemm";
  row.device = "cpu:0";
  row.state = RowState::measured;
  row.check = {true, 0.25, 10, 20, ""};
  row.seed = 0xffffffffffffffffu;
  row.samples = {1.5, 2.25, 3e9};
  report.rows = {row};
  return report;
}

}  // namespace

TEST_CASE("a report survives writing and reading, with 64-bit numbers and awkward text") {
  TemporaryFile file;
  file.write(to_json(sample_report()));
  const Report back = read_report(file.path);
  CHECK(back.environment.at("processor") == "a \"quoted\" name\n\x01");
  CHECK(back.devices.at(0).memory_bytes == std::uint64_t{1} << 63);
  CHECK(back.rows.at(0).seed == 0xffffffffffffffffu);
  CHECK(back.rows.at(0).samples == sample_report().rows[0].samples);
  CHECK(back.rows.at(0).state == RowState::measured);
}

TEST_CASE("a row that no variant can run is written, read back, and one line of the table whatever its cases") {
  Report report = sample_report();
  for (const char* label : {"one", "two"}) {
    Row row;
    row.kernel = "gemm_f16";
    row.label = label;
    row.device = "cpu:0";
    row.state = RowState::unsupported;
    row.error = "gemm_f16 has no variant for cpu:0";
    report.rows.push_back(row);
  }
  TemporaryFile file;
  file.write(to_json(report));
  const Report back = read_report(file.path);
  CHECK(back.rows.at(1).state == RowState::unsupported);
  const std::string table = to_table(back, 0.01);
  CHECK(table.find("no variant") != std::string::npos);
  CHECK(table.find("ERROR") == std::string::npos);
  CHECK(table.find(report.rows[1].error) == table.rfind(report.rows[1].error));
  CHECK(to_html(back, 0.01).find(report.rows[1].error) != std::string::npos);
}

TEST_CASE("a report with a zero, negative or missing sample is refused: no number without a measurement") {
  TemporaryFile file;
  for (const std::vector<double>& samples : {std::vector<double>{}, {0.0}, {-1.0}}) {
    Report report = sample_report();
    report.rows[0].samples = samples;
    file.write(to_json(report));
    CHECK_THROWS_AS(read_report(file.path), Failure);
  }
}

TEST_CASE("a report cut anywhere, of another schema or nested without end is refused with its name") {
  TemporaryFile file;
  const std::string good = to_json(sample_report());
  for (std::size_t length = 0; length + 2 < good.size(); length += 7) {
    file.write(good.substr(0, length));
    CHECK_THROWS_WITH_AS(read_report(file.path), doctest::Contains(file.path.c_str()), Failure);
  }
  file.write(R"({"schema": "bascule-bench-99"})");
  CHECK_THROWS_WITH_AS(read_report(file.path), doctest::Contains("bascule-bench-1"), Failure);
  file.write(std::string(200000, '['));
  CHECK_THROWS_AS(read_report(file.path), Failure);
  CHECK_THROWS_AS(read_report("/no/such/file.json"), Failure);
}
