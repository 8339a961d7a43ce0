// bascule-gpu-peers-BACKEND: our matrix kernels and the vendor's BLAS library on the same inputs, in one process and in turn, each
// checked against float64 before it gets a number. Writes a report as `bascule bench --json` does.
//
//   bascule-gpu-peers-cuda --backend cuda --device cuda:0 --suite llm --kernel gemm_bf16 --json FILE
//                          [--driver FILE] [--directory DIR] [--max-time SECONDS] [--min-time SECONDS]
//
// Exit codes as `bascule bench`: 0; 1 something failed; 2 usage; 3 the library is not here; 4 a result is wrong.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/cli/bench/environment.hpp"
#include "core/cli/bench/sampler.hpp"
#include "core/cli/case_run.hpp"
#include "core/platform/file.hpp"
#include "tests/gpu/peer_run.hpp"

namespace bascule::gpu_run {
namespace {

using cli::ExitCode;
using cli::Failure;

struct Options {
  std::map<std::string, std::string> values = {{"--backend", ""}, {"--device", ""},    {"--suite", ""},    {"--kernel", ""},   {"--json", ""},
                                               {"--driver", ""},  {"--directory", ""}, {"--max-time", "1"}, {"--min-time", "0.25"}};
  const std::string& operator[](const char* name) const { return values.at(name); }
};

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const auto found = options.values.find(words[i]);
    if (found == options.values.end()) throw Failure(ExitCode::kUsage, std::string("unknown option ") + words[i]);
    if (i + 1 == count) throw Failure(ExitCode::kUsage, found->first + " needs a value");
    found->second = words[++i];
  }
  for (const char* needed : {"--backend", "--device", "--suite", "--kernel", "--json"}) {
    if (options[needed].empty()) throw Failure(ExitCode::kUsage, std::string(needed) + " is missing");
  }
  return options;
}

cli::Row new_row(const bsc_case& description, const std::string& device) {
  cli::Row row;
  row.kernel = description.kernel;
  row.label = description.label;
  row.shape = description.shape;
  row.shrunk = description.shrunk;
  row.device = device;
  row.number_format = description.number_format;
  row.math_mode = description.math_mode;
  row.distribution = description.distribution;
  row.cache_mode = "warm";
  row.bytes = description.bytes;
  row.operations = description.operations;
  row.operation_unit = description.operation_unit;
  row.clock = "device";
  return row;
}

// One side: its row, and how it takes a sample.
struct Side {
  cli::Row row;
  cli::Contender contender;

  // Checks first; a side that fails or is wrong keeps its reason and is not measured.
  template <class Check>
  void begin(bool timed, Check&& check) {
    try {
      row.check = check();
      row.state = !row.check.pass ? cli::RowState::wrong : timed ? cli::RowState::measured : cli::RowState::checked;
    } catch (const std::exception& error) {
      row.error = error.what();
    }
  }
  template <class Check>
  void end(Check&& check) {
    if (row.state != cli::RowState::measured) return;
    begin(true, check);
    if (row.state != cli::RowState::measured) return;
    row.samples = std::move(contender.samples);
    row.calls_per_sample = contender.calls_per_sample;
    row.stopped_by = contender.stopped_by;
    row.phases.warm_up = contender.warm_up_ns;
    row.phases.warm_up_calls = contender.warm_up_calls;
    row.phases.timed = contender.timed_ns;
  }
};

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options), library_("") {
    cli::CommonOptions common;
    common.backends = options["--backend"];
    common.device = options["--device"];
    instance_ = cli::open_instance(common);
    device_ = bsc_instance_default_device(instance_.get());
    package_ = library_.package(instance_.get());
    const bsc_device_info info = cli::info_of(device_);
    std::string tried;
    if (!blas_.open(options["--backend"], options["--directory"], tried)) {
      throw Failure(ExitCode::kUnavailable, "no matrix library of the vendor's to compare with: " + tried,
                    "install it, or name its directory (of PyPI's nvidia-cublas: nvidia/cublas/lib) with --peer-directory");
    }
    card_.open(options["--driver"], info);
    try {
      blas_.start(card_.workspace(), PeerCard::kWorkspaceBytes);
    } catch (const std::exception& error) {
      if (info.emulated == 0) throw;
      throw Failure(ExitCode::kUnavailable, blas_.path() + " does not start on an emulated driver: " + error.what());
    }
    describe(info);
    timed_ = info.emulated == 0;
  }

  void measure(const bsc_case& description) {
    const cli::CaseDataHandle data = cli::make_case_data(description, 0);
    if (const std::string why = why_no_peer(description, data.get()); !why.empty()) {
      std::fprintf(stderr, "%s: not compared: %s\n", description.label, why.c_str());
      return;
    }
    std::fprintf(stderr, "%s\n", description.label);
    Side ours{new_row(description, report_.devices[0].id), {}}, theirs{new_row(description, report_.devices[1].id), {}};
    std::optional<cli::CaseRun> our_run;
    std::optional<PeerRun> their_run;
    ours.begin(timed_, [&] {
      our_run.emplace(device_, package_.get(), description, data.get(), 1);
      ours.row.variant = our_run->variant();
      return our_run->check();
    });
    theirs.row.variant = blas_.name();
    theirs.row.variant_class = "vendor library";
    theirs.begin(timed_, [&] {
      their_run.emplace(card_, blas_, description, data.get());
      return their_run->check();
    });
    sample(ours, theirs, our_run, their_run);
    ours.end([&] { return our_run->recheck(); });
    theirs.end([&] { return their_run->check(); });
    report_.rows.push_back(std::move(ours.row));
    report_.rows.push_back(std::move(theirs.row));
    write();
  }

  ExitCode run() {
    const cli::CaseLimits limits = cli::case_limits({device_}, false);
    for (const bsc_case* description : library_.cases(options_["--suite"], limits.max_bytes, limits.max_operations)) {
      if (options_["--kernel"] == description->kernel) measure(*description);
    }
    write();
    const auto any = [&](cli::RowState state) {
      return std::find_if(report_.rows.begin(), report_.rows.end(), [state](const cli::Row& row) { return row.state == state; });
    };
    if (const auto row = any(cli::RowState::wrong); row != report_.rows.end()) {
      throw Failure(ExitCode::kWrongResult, row->variant + " gives a wrong result for " + row->label + ": " + row->check.message);
    }
    if (const auto row = any(cli::RowState::failed); row != report_.rows.end()) {
      throw Failure(ExitCode::kFailed, row->variant + " failed at " + row->label + ": " + row->error);
    }
    return ExitCode::kSuccess;
  }

 private:
  void describe(const bsc_device_info& info) {
    report_.suite = options_["--suite"];
    report_.cache_mode = "warm";
    report_.started = cli::utc_now();
    report_.case_library = "libbascule_kernels.so";
    report_.case_library_version = library_.table().version;
    report_.environment = cli::describe_environment("bascule-gpu-peers-" + options_["--backend"]);
    report_.environment["peer"] = blas_.name() + " from " + blas_.path();
    const cli::DeviceRecord ours = {info.id,   info.backend, info.name, info.vendor,        info.driver,       info.driver_version, info.architecture,
                                    info.type, info.uuid,    info.pci,  info.emulated != 0, info.memory_bytes, info.compute_units};
    cli::DeviceRecord theirs = ours;
    theirs.id += " " + blas_.name();
    theirs.name = blas_.name() + " on " + info.name;
    report_.devices = {ours, theirs};
  }

  void sample(Side& ours, Side& theirs, std::optional<cli::CaseRun>& our_run, std::optional<PeerRun>& their_run) {
    std::vector<cli::Contender*> contenders;
    if (ours.row.state == cli::RowState::measured) {
      ours.contender.clock_resolution = our_run->clock_resolution();
      ours.contender.sample = [&](std::uint64_t calls) { return our_run->sample(calls); };
      contenders.push_back(&ours.contender);
    }
    if (theirs.row.state == cli::RowState::measured) {
      theirs.contender.clock_resolution = card_.clock_resolution();
      theirs.contender.sample = [&](std::uint64_t calls) { return their_run->sample(calls); };
      contenders.push_back(&theirs.contender);
    }
    cli::SamplingRule rule;
    rule.min_time = std::atof(options_["--min-time"].c_str()) * 1e9;
    rule.max_time = std::atof(options_["--max-time"].c_str()) * 1e9;
    try {
      cli::sample_interleaved(contenders, rule);
    } catch (const std::exception& error) {
      for (Side* side : {&ours, &theirs}) {
        side->row.state = cli::RowState::failed;
        if (side->row.error.empty()) side->row.error = error.what();
      }
    }
  }

  void write() {
    const core::Status status = core::write_file_atomically(options_["--json"], cli::to_json(report_), 0644);
    if (!status.ok()) throw Failure(ExitCode::kFailed, status.error().message, status.error().remedy);
  }

  const Options& options_;
  cli::CaseLibrary library_;
  cli::InstanceHandle instance_;
  bool timed_ = true;  // not on an emulated device, whose results are checked only
  bsc_device* device_ = nullptr;
  cli::PackageHandle package_;
  PeerCard card_;
  Blas blas_;
  cli::Report report_;
};

int run_program(int count, char** words) {
  try {
    const Options options = parse(count, words);
    return static_cast<int>(Comparison(options).run());
  } catch (const Failure& failure) {
    std::fprintf(stderr, "bascule-gpu-peers: %s\n", failure.what());
    if (!failure.remedy().empty()) std::fprintf(stderr, "  remedy: %s\n", failure.remedy().c_str());
    return static_cast<int>(failure.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bascule-gpu-peers: %s\n", error.what());
  }
  return static_cast<int>(ExitCode::kFailed);
}

}  // namespace
}  // namespace bascule::gpu_run

int main(int count, char** words) { return bascule::gpu_run::run_program(count, words); }
