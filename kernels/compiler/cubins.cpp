// Machine code beside PTX: see cubins.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/cubins.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/platform/process.hpp"
#include "kernels/compiler/failure.hpp"

namespace bascule::compiler {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kTimeLimit = std::chrono::minutes(10);
constexpr std::string_view kRelease = "release ";

// 90 of "sm_90a"
int level_of(const std::string& architecture) { return architecture.starts_with("sm_") ? std::atoi(architecture.c_str() + 3) : 0; }

void add_before(Json& variants, const Json& ptx, const std::vector<std::string>& architectures, const std::string& minimum_driver, const Assemble& assemble) {
  for (const std::string& architecture : architectures) {
    const std::string target = ptx.value("target", "");
    // sm_90a's instructions are nobody else's.
    const bool fits = target.ends_with('a') ? target == architecture : level_of(target) <= level_of(architecture);
    if (!fits) continue;
    Json cubin = ptx;
    cubin["name"] = ptx.value("name", "") + "_cubin_" + architecture;
    cubin["format"] = "cubin";
    cubin["target"] = architecture;
    cubin["minimum_driver"] = minimum_driver;
    cubin["image"] = assemble(ptx.value("image", ""), architecture);
    cubin.erase("options");
    variants.push_back(std::move(cubin));
  }
}

}  // namespace

std::string add_cubins(const std::string& json, const std::vector<std::string>& architectures, const std::string& minimum_driver, const Assemble& assemble) {
  Json description = Json::parse(json);
  for (Json& kernel : description.at("kernels")) {
    if (!kernel.contains("variants")) continue;
    Json variants = Json::array();
    for (const Json& variant : kernel["variants"]) {
      if (variant.value("format", "") == "ptx") add_before(variants, variant, architectures, minimum_driver, assemble);
      variants.push_back(variant);
    }
    kernel["variants"] = std::move(variants);
  }
  return description.dump(1) + "\n";
}

std::string driver_for(const std::string& version_text) {
  const std::size_t found = version_text.find(kRelease);
  const int major = found == std::string::npos ? 0 : std::atoi(version_text.c_str() + found + kRelease.size());
  if (major < 12) throw Failure("this is no ptxas of release 12 or newer: " + version_text.substr(0, 200), "name another with --ptxas");
  return std::to_string(major) + ".0";
}

Ptxas::Ptxas(const std::string& program) : program_(program), minimum_driver_(driver_for(run({"--version"}))) {}

std::string Ptxas::run(const std::vector<std::string>& arguments) const {
  core::ProcessOptions process;
  process.program = program_;
  process.arguments = arguments;
  process.time_limit = kTimeLimit;
  const auto result = core::run_process(process);
  if (!result.ok()) throw Failure(program_ + ": " + result.error().message, "name another ptxas, or ask for no cubins");
  if (result->end != core::ProcessResult::End::kExit || result->code != 0) throw Failure(program_ + " failed:\n" + result->errors);
  return result->output;
}

void Ptxas::assemble(const std::string& ptx, const std::string& architecture, const std::string& cubin) const {
  run({"-arch=" + architecture, ptx, "-o", cubin});
}

}  // namespace bascule::compiler
