// bench, compare, selftest.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"

using namespace bascule::test;
using nlohmann::json;

namespace {

json read_json(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  return json::parse(file);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<std::string> kShort = {"--min-time", "0.01", "--max-time", "0.05"};

std::vector<std::string> bench(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  words.insert(words.end(), kShort.begin(), kShort.end());
  return words;
}

}  // namespace

TEST_CASE("bench writes a table, every sample as JSON, and a page that needs nothing else") {
  const Program program;
  const Outcome outcome =
      program.run(bench({"quick", "--kernel", "softmax_f32", "--backend", "cpu", "--json", "r.json", "--html", "r.html"}));
  CAPTURE(outcome.errors);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.output.find("softmax") != std::string::npos);
  const json report = read_json(program.directory() / "r.json");
  CHECK(report.at("schema") == "bascule-bench-1");
  CHECK_FALSE(report.at("environment").at("processor").get<std::string>().empty());
  int measured = 0;
  for (const json& row : report.at("rows")) {
    if (row.at("state") != "measured") continue;
    ++measured;
    CHECK(row.at("check").at("pass") == true);
    CHECK((row.at("samples_ns").size() >= 10 || (row.at("stopped_by") == "time limit" && !row.at("samples_ns").empty())));
    CHECK(row.at("phases").at("first_call_ns").get<double>() > 0);
    CHECK_FALSE(row.at("variant").at("class").get<std::string>().empty());
  }
  CHECK(measured >= 1);
  const std::string page = read_text(program.directory() / "r.html");
  CHECK(page.find("<svg") != std::string::npos);
  for (const char* outside : {"http://", "https://", "src=", "<script", "@import", "url("}) CHECK(page.find(outside) == std::string::npos);
}

TEST_CASE("the null backend gets no number except overhead, and a 50 ms backend reads at least 50 ms") {
  const Program program;
  const Outcome outcome = program.run(bench({"quick", "--backend", "null", "--json", "r.json", "--set", "backend.null.execute_delay=50ms"}));
  CAPTURE(outcome.errors);
  REQUIRE(outcome.code == 0);
  const json rows = read_json(program.directory() / "r.json").at("rows");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("state") == "overhead");
  for (const json& sample : rows[0].at("samples_ns")) CHECK(sample.get<double>() >= 50e6);
}

TEST_CASE("a kernel without a variant for one device is no failure of the run; where it has none for any, nothing was measured") {
  const Program program;
  if (!has_opencl(program)) return;
  const Outcome explained = program.run({"explain", "gemm_f16", "--backend", "opencl", "--json"});
  REQUIRE(explained.code == 0);
  if (!json::parse(explained.output).at("kernels").at(0).at("chosen").is_null()) return;
  const Outcome both = program.run(bench({"quick", "--kernel", "gemm_f16", "--backend", "cpu,opencl"}));
  CAPTURE(both.errors);
  CHECK(both.code == 0);
  CHECK(both.output.find("gemm_f16 has no variant for opencl:0") != std::string::npos);
  CHECK(program.run(bench({"quick", "--kernel", "gemm_f16", "--backend", "opencl"})).code == 3);
}

TEST_CASE("a report compared with itself has a ratio of 1 and no winner, and with another kernel's nothing matches") {
  const Program program;
  REQUIRE(program.run(bench({"quick", "--kernel", "softmax_f32", "--backend", "cpu", "--json", "a.json"})).code == 0);
  REQUIRE(program.run(bench({"quick", "--kernel", "rms_norm_f32", "--backend", "cpu", "--json", "b.json"})).code == 0);
  const Outcome same = program.run({"compare", "a.json", "a.json", "--json", "--margin", "1"});
  REQUIRE(same.code == 0);
  const json rows = json::parse(same.output).at("rows");
  REQUIRE(rows.size() >= 1);
  CHECK(rows[0].at("time_ratio_b_over_a").get<double>() == doctest::Approx(1));
  const std::string verdict = rows[0].at("verdict_of_b");
  CHECK((verdict == "equivalent" || verdict == "undecided"));  // the latter where the samples spread wide
  const Outcome other = program.run({"compare", "a.json", "b.json"});
  CHECK(other.code == 5);
  CHECK(other.output.find("only in A") != std::string::npos);
  CHECK(other.output.find("only in B") != std::string::npos);
}

TEST_CASE("compare refuses files that are no reports, and names them") {
  const Program program;
  program.directory().write("bad.json", "{\"schema\": 3");
  for (const char* file : {"absent.json", "bad.json", "."}) {
    const Outcome outcome = program.run({"compare", file, file});
    CAPTURE(file);
    CHECK(outcome.code == 2);
    CHECK(outcome.errors.find(file) != std::string::npos);
  }
}

TEST_CASE("a file that bench could not write is refused before anything is measured") {
  const Program program;
  for (const char* option : {"--json", "--html"}) {
    const Outcome outcome = program.run({"bench", "llm", "--backend", "cpu", option, "absent/r"});
    CHECK(outcome.code == 2);
    CHECK(outcome.errors.find("absent") != std::string::npos);
    CHECK(outcome.errors.find("[1/") == std::string::npos);
  }
}

TEST_CASE("bench refuses a least time that is longer than the longest") {
  const Program program;
  const Outcome outcome = program.run({"bench", "quick", "--backend", "cpu", "--min-time", "3", "--max-time", "1"});
  CHECK(outcome.code == 2);
  CHECK(outcome.errors.find("--max-time") != std::string::npos);
}

TEST_CASE("bench refuses an unknown suite or kernel with the names there are") {
  const Program program;
  const Outcome suite = program.run({"bench", "quik", "--backend", "cpu"});
  CHECK(suite.code == 2);
  CHECK(suite.errors.find("quick") != std::string::npos);
  CHECK(program.run({"bench", "quick", "--kernel", "nope", "--backend", "cpu"}).code == 2);
  CHECK(program.run({"bench", "quick", "--cases", "/no/such.so"}).code == 3);
}

TEST_CASE("selftest passes on the cpu with a fresh seed, and on null it says that nothing was tested") {
  const Program program;
  const Outcome cpu = program.run({"selftest", "--backend", "cpu", "--kernel", "philox4x32_10_u32", "--json"});
  CAPTURE(cpu.errors);
  REQUIRE(cpu.code == 0);
  const json report = json::parse(cpu.output);
  CHECK(report.at("passed").get<int>() > 0);
  CHECK(report.at("failed") == 0);
  CHECK(report.at("seed").get<std::uint64_t>() != 0);
  const Outcome null = program.run({"selftest", "--backend", "null", "--kernel", "philox4x32_10_u32"});
  CHECK(null.code == 3);
  CHECK(null.errors.find("nothing was tested") != std::string::npos);
}

TEST_CASE("selftest of a variant that no kernel has is a usage error, of one that the device cannot run no wrong result") {
  const Program program;
  const auto test = [&](const char* variant) { return program.run({"selftest", "--backend", "cpu", "--kernel", "arg_max_f32", "--variant", variant}); };
  const Outcome unknown = test("cpu_v33");
  CHECK(unknown.code == 2);
  CHECK(unknown.errors.find("did you mean \"cpu_v") != std::string::npos);
  const Outcome elsewhere = test("opencl");
  CHECK(elsewhere.code == 3);
  CHECK(elsewhere.errors.find("nothing was tested") != std::string::npos);
}
