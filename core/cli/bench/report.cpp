// Benchmark reports as JSON: see report.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../failure.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "bascule-bench-1";
constexpr std::uintmax_t kMaxReportBytes = 512u << 20;

constexpr RowState kStates[] = {RowState::measured, RowState::checked,  RowState::wrong,
                                RowState::failed,   RowState::overhead, RowState::unsupported};

Json to_json(const Phases& phases) {
  return {{"load_ns", phases.load},       {"upload_ns", phases.upload},   {"first_call_ns", phases.first_call},
          {"warm_up_ns", phases.warm_up}, {"timed_ns", phases.timed},     {"download_ns", phases.download},
          {"warm_up_calls", phases.warm_up_calls}};
}

Json to_json(const CheckResult& check) {
  return {{"pass", check.pass},
          {"worst_ratio", std::isfinite(check.worst_ratio) ? Json(check.worst_ratio) : Json(nullptr)},
          {"checked", check.checked},
          {"total", check.total},
          {"message", check.message}};
}

Json to_json(const Row& row) {
  return {{"kernel", row.kernel},
          {"label", row.label},
          {"shape", row.shape},
          {"shrunk", row.shrunk},
          {"device", row.device},
          {"state", name_of(row.state)},
          {"error", row.error},
          {"variant", {{"name", row.variant}, {"class", row.variant_class}, {"hash", row.variant_hash}}},
          {"number_format", row.number_format},
          {"math_mode", row.math_mode},
          {"distribution", row.distribution},
          {"cache_mode", row.cache_mode},
          {"clock", row.clock},
          {"bytes", row.bytes},
          {"operations", row.operations},
          {"operation_unit", row.operation_unit},
          {"seed", row.seed},
          {"check", to_json(row.check)},
          {"phases", to_json(row.phases)},
          {"calls_per_sample", row.calls_per_sample},
          {"stopped_by", row.stopped_by},
          {"samples_ns", row.samples}};
}

Json to_json(const DeviceRecord& device) {
  return {{"id", device.id},
          {"backend", device.backend},
          {"name", device.name},
          {"vendor", device.vendor},
          {"driver", device.driver},
          {"driver_version", device.driver_version},
          {"architecture", device.architecture},
          {"type", device.type},
          {"uuid", device.uuid},
          {"pci", device.pci},
          {"emulated", device.emulated},
          {"memory_bytes", device.memory_bytes},
          {"compute_units", device.compute_units}};
}

Phases phases_from(const Json& json) {
  Phases phases;
  phases.load = json.at("load_ns");
  phases.upload = json.at("upload_ns");
  phases.first_call = json.at("first_call_ns");
  phases.warm_up = json.at("warm_up_ns");
  phases.timed = json.at("timed_ns");
  phases.download = json.at("download_ns");
  phases.warm_up_calls = json.at("warm_up_calls");
  return phases;
}

Row row_from(const Json& json) {
  Row row;
  row.kernel = json.at("kernel");
  row.label = json.at("label");
  row.shape = json.at("shape");
  row.shrunk = json.at("shrunk");
  row.device = json.at("device");
  row.error = json.at("error");
  row.variant = json.at("variant").at("name");
  row.variant_class = json.at("variant").at("class");
  row.variant_hash = json.at("variant").at("hash");
  row.number_format = json.at("number_format");
  row.math_mode = json.at("math_mode");
  row.distribution = json.at("distribution");
  row.cache_mode = json.at("cache_mode");
  row.clock = json.at("clock");
  row.bytes = json.at("bytes");
  row.operations = json.at("operations");
  row.operation_unit = json.at("operation_unit");
  row.seed = json.at("seed");
  row.phases = phases_from(json.at("phases"));
  row.calls_per_sample = json.at("calls_per_sample");
  row.stopped_by = json.at("stopped_by");
  const Json& check = json.at("check");
  row.check.pass = check.at("pass");
  row.check.worst_ratio = check.at("worst_ratio").is_null() ? INFINITY : check.at("worst_ratio").get<double>();
  row.check.checked = check.at("checked");
  row.check.total = check.at("total");
  row.check.message = check.at("message");
  row.samples = json.at("samples_ns").get<std::vector<double>>();

  const std::string state = json.at("state");
  bool known = false;
  for (const RowState candidate : kStates) {
    if (name_of(candidate) == state) {
      row.state = candidate;
      known = true;
    }
  }
  if (!known) throw std::invalid_argument("unknown row state '" + state + "'");
  const bool has_times = row.state == RowState::measured || row.state == RowState::overhead;
  if (has_times == row.samples.empty()) throw std::invalid_argument("a row's state does not fit its samples");
  for (const double sample : row.samples) {
    if (!(sample > 0) || !std::isfinite(sample)) throw std::invalid_argument("a sample is not a positive number");
  }
  return row;
}

DeviceRecord device_from(const Json& json) {
  DeviceRecord device;
  device.id = json.at("id");
  device.backend = json.at("backend");
  device.name = json.at("name");
  device.vendor = json.at("vendor");
  device.driver = json.at("driver");
  device.driver_version = json.at("driver_version");
  device.architecture = json.at("architecture");
  device.type = json.at("type");
  device.uuid = json.at("uuid");
  device.pci = json.at("pci");
  device.emulated = json.at("emulated");
  device.memory_bytes = json.at("memory_bytes");
  device.compute_units = json.at("compute_units");
  return device;
}

Report report_from(const Json& json) {
  if (json.at("schema") != kSchema) {
    throw std::invalid_argument("its schema is " + json.at("schema").dump() + ", this version reads \"" + kSchema + "\"");
  }
  Report report;
  report.suite = json.at("suite");
  report.cache_mode = json.at("cache_mode");
  report.started = json.at("started");
  report.case_library = json.at("case_library").at("name");
  report.case_library_version = json.at("case_library").at("version");
  report.environment = json.at("environment").get<std::map<std::string, std::string>>();
  for (const Json& device : json.at("devices")) report.devices.push_back(device_from(device));
  for (const Json& row : json.at("rows")) {
    report.rows.push_back(row_from(row));
    if (report.find_device(report.rows.back().device) == nullptr) {
      throw std::invalid_argument("a row names device '" + report.rows.back().device + "', which is not listed");
    }
  }
  return report;
}

}  // namespace

const DeviceRecord* Report::find_device(const std::string& id) const {
  for (const DeviceRecord& device : devices) {
    if (device.id == id) return &device;
  }
  return nullptr;
}

std::string_view name_of(RowState state) {
  switch (state) {
    case RowState::measured: return "measured";
    case RowState::checked: return "checked";
    case RowState::wrong: return "wrong";
    case RowState::failed: return "failed";
    case RowState::overhead: return "overhead";
    case RowState::unsupported: return "unsupported";
  }
  return "";
}

std::string to_json(const Report& report) {
  Json json = {{"schema", kSchema},
               {"suite", report.suite},
               {"cache_mode", report.cache_mode},
               {"started", report.started},
               {"case_library", {{"name", report.case_library}, {"version", report.case_library_version}}},
               {"environment", report.environment},
               {"devices", Json::array()},
               {"rows", Json::array()}};
  for (const DeviceRecord& device : report.devices) json["devices"].push_back(to_json(device));
  for (const Row& row : report.rows) json["rows"].push_back(to_json(row));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Report read_report(const std::string& path) {
  constexpr const char* kRemedy = "give a file that `bascule bench --json FILE` wrote";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw Failure(ExitCode::kUsage, path + ": is not a readable file", kRemedy);
  }
  if (std::filesystem::file_size(path, error) > kMaxReportBytes) {
    throw Failure(ExitCode::kUsage, path + ": is larger than 512 MiB", kRemedy);
  }
  std::ifstream file(path);
  try {
    // A depth limit: the parser recurses, and no report nests deeper than 6.
    const auto limit_depth = [](int depth, Json::parse_event_t, Json&) {
      if (depth > 16) throw std::invalid_argument("it nests deeper than 16 levels");
      return true;
    };
    return report_from(Json::parse(file, limit_depth));
  } catch (const Json::exception& cause) {
    const std::string words = cause.what();  // after "[json.exception...] "
    throw Failure(ExitCode::kUsage, path + ": is no report: " + words.substr(words.find("] ") + 2), kRemedy);
  } catch (const std::exception& cause) {
    throw Failure(ExitCode::kUsage, path + ": " + cause.what(), kRemedy);
  }
}

}  // namespace bascule::cli
