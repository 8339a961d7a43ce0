// `bascule selftest`: every variant that a device can run, over small and awkward sizes, against the float64 reference.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "case_run.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "core/base/text.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxCaseBytes = 1ull << 30;
constexpr double kMaxOperations = 2e9;

struct Outcome {
  std::uint64_t passed = 0, failed = 0, skipped = 0;
  Json rows = Json::array();
  std::vector<std::string> shrunk, left_out;  // to save time; with how
};

// What one device is tested with. A case is made smaller where it can be, and left out where it is too dear for an engine.
struct DeviceCases {
  bsc_device* device = nullptr;
  std::vector<const bsc_case*> cases;
};

bool is_emulated(bsc_device* device) { return info_of(device).emulated != 0; }

std::set<std::string> kernels_of(const std::vector<const bsc_case*>& cases) {
  std::set<std::string> kernels;
  for (const bsc_case* description : cases) kernels.insert(description->kernel);
  return kernels;
}

// Names of the variants that this device can run; if `only` is given, at most that one, which may be the reference.
std::vector<std::string> usable_variants(bsc_device* device, bsc_package* package, const char* kernel, const std::string& only) {
  const std::string text =
      make_text([&](char** out, bsc_error** error) { return bsc_kernel_explain(device, package, kernel, out, error); });
  std::vector<std::string> names;
  const Json json = Json::parse(text);
  for (const Json& variant : json.at("variants")) {
    const bool usable = variant.at("score").get<double>() > 0;
    const bool asked = variant.at("name") == only;
    if (only.empty() ? usable : asked && (usable || variant.at("class") == "reference")) names.push_back(variant.at("name"));
  }
  return names;
}

// A name that no kernel has is a slip of the hand; one that this device cannot run is skipped.
void require_known_variant(bsc_device* device, bsc_package* package, const std::vector<const bsc_case*>& cases, const std::string& name) {
  std::set<std::string> known;
  for (const std::string& kernel : kernels_of(cases)) {
    const std::string text =
        make_text([&](char** out, bsc_error** error) { return bsc_kernel_explain(device, package, kernel.c_str(), out, error); });
    const Json json = Json::parse(text);
    for (const Json& variant : json.at("variants")) known.insert(variant.at("name"));
  }
  if (known.contains(name)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  throw Failure(ExitCode::kUsage, "no kernel that would be tested has a variant " + core::quoted(name) + core::suggestion(name, names),
                "`bascule explain KERNEL` lists a kernel's variants");
}

// Half of the cases have all buffers where every vector is aligned; in the others each begins at some element.
std::uint64_t placement_of(const bsc_case& description, std::uint64_t seed) {
  std::uint64_t bits = seed;
  for (const char* c = description.label; *c != '\0'; ++c) bits = (bits ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
  bits ^= bits >> 29;
  return bits % 2 == 0 ? 0 : bits * 0x9e3779b97f4a7c15u;
}

void test_one(Outcome& outcome, bsc_device* device, bsc_package* package, const bsc_case& description, const std::string& variant,
              std::uint64_t seed) {
  Json row = {{"device", info_of(device).id}, {"emulated", is_emulated(device)}, {"kernel", description.kernel}, {"case", description.label}, {"variant", variant},
              {"seed", seed}};
  std::string failure;
  try {
    const CaseDataHandle data = make_case_data(description, seed);
    CaseRun run(device, package, description, data.get(), 1, variant, placement_of(description, seed));
    const CheckResult check = run.check();
    row["worst_ratio"] = check.worst_ratio;
    if (!check.pass) failure = check.message;
  } catch (const Failure& error) {
    failure = error.what();
  }
  row["pass"] = failure.empty();
  row["message"] = failure;
  failure.empty() ? ++outcome.passed : ++outcome.failed;
  outcome.rows.push_back(row);
}

DeviceCases cases_for(bsc_device* device, bsc_package* package, const CaseLibrary& library, const SelftestOptions& options, Outcome& outcome) {
  // Half of the limit is for what moves the data.
  const double most = options.full_size ? 0 : is_emulated(device) ? kEmulatedLaneOperations / 2 : kMaxOperations;
  DeviceCases result{device, library.cases(options.suite, kMaxCaseBytes, most)};
  if (!options.kernel.empty()) {
    std::erase_if(result.cases, [&](const bsc_case* description) { return options.kernel != description->kernel; });
    if (result.cases.empty()) throw Failure(ExitCode::kUsage, "there is no self-test of a kernel '" + options.kernel + "' in suite " + options.suite,
                                            "see `bascule explain` for the kernels there are");
  }
  if (!options.variant.empty()) require_known_variant(device, package, result.cases, options.variant);
  for (const bsc_case* description : result.cases) {
    if (description->shrunk[0] != '\0') outcome.shrunk.push_back(std::string(description->label) + ": " + description->shrunk);
  }
  if (is_emulated(device) && !options.full_size) {
    std::erase_if(result.cases, [&](const bsc_case* description) {
      const bool dear = lane_operations(*description) > kEmulatedLaneOperations;
      if (dear) outcome.left_out.push_back(description->label);
      return dear;
    });
  }
  return result;
}

void print_reductions(const Outcome& outcome) {
  const auto print = [](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    std::printf("%s, to save time (--full-size does not):\n", title);
    for (const std::string& line : lines) std::printf("  %s\n", printable(line).c_str());
  };
  print("Made smaller", outcome.shrunk);
  print("Left out, more than 2^28 operations of a lane on an EMULATED device", outcome.left_out);
}

std::uint64_t fresh_seed() {
  std::random_device entropy;
  return (std::uint64_t{entropy()} << 32) | entropy();
}

}  // namespace

ExitCode run_selftest(const CommonOptions& common, const SelftestOptions& options) {
  const CaseLibrary library(options.cases);
  const InstanceHandle instance = open_instance(common);
  const PackageHandle package = library.package(instance.get());
  const std::uint64_t seed = options.seed != 0 ? options.seed : fresh_seed();
  std::vector<bsc_device*> devices;
  if (!common.device.empty()) {
    devices = {bsc_instance_default_device(instance.get())};
  } else {
    for (std::uint64_t i = 0; i < bsc_instance_device_count(instance.get()); ++i) {
      devices.push_back(bsc_instance_device(instance.get(), i));
    }
  }

  Outcome outcome;
  std::vector<DeviceCases> work;
  std::size_t total = 0;
  for (bsc_device* device : devices) {
    work.push_back(cases_for(device, package.get(), library, options, outcome));
    total += work.back().cases.size();
  }
  {
    Progress progress(total, !common.json);
    for (const auto& [device, cases] : work) {
      if (!computes(device)) {
        outcome.skipped += cases.size();
        continue;
      }
      for (const bsc_case* description : cases) {
        progress.step(info_of(device).id + std::string(is_emulated(device) ? " EMULATED " : " ") + description->label);
        const std::vector<std::string> variants = usable_variants(device, package.get(), description->kernel, options.variant);
        if (variants.empty()) ++outcome.skipped;
        for (const std::string& variant : variants) test_one(outcome, device, package.get(), *description, variant, seed);
      }
    }
  }

  if (common.json) {
    std::printf("%s\n", Json{{"seed", seed},
                             {"passed", outcome.passed},
                             {"failed", outcome.failed},
                             {"skipped", outcome.skipped},
                             {"shrunk", outcome.shrunk},
                             {"left_out", outcome.left_out},
                             {"rows", outcome.rows}}
                            .dump(1, ' ', false, Json::error_handler_t::replace)
                            .c_str());
  } else {
    std::set<std::string> kernels;
    for (const Json& row : outcome.rows) {
      kernels.insert(row["kernel"]);
      if (row["pass"]) continue;
      std::printf("FAILED %s %s variant %s, seed %llu: %s\n", row["device"].get<std::string>().c_str(),
                  row["case"].get<std::string>().c_str(), row["variant"].get<std::string>().c_str(),
                  static_cast<unsigned long long>(seed), printable(row["message"].get<std::string>()).c_str());
    }
    print_reductions(outcome);
    if (std::any_of(devices.begin(), devices.end(), is_emulated)) std::printf("EMULATED: the results are checked, no hardware took part\n");
    std::printf("%zu kernel%s: %llu passed, %llu failed, %llu skipped (seed %llu)\n", kernels.size(), kernels.size() == 1 ? "" : "s",
                static_cast<unsigned long long>(outcome.passed), static_cast<unsigned long long>(outcome.failed),
                static_cast<unsigned long long>(outcome.skipped), static_cast<unsigned long long>(seed));
  }
  if (outcome.failed > 0) return ExitCode::kWrongResult;
  if (outcome.passed == 0) {
    throw Failure(ExitCode::kUnavailable, "nothing was tested: no device here computes and runs these kernels",
                  "`bascule devices` lists the devices, `bascule explain KERNEL` what each variant needs");
  }
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
