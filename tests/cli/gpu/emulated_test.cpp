// What the program says of an emulated GPU: which variants run and why not, and that its times are nobody's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

using namespace bascule::test;
using nlohmann::json;

namespace {

const std::vector<std::string> kOnEmulated = {"--device", "emulated:sm_80"};

std::vector<std::string> on_emulated(std::vector<std::string> words) {
  words.insert(words.end(), kOnEmulated.begin(), kOnEmulated.end());
  return words;
}

// Reason by variant's name; "" where it is usable.
std::map<std::string, std::string> reasons(const Outcome& outcome) {
  CAPTURE(outcome.output);
  CAPTURE(outcome.errors);
  REQUIRE(outcome.code == 0);
  std::map<std::string, std::string> result;
  const json kernel = json::parse(outcome.output).at("kernels").at(0);
  for (const json& variant : kernel.at("variants")) {
    CHECK((variant.at("score") == 0) == !variant.at("reason").get<std::string>().empty());
    result[variant.at("name")] = variant.at("reason");
  }
  return result;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

// The description of the emulated GPU with a driver of CUDA 11, which compiles PTX up to `version` (70 + its minor version).
std::string older_driver(const Program& program, int version) {
  std::string text = read_text(BASCULE_EMULATED_GPU_FILE);
  const auto set = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  };
  set("ptx_version = 90", "ptx_version = " + std::to_string(version));
  set("driver_version = 13000", "driver_version = " + std::to_string(11000 + 10 * (version - 70)));
  return program.directory().write("older.toml", text);
}

}  // namespace

TEST_CASE("explain gives each variant of gemm_bf16 a reason on an emulated sm_80") {
  const Program program;
  const auto found = reasons(program.run(on_emulated({"explain", "gemm_bf16", "--json"})));
  CHECK(found.at("ptx_sm80") == "");
  CHECK(found.at("dialect_ptx_sm_80") == "");
  CHECK(found.at("dialect_hsaco_gfx942") == "needs image format hsaco, the device takes ptx");
  CHECK(found.at("dialect_spirv") == "needs image format spirv, the device takes ptx");
}

TEST_CASE("configuration forces a variant; one that does not run here is an error with its reason") {
  const Program program;
  const auto forced = reasons(program.run(on_emulated({"explain", "gemm_bf16", "--json", "--set", "kernel.gemm_bf16.variant=dialect_ptx_sm_80"})));
  CHECK(forced.at("dialect_ptx_sm_80") == "");
  CHECK(forced.at("ptx_sm80") == "variant dialect_ptx_sm_80 is forced");
  const Outcome run = program.run(on_emulated({"bench", "quick", "--kernel", "gemm_bf16", "--set", "kernel.gemm_bf16.variant=dialect_hsaco_gfx942"}));
  CHECK(run.code != 0);
  CHECK((run.output + run.errors).find("needs image format hsaco, the device takes ptx") != std::string::npos);
}

TEST_CASE("with a driver too old for one variant's PTX an older one is taken, and explain says so") {
  const Program program;
  const std::string driver = older_driver(program, 75);
  const auto found = reasons(program.run(on_emulated({"explain", "softmax_f32", "--json"}), {{"BASCULE_EMULATED_GPU", driver}}));
  CHECK(found.at("ptx_sm80") == "");
  CHECK(found.at("dialect_ptx_sm_80") == "needs PTX 8.0, the driver compiles up to 7.5");
  const std::string oldest = older_driver(program, 72);
  const Outcome none = program.run(on_emulated({"bench", "quick", "--kernel", "softmax_f32"}), {{"BASCULE_EMULATED_GPU", oldest}});
  CHECK(none.code != 0);
  CHECK((none.output + none.errors).find("needs PTX 7.4, the driver compiles up to 7.2") != std::string::npos);
}

TEST_CASE("an emulated device is marked wherever it is shown") {
  const Program program;
  const Outcome devices = program.run(on_emulated({"devices"}));
  CHECK(devices.output.find("EMULATED") != std::string::npos);
  const json listed = json::parse(program.run(on_emulated({"devices", "--json"})).output);
  REQUIRE_FALSE(listed.at("devices").empty());
  CHECK(listed.at("devices")[0].at("emulated") == true);
}

TEST_CASE("the self-test of an emulated device says so, and names the cases that it made smaller or left out") {
  const Program program;
  const Outcome text = program.run(on_emulated({"selftest", "--kernel", "stream_copy_f32", "--suite", "stream"}));
  CAPTURE(text.output);
  CHECK(text.code == 0);
  CHECK(text.output.find("EMULATED: the results are checked, no hardware took part") != std::string::npos);
  CHECK(text.output.find("Left out, more than 2^28 operations of a lane on an EMULATED device") != std::string::npos);
  CHECK(text.output.find("stream_copy_f32 n=33554432") != std::string::npos);
  const json smaller = json::parse(program.run(on_emulated({"selftest", "--kernel", "gemm_bf16", "--suite", "quick", "--variant", "ptx_sm80", "--json"})).output);
  CHECK_FALSE(smaller.at("shrunk").empty());
  CHECK(smaller.at("failed") == 0);
  const json report = json::parse(program.run(on_emulated({"selftest", "--kernel", "stream_copy_f32", "--json"})).output);
  CHECK(report.at("left_out").empty());
  CHECK_FALSE(report.at("rows").empty());
  for (const json& row : report.at("rows")) CHECK(row.at("emulated") == true);
}

TEST_CASE("bench checks an emulated device and gives no time of it, in the table, the file, the page and in comparisons") {
  const Program program;
  const Outcome outcome = program.run(on_emulated({"bench", "quick", "--kernel", "reduce_sum_f32", "--json", "r.json", "--html", "r.html"}));
  CAPTURE(outcome.output);
  CAPTURE(outcome.errors);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.output.find("EMULATED devices are checked and not timed") != std::string::npos);
  const json report = json::parse(read_text(program.directory() / "r.json"));
  REQUIRE_FALSE(report.at("rows").empty());
  for (const json& row : report.at("rows")) {
    CHECK(row.at("state") == "checked");
    CHECK(row.at("check").at("pass") == true);
    CHECK(row.at("samples_ns").empty());
    for (const auto& [phase, time] : row.at("phases").items()) {
      CAPTURE(phase);
      CHECK(time.get<double>() == 0);
    }
  }
  const std::string page = read_text(program.directory() / "r.html");
  CHECK(page.find("emulated: checked, never timed") != std::string::npos);
  CHECK(page.find("<svg") == std::string::npos);
  const Outcome compared = program.run({"compare", "r.json", "r.json"});
  CAPTURE(compared.output);
  CHECK(compared.code == 5);
  CHECK(compared.errors.find("r.json: has no times, its device is emulated") != std::string::npos);
}
