// A run as JSON. Of what the commands printed as JSON nothing is lost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/present.hpp"

#include <nlohmann/json.hpp>

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
               {"bench", run.report.devices.empty() ? Json(nullptr) : parsed(cli::to_json(run.report))}};
  for (const Step& step : run.steps) json["steps"].push_back(to_json(step));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bascule::gpu_run
