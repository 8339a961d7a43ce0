// `bascule bench`: runs a suite on several devices in turn and reports only checked results.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <filesystem>

#include "bench/environment.hpp"
#include "bench/present.hpp"
#include "bench/sampler.hpp"
#include "case_run.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "core/platform/file.hpp"

namespace bascule::cli {
namespace {

constexpr const char* kOverheadSuite = "overhead";
// Cold mode rotates inputs through more than twice the last-level cache; where its size is unknown, this much is assumed.
constexpr std::int64_t kAssumedCacheBytes = 128ll << 20;
constexpr std::uint64_t kMostCopies = 256;

std::vector<bsc_device*> chosen_devices(bsc_instance* instance, const CommonOptions& common) {
  if (!common.device.empty()) return {bsc_instance_default_device(instance)};
  std::vector<bsc_device*> devices;
  for (std::uint64_t i = 0; i < bsc_instance_device_count(instance); ++i) devices.push_back(bsc_instance_device(instance, i));
  return devices;
}

DeviceRecord record_of(const bsc_device* device) {
  const bsc_device_info info = info_of(device);
  return {info.id,  info.backend,        info.name,         info.vendor,     info.driver, info.driver_version, info.architecture,
          info.type, info.uuid, info.pci, info.emulated != 0, info.memory_bytes, info.compute_units};
}

std::uint64_t copies_for(bsc_device* device, const bsc_case& description, const std::string& cache_mode) {
  if (cache_mode != "cold") return 1;
  std::int64_t cache = kAssumedCacheBytes;
  if (bsc_device_capability(device, "last_level_cache", &cache, nullptr) != BSC_OK) cache = kAssumedCacheBytes;
  const std::uint64_t wanted = 2 * static_cast<std::uint64_t>(cache) / std::max<std::uint64_t>(description.device_bytes, 1) + 1;
  const std::uint64_t room = case_limits({device}, true).max_bytes / std::max<std::uint64_t>(description.device_bytes, 1);
  return std::clamp<std::uint64_t>(std::min(wanted, room), 1, kMostCopies);
}

// Class and hash of the variant in use, from the library's explanation of its choice.
void describe_variant(Row& row, bsc_device* device, bsc_package* package) {
  const std::string text =
      make_text([&](char** out, bsc_error** error) { return bsc_kernel_explain(device, package, row.kernel.c_str(), out, error); });
  const auto json = nlohmann::json::parse(text);
  for (const auto& variant : json.at("variants")) {
    if (variant.at("name") != row.variant) continue;
    row.variant_class = variant.value("class", "");
    row.variant_hash = variant.value("hash", "");
  }
}

// Whether the device runs no variant of the kernel. Not so where one is forced: creating that one succeeds, or is an error.
bool lacks_variant(bsc_device* device, bsc_package* package, const char* kernel) {
  const std::string text =
      make_text([&](char** out, bsc_error** error) { return bsc_kernel_explain(device, package, kernel, out, error); });
  const auto json = nlohmann::json::parse(text);
  const auto& variants = json.at("variants");
  const auto usable = [](const auto& variant) { return variant.at("score").template get<double>() > 0; };
  return json.at("forced") == "" && std::none_of(variants.begin(), variants.end(), usable);
}

Row new_row(const bsc_case& description, bsc_device* device, const BenchOptions& options, std::uint64_t seed) {
  Row row;
  row.kernel = description.kernel;
  row.label = description.label;
  row.shape = description.shape;
  row.shrunk = description.shrunk;
  row.device = info_of(device).id;
  row.number_format = description.number_format;
  row.math_mode = description.math_mode;
  row.distribution = description.distribution;
  row.cache_mode = options.cache_mode;
  row.bytes = description.bytes;
  row.operations = description.operations;
  row.operation_unit = description.operation_unit;
  row.seed = seed;
  return row;
}

SamplingRule rule_of(const BenchOptions& options) {
  SamplingRule rule;
  rule.min_time = options.min_time * 1e9;
  rule.max_time = options.max_time * 1e9;
  return rule;
}

// One case on one device while it is being measured.
struct Lane {
  bsc_device* device = nullptr;
  Row row;
  std::optional<CaseRun> run;
  Contender contender;
};

void prepare(Lane& lane, bsc_package* package, const bsc_case& description, bsc_case_data* data, const BenchOptions& options) {
  if (lacks_variant(lane.device, package, description.kernel)) {
    lane.row.state = RowState::unsupported;
    lane.row.error = lane.row.kernel + " has no variant for " + lane.row.device;
    return;
  }
  lane.run.emplace(lane.device, package, description, data, copies_for(lane.device, description, options.cache_mode));
  lane.row.variant = lane.run->variant();
  describe_variant(lane.row, lane.device, package);
  lane.row.check = lane.run->check();
  lane.row.state = !lane.row.check.pass ? RowState::wrong : info_of(lane.device).emulated != 0 ? RowState::checked : RowState::measured;
  lane.row.clock = lane.run->device_clock() ? "device" : "host";
  lane.contender.sample = [&run = *lane.run](std::uint64_t calls) { return run.sample(calls); };
  lane.contender.clock_resolution = lane.run->clock_resolution();
}

void finish(Lane& lane) {
  const CheckResult after = lane.run->recheck();
  if (!after.pass) {
    lane.row.state = RowState::wrong;
    lane.row.check = after;
    lane.row.check.message = "right at first, wrong after timing: " + after.message;
  } else {
    lane.row.samples = std::move(lane.contender.samples);
    lane.row.calls_per_sample = lane.contender.calls_per_sample;
    lane.row.stopped_by = lane.contender.stopped_by;
  }
  lane.row.phases = lane.run->phases();
  lane.row.phases.warm_up = lane.contender.warm_up_ns;
  lane.row.phases.warm_up_calls = lane.contender.warm_up_calls;
  lane.row.phases.timed = lane.contender.timed_ns;
}

// An error on one device is that row's, not the run's.
template <class Work>
void contain(Lane& lane, Work&& work) {
  try {
    work();
  } catch (const Failure& failure) {
    lane.row.state = RowState::failed;
    lane.row.error = failure.what();
    if (lane.run) lane.row.phases = lane.run->phases();
  }
}

void measure_case(Report& report, const std::vector<bsc_device*>& devices, bsc_package* package, const bsc_case& description,
                  const BenchOptions& options) {
  const CaseDataHandle data = make_case_data(description, options.seed);
  std::vector<Lane> lanes;
  for (bsc_device* device : devices) {
    if (computes(device)) lanes.push_back({device, new_row(description, device, options, options.seed), std::nullopt, {}});
  }
  std::vector<Contender*> contenders;
  for (Lane& lane : lanes) {
    contain(lane, [&] { prepare(lane, package, description, data.get(), options); });
    if (lane.row.state == RowState::measured) contenders.push_back(&lane.contender);
  }
  try {
    sample_interleaved(contenders, rule_of(options));
  } catch (const Failure& failure) {  // one lane's error stops the round: say so on each that has no times yet
    for (Lane& lane : lanes) {
      if (lane.row.state == RowState::measured) contain(lane, [&] { throw failure; });
    }
  }
  for (Lane& lane : lanes) {
    if (lane.row.state == RowState::measured) contain(lane, [&] { finish(lane); });
    if (lane.row.state == RowState::wrong && lane.run) lane.row.phases = lane.run->phases();
    report.rows.push_back(std::move(lane.row));
  }
}

// Submit and wait of the smallest launch, on the host's clock: what every launch costs. The only row of a device that
// computes nothing.
void measure_overhead(Report& report, const std::vector<bsc_device*>& devices, bsc_package* package, const bsc_case& description,
                      const BenchOptions& options) {
  const CaseDataHandle data = make_case_data(description, options.seed);
  for (bsc_device* device : devices) {
    Lane lane{device, new_row(description, device, options, options.seed), std::nullopt, {}};
    contain(lane, [&] {
      lane.run.emplace(device, package, description, data.get(), 1);
      lane.row.variant = lane.run->variant();
      describe_variant(lane.row, device, package);
      lane.row.clock = "host";
      lane.row.check = lane.run->check();
      if (computes(device) && !lane.row.check.pass) {
        lane.row.state = RowState::wrong;
        return;
      }
      if (info_of(device).emulated != 0) {
        lane.row.state = RowState::checked;
        return;
      }
      lane.contender.sample = [&run = *lane.run](std::uint64_t calls) {
        double total = 0;
        for (std::uint64_t call = 0; call < calls; ++call) total += run.launch_and_wait();
        return total / static_cast<double>(calls);
      };
      std::vector<Contender*> contenders = {&lane.contender};
      sample_interleaved(contenders, rule_of(options));
      lane.row.state = RowState::overhead;
      lane.row.samples = std::move(lane.contender.samples);
      lane.row.calls_per_sample = lane.contender.calls_per_sample;
      lane.row.stopped_by = lane.contender.stopped_by;
      lane.row.phases = lane.run->phases();
    });
    report.rows.push_back(std::move(lane.row));
  }
}

// Before anything is measured: a page that cannot be written would be noticed at the end only.
void require_directory(const std::string& file) {
  if (file.empty() || file == "-") return;
  const std::filesystem::path directory = std::filesystem::absolute(file).parent_path();
  std::error_code error;
  if (std::filesystem::is_directory(directory, error)) return;
  throw Failure(ExitCode::kUsage, file + " cannot be written: there is no folder " + directory.string(), "make the folder, or name another file");
}

// Whole or not at all, so that a run that is killed leaves the cases it had finished.
void write_file(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") return;
  const core::Status status = core::write_file_atomically(path, text, 0644);
  if (!status.ok()) throw Failure(ExitCode::kFailed, status.error().message, "check the directory, its permissions and the free space");
}

}  // namespace

ExitCode run_bench(const CommonOptions& common, const BenchOptions& options) {
  for (const std::string* file : {&options.json_file, &options.html_file}) require_directory(*file);
  if (options.min_time > options.max_time) throw Failure(ExitCode::kUsage, "--min-time is longer than --max-time", "give both, the longer one as --max-time");
  const CaseLibrary library(options.cases);
  const InstanceHandle instance = open_instance(common);
  const PackageHandle package = library.package(instance.get());
  const std::vector<bsc_device*> devices = chosen_devices(instance.get(), common);

  Report report;
  report.suite = options.suite.empty() ? library.table().suites[0] : options.suite;
  report.cache_mode = options.cache_mode;
  report.started = utc_now();
  report.case_library = std::filesystem::path(library.path()).filename().string();
  report.case_library_version = library.table().version;
  report.environment = describe_environment(options.command_line);
  report.environment["selection"] = bsc_instance_selection(instance.get());

  for (bsc_device* device : devices) report.devices.push_back(record_of(device));
  const auto [max_bytes, max_operations] = case_limits(devices, options.full_size);

  std::vector<const bsc_case*> cases = library.cases(report.suite, max_bytes, max_operations);
  if (!options.kernel.empty()) {
    std::erase_if(cases, [&](const bsc_case* description) { return options.kernel != description->kernel; });
    if (cases.empty()) {
      throw Failure(ExitCode::kUsage, "suite " + report.suite + " has no case of kernel '" + options.kernel + "'",
                    "another suite may have (" + library.suite_names() + "); `bascule explain` lists the kernels");
    }
  }
  const std::vector<const bsc_case*> overhead = library.cases(kOverheadSuite, max_bytes, max_operations);
  const bool any_computes = std::any_of(devices.begin(), devices.end(), computes);

  std::fprintf(stderr, "%s\n", bsc_instance_selection(instance.get()));
  Progress progress(overhead.size() + (any_computes ? cases.size() : 0), true);
  for (const bsc_case* description : overhead) {
    progress.step(description->label);
    measure_overhead(report, devices, package.get(), *description, options);
  }
  for (const bsc_case* description : cases) {
    if (!any_computes) break;
    progress.step(description->label);
    measure_case(report, devices, package.get(), *description, options);
    write_file(options.json_file, to_json(report));
  }
  progress.finish();

  const bool json_to_stdout = options.json_file == "-";
  write_file(options.json_file, to_json(report));
  if (!options.html_file.empty()) write_file(options.html_file, to_html(report, options.margin));
  if (json_to_stdout) {
    std::fputs(to_json(report).c_str(), stdout);
  } else {
    std::fputs(printable_lines(to_table(report, options.margin)).c_str(), stdout);
    for (const std::string* file : {&options.json_file, &options.html_file}) {
      if (!file->empty()) std::printf("wrote %s\n", file->c_str());
    }
  }
  const auto is = [](RowState state) { return [state](const Row& row) { return row.state == state; }; };
  if (std::any_of(report.rows.begin(), report.rows.end(), is(RowState::wrong))) return ExitCode::kWrongResult;
  if (std::any_of(report.rows.begin(), report.rows.end(), is(RowState::failed))) return ExitCode::kFailed;
  const auto count = [&](RowState state) { return std::count_if(report.rows.begin(), report.rows.end(), is(state)); };
  if (count(RowState::unsupported) > 0 && count(RowState::measured) == 0) return ExitCode::kUnavailable;
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
