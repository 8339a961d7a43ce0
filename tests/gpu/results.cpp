// Reading what children left: see results.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/results.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/cli/console.hpp"
#include "core/cli/failure.hpp"
#include "core/platform/process.hpp"

namespace bascule::gpu_run {
namespace {

using Json = nlohmann::json;

constexpr int kNotFound = 127;  // of env(1): there is no such program
constexpr std::size_t kMostNamed = 5;

std::string counted(std::uint64_t count, const char* what) { return std::to_string(count) + " " + what; }

// What the program said last on standard error, without the progress before it.
std::string last_words(const std::string& errors) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', start), errors.size());
    std::string line = errors.substr(start, end - start);
    if (const std::size_t carriage = line.rfind('\r'); carriage != std::string::npos) line.erase(0, carriage + 1);
    if (!line.empty()) lines.push_back(line);
    start = end + 1;
  }
  const auto said = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) { return line.starts_with("bascule"); });
  std::size_t first = said == lines.rend() ? (lines.empty() ? 0 : lines.size() - 1) : static_cast<std::size_t>(lines.rend() - said) - 1;
  std::string text;
  for (; first < lines.size(); ++first) text += (text.empty() ? "" : "\n") + lines[first];
  return cli::printable_lines(text.substr(0, 2000));
}

void count_selftest(Step& step, const Json& json) {
  step.message = counted(json.at("passed"), "passed, ") + counted(json.at("failed"), "failed");
  if (json.at("skipped") != 0) step.message += ", " + counted(json.at("skipped"), "skipped");
  step.message += " (seed " + std::to_string(json.at("seed").get<std::uint64_t>()) + ")";
  if (step.state == StepState::passed) return;
  bool compared = false;
  std::string first;
  for (const Json& row : json.at("rows")) {
    if (row.at("pass") == true) continue;
    compared = compared || row.contains("worst_ratio");
    if (first.empty()) {
      first = row.at("variant").get<std::string>() + ", " + row.at("case").get<std::string>() + ": " + row.at("message").get<std::string>();
    }
  }
  // A variant that ended with an error gave no result, right or wrong.
  step.state = compared ? StepState::wrong : StepState::failed;
  if (!first.empty()) step.message += "\nfirst: " + cli::printable_lines(first.substr(0, 1000));
}

void count_conformance(Step& step, const Json& json) {
  const Json& total = json.at("total");
  step.message = counted(total.at("passed"), "passed, ") + counted(total.at("failed"), "failed, ") + counted(total.at("skipped"), "skipped");
  std::size_t named = 0;
  for (const Json& item : json.at("cases")) {
    if (item.at("outcome") != "failed") continue;
    if (++named > kMostNamed) continue;
    step.message += "\n" + item.at("name").get<std::string>() + ": " + cli::printable(item.value("reason", "").substr(0, 300));
  }
  if (named > kMostNamed) step.message += "\nand " + counted(named - kMostNamed, "more");
}

// What the command printed, where it prints JSON. Of a child that was cut off it is not whole.
void count(Step& step, const std::string& output) {
  if (step.kind != StepKind::selftest && step.kind != StepKind::conformance) return;
  try {
    const Json json = Json::parse(output);
    step.kind == StepKind::selftest ? count_selftest(step, json) : count_conformance(step, json);
  } catch (const Json::exception&) {
    if (step.state != StepState::passed) return;
    step.state = StepState::failed;
    step.message = "its output cannot be read; see " + step.log + ".out.txt";
  }
}

void judge_exit(Step& step, const std::string& output, const std::string& errors) {
  switch (step.exit_code) {
    case static_cast<int>(cli::ExitCode::kSuccess): step.state = StepState::passed; break;
    case static_cast<int>(cli::ExitCode::kUnavailable): step.state = StepState::unavailable; break;
    case static_cast<int>(cli::ExitCode::kWrongResult): step.state = StepState::wrong; break;
    default: step.state = StepState::failed;
  }
  if (step.exit_code == kNotFound && step.kind == StepKind::machine) {
    step.state = StepState::unavailable;
    step.message = "not installed here";
    return;
  }
  if (step.state != StepState::passed) step.message = last_words(errors);
  count(step, output);
}

}  // namespace

void judge_step(Step& step, const ChildResult& child, const std::string& output, const std::string& errors) {
  step.seconds = child.seconds;
  switch (child.end) {
    case ChildEnd::not_started:
      step.state = StepState::failed;
      step.message = "not started: " + child.message;
      return;
    case ChildEnd::interrupted:
      step.state = StepState::skipped;
      step.message = "interrupted";
      return;
    case ChildEnd::timed_out:
      step.state = StepState::timed_out;
      step.message = "ended after " + cli::format_time(child.seconds * 1e9) + (child.message.empty() ? "" : "; " + child.message);
      if (const std::string words = last_words(errors); !words.empty()) step.message += "\nits last words: " + words;
      return;
    case ChildEnd::signalled:
      step.state = StepState::crashed;
      step.message = core::signal_name(child.code);
      if (const std::string words = last_words(errors); !words.empty()) step.message += "\nits last words: " + words;
      return;
    case ChildEnd::exited:
      step.exit_code = child.code;
      judge_exit(step, output, errors);
  }
}

bool take_devices(Run& run, const std::string& output) {
  try {
    const Json json = Json::parse(output);
    const std::string chosen = json.at("default");
    for (const Json& device : json.at("devices")) {
      if (device.at("id") != chosen) continue;
      run.devices_json = output;
      run.emulated = device.at("emulated");
      run.card = (run.emulated ? "EMULATED " : "") + device.at("name").get<std::string>() + ", " + device.at("architecture").get<std::string>() + ", " +
                 device.at("driver").get<std::string>();
      return true;
    }
  } catch (const Json::exception&) {
  }
  return false;
}

bool take_report(Run& run, const std::string& file, std::string& problem) {
  cli::Report report;
  try {
    report = cli::read_report(file);
  } catch (const cli::Failure& failure) {
    problem = failure.what();
    return false;
  }
  cli::Report& all = run.report;
  if (all.devices.empty()) {
    all.suite = report.suite;
    all.cache_mode = report.cache_mode;
    all.started = report.started;
    all.case_library = report.case_library;
    all.case_library_version = report.case_library_version;
    all.environment = report.environment;
  }
  if (all.suite.find(report.suite) == std::string::npos) all.suite += ", " + report.suite;
  for (const cli::DeviceRecord& device : report.devices) {
    if (all.find_device(device.id) == nullptr) all.devices.push_back(device);
  }
  for (cli::Row& row : report.rows) {
    const auto same = [&](const cli::Row& old) { return old.kernel == row.kernel && old.label == row.label && old.device == row.device; };
    const auto found = std::find_if(all.rows.begin(), all.rows.end(), same);
    if (found == all.rows.end()) {
      all.rows.push_back(std::move(row));
    } else {
      *found = std::move(row);
    }
  }
  return true;
}

std::string read_end(const std::string& file, std::size_t most) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  const auto bytes = static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 0));
  const std::size_t kept = std::min(bytes, most);
  std::string text(kept, '\0');
  stream.seekg(static_cast<std::streamoff>(bytes - kept));
  stream.read(text.data(), static_cast<std::streamsize>(kept));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return text;
}

}  // namespace bascule::gpu_run
