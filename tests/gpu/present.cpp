// A run as JSON, with what doctor and devices printed whole.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/present.hpp"

#include <nlohmann/json.hpp>

#include "core/cli/bench/statistics.hpp"

namespace bascule::gpu_run {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "bascule-gpu-run-1";

Json to_json(const Step& step) {
  return {{"name", step.name},
          {"kind", name_of(step.kind)},
          {"kernel", step.kernel},
          {"state", name_of(step.state)},
          {"optional", step.optional},
          {"message", step.message},
          {"exit_code", step.exit_code},
          {"started_s", step.started},
          {"seconds", step.seconds},
          {"limit_s", step.limit},
          {"command", step.command},
          {"log", step.log},
          {"result_file", step.result_file}};
}

// Every sample is in bench.json. Of an emulated device not even the median is said.
Json to_json(const Run& run, const cli::Row& row) {
  const bool emulated = run.report.find_device(row.device)->emulated;
  Json json = {{"kernel", row.kernel},
               {"label", row.label},
               {"shrunk", row.shrunk},
               {"on", row.device},
               {"emulated", emulated},
               {"state", cli::name_of(row.state)},
               {"variant", row.variant},
               {"class", row.variant_class},
               {"number_format", row.number_format},
               {"math_mode", row.math_mode},
               {"check", {{"pass", row.check.pass}, {"checked", row.check.checked}, {"total", row.check.total}, {"message", row.check.message}}},
               {"error", row.error}};
  if (row.samples.empty() || emulated) return json;
  const double median = cli::quantile(row.samples, 0.5);
  json["samples"] = row.samples.size();
  json["median_ns"] = median;
  json["quartiles_ns"] = {cli::quantile(row.samples, 0.25), cli::quantile(row.samples, 0.75)};
  json["bytes_per_second"] = row.bytes / median * 1e9;
  if (row.operations > 0) json["operations_per_second"] = row.operations / median * 1e9;
  return json;
}

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

}  // namespace

std::string to_json(const Run& run) {
  Json json = {{"schema", kSchema},
               {"state", run.state},
               {"headline", headline(run)},
               {"exit_code", run.exit_code},
               {"emulated", run.emulated},
               {"card", run.card},
               {"vendor", run.vendor},
               {"backend", run.backend},
               {"device", run.selector},
               {"driver_library", run.driver},
               {"started", run.started},
               {"ended", run.ended},
               {"time_limit_s", run.time_limit},
               {"elapsed_s", run.elapsed},
               {"bascule", run.version},
               {"notes", run.notes},
               {"machine", run.machine},
               {"steps", Json::array()},
               {"devices", parsed(run.devices_json)},
               {"doctor", parsed(run.doctor_json)},
               {"rows", Json::array()}};
  for (const Step& step : run.steps) json["steps"].push_back(to_json(step));
  for (const cli::Row& row : run.report.rows) json["rows"].push_back(to_json(run, row));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bascule::gpu_run
