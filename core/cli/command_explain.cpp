// `bascule explain`: what a kernel promises, and for each variant whether the device can run it and why.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "case_library.hpp"
#include "commands.hpp"
#include "console.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;

PackageHandle open_package(bsc_instance* instance, const ExplainOptions& options, bool is_file) {
  if (!is_file) return CaseLibrary(options.cases).package(instance);
  return make<PackageHandle>(
      [&](auto** out, auto** error) { return bsc_package_load_file(instance, options.target.c_str(), out, error); });
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string parameter_text(const Json& parameter) {
  std::string text = text_of(parameter.value("name", Json(""))) + ": ";
  if (parameter.value("kind", "") == "buffer") {
    text += parameter.value("access", "") + " buffer of " + parameter.value("type", "");
    if (parameter.contains("length")) text += ", at least " + text_of(parameter["length"]) + " elements";
  } else {
    text += parameter.value("type", "");
  }
  return text;
}

void print_kernel(const Json& explanation, bool emulated) {
  const Json& contract = explanation.at("contract");
  std::printf("%s %s on %s (%s%s)\n", explanation.value("kernel", "").c_str(), contract.value("version", "").c_str(),
              explanation.value("device", "").c_str(), explanation.value("architecture", "").c_str(),
              emulated ? ", EMULATED" : "");
  if (contract.contains("doc")) std::printf("  %s\n", printable(contract.value("doc", "")).c_str());
  for (const Json& parameter : contract.value("parameters", Json::array())) {
    std::printf("  %s\n", printable(parameter_text(parameter)).c_str());
  }
  for (const char* key : {"nan", "determinism", "math", "tolerance"}) {
    if (contract.contains(key)) std::printf("  %s: %s\n", key, printable(text_of(contract[key])).c_str());
  }
  const Json chosen = explanation.value("chosen", Json());
  Table table({{""}, {"variant"}, {"format"}, {"target"}, {"class"}, {"score", Table::Align::right}, {"reason"}});
  for (const Json& variant : explanation.at("variants")) {
    const std::string name = variant.value("name", "");
    const std::string reason = variant.value("reason", "");
    table.add({chosen == name ? "*" : "", name, variant.value("format", ""), variant.value("target", ""), variant.value("class", ""),
               variant.at("score").dump(), printable(reason.empty() ? "usable" : reason)});
  }
  std::printf("%s", table.text().c_str());
  if (chosen.is_null()) std::printf("no variant can run on this device\n");
}

}  // namespace

ExitCode run_explain(const CommonOptions& common, const ExplainOptions& options) {
  std::error_code error;
  const bool is_file = !options.target.empty() && std::filesystem::exists(options.target, error);
  if (!is_file && options.target.find_first_of("/.") != std::string::npos) {
    throw Failure(ExitCode::kUsage, options.target + ": there is no such file", "give a package file, or the name of a kernel");
  }
  if (!is_file && !options.kernel.empty()) {
    throw Failure(ExitCode::kUsage, "'" + options.target + "' is not a package file, so '" + options.kernel + "' names nothing in it",
                  "give FILE KERNEL, or one kernel's name");
  }
  const InstanceHandle instance = open_instance(common);
  const PackageHandle package = open_package(instance.get(), options, is_file);
  bsc_device* device = bsc_instance_default_device(instance.get());

  std::vector<std::string> kernels;
  const std::string wanted = is_file ? options.kernel : options.target;
  if (!wanted.empty()) {
    kernels = {wanted};
  } else {
    for (std::uint64_t i = 0; const char* name = bsc_package_kernel_name(package.get(), i); ++i) kernels.emplace_back(name);
  }
  const bool names_only = wanted.empty() && !is_file && !common.json;
  Json all = Json::array();
  for (const std::string& kernel : kernels) {
    const std::string text = make_text(
        [&](char** out, bsc_error** slot) { return bsc_kernel_explain(device, package.get(), kernel.c_str(), out, slot); });
    const Json explanation = Json::parse(text);
    if (common.json) {
      all.push_back(explanation);
    } else if (names_only) {
      std::printf("%-20s %s\n", kernel.c_str(), printable(explanation.at("contract").value("doc", "")).c_str());
    } else {
      if (&kernel != &kernels.front()) std::printf("\n");
      print_kernel(explanation, info_of(device).emulated != 0);
    }
  }
  if (common.json) {
    const Json description = Json::parse(bsc_package_describe(package.get()));
    std::printf("%s\n", Json{{"kernels", all}, {"package", description}}.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
  }
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
