// `bascule check`: each image of a package that a device here can run, under the engine's sanitizer, against a reference.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "check/compare.hpp"
#include "check/inputs.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "core/base/text.hpp"
#include "core/package/package.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;
using check::Inputs;
using check::Value;

// What became of one image of one kernel.
struct Result {
  std::string kernel, image, format, compared_with;
  std::string skipped;  // why it was not run
  std::string failure;  // the first one
  std::string where;    // sizes and seed of it
  std::uint64_t cases = 0;
  bool verified = false;
};

std::shared_ptr<const core::Package> load(const std::string& file) {
  auto package = core::Package::load_file(file);
  if (!package.ok()) {
    const std::string& remedy = package.error().remedy;
    throw Failure(ExitCode::kUsage, package.error().message, remedy.empty() ? "give the path of a package file that `bascule pack` wrote" : remedy);
  }
  return std::move(*package);
}

// A device whose engine checks and runs warps in the order that `seed` gives.
class Session {
 public:
  Session(const CommonOptions& common, const CheckOptions& options, std::uint64_t seed) {
    CommonOptions mine = common;
    if (mine.backends.empty() && mine.device.empty()) mine.backends = "cpu";
    if (mine.backends == "cpu" || mine.device.starts_with("cpu")) {
      mine.settings.insert(mine.settings.begin(), {"backend.cpu.sanitize=true", "backend.cpu.seed=" + std::to_string(seed >> 1),
                                                   "backend.cpu.watchdog=" + options.time_limit});
    }
    instance_ = open_instance(mine);
    package_ = make<PackageHandle>(
        [&](auto** out, auto** error) { return bsc_package_load_file(instance_.get(), options.package.c_str(), out, error); });
  }
  bsc_device* device() const { return bsc_instance_default_device(instance_.get()); }
  bsc_package* package() const { return package_.get(); }

  // Scores and reasons of a kernel's variants, in order.
  Json variants(const std::string& kernel) const {
    return Json::parse(make_text([&](char** out, bsc_error** error) {
             return bsc_kernel_explain(device(), package(), kernel.c_str(), out, error);
           })).at("variants");
  }

  // The parameters' values afterwards. Throws Failure with the engine's findings.
  std::vector<Value> run(const core::Contract& contract, const std::string& variant, const Inputs& inputs) const {
    const KernelHandle kernel = make<KernelHandle>([&](auto** out, auto** error) {
      return bsc_kernel_create(device(), package(), contract.name.c_str(), variant.c_str(), out, error);
    });
    const QueueHandle queue = make<QueueHandle>([&](auto** out, auto** error) { return bsc_queue_create(device(), nullptr, out, error); });
    std::vector<BufferHandle> buffers;
    std::vector<bsc_argument> arguments;
    for (std::size_t i = 0; i < inputs.values.size(); ++i) {
      const Value& value = inputs.values[i];
      if (contract.parameters[i].kind == core::ParameterKind::scalar) {
        buffers.push_back(nullptr);
        arguments.push_back({BSC_ARG_VALUE, 0, value.bytes.data(), value.bytes.size(), nullptr, 0});
        continue;
      }
      buffers.push_back(make<BufferHandle>([&](auto** out, auto** error) {
        return bsc_buffer_create(device(), value.bytes.size(), BSC_BUFFER_DEVICE, out, error);
      }));
      if (!value.bytes.empty()) {
        require([&](bsc_error** error) { return bsc_queue_upload(queue.get(), buffers[i].get(), 0, value.bytes.data(), value.bytes.size(), error); });
      }
      arguments.push_back({BSC_ARG_BUFFER, static_cast<std::uint32_t>(core::element_bytes(contract.parameters[i].type)), nullptr, value.bytes.size(), buffers[i].get(), 0});
    }
    bsc_launch_options launch = {};
    launch.size = sizeof launch;
    launch.work_items = inputs.work_items;
    launch.has_work_items = 1;
    require([&](bsc_error** error) { return bsc_queue_launch(queue.get(), kernel.get(), &launch, arguments.size(), arguments.data(), nullptr, error); });
    require([&](bsc_error** error) { return bsc_queue_wait(queue.get(), BSC_FOREVER, error); });
    return read_back(contract, inputs, queue.get(), buffers);
  }

 private:
  static std::vector<Value> read_back(const core::Contract& contract, const Inputs& inputs, bsc_queue* queue, const std::vector<BufferHandle>& buffers) {
    std::vector<Value> results = inputs.values;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (contract.parameters[i].kind == core::ParameterKind::scalar || results[i].bytes.empty()) continue;
      require([&](bsc_error** error) { return bsc_queue_read(queue, buffers[i].get(), 0, results[i].bytes.data(), results[i].bytes.size(), nullptr, error); });
    }
    require([&](bsc_error** error) { return bsc_queue_wait(queue, BSC_FOREVER, error); });
    return results;
  }

  InstanceHandle instance_;
  PackageHandle package_;
};

// The variants of one kernel, and which of them the others are compared with.
class KernelCheck {
 public:
  KernelCheck(const core::Kernel& kernel, const Session& session, const std::string& only) : kernel_(kernel) {
    std::size_t index = 0;
    for (const Json& variant : session.variants(kernel.contract.name)) {
      const core::Variant& described = kernel.variants[index++];
      Result result{kernel.contract.name, described.name, described.format, "", "", "", "", 0, false};
      const bool usable = variant.at("score").get<double>() > 0;
      if (described.variant_class == "reference") {
        if (reference_.empty()) reference_ = described.name;
        continue;
      }
      if (!usable) result.skipped = variant.value("reason", "");
      if (usable && !only.empty() && described.name != only) result.skipped = "not asked for";
      if (usable && described.name != only && second_.empty() && !only.empty()) second_ = described.name;
      results_.push_back(result);
    }
    choose_opinion();
  }

  void run(const Session& session, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (const std::uint64_t size : check::sizes()) run_size(session, size, false, seed, random);
    if (check::allows_special(kernel_.contract)) run_size(session, 257, true, seed, random);
    if (cases_ == 0) {
      for (Result& result : results_) {
        if (result.skipped.empty() && result.failure.empty()) result.skipped = "no arguments satisfy its contract: " + reason_;
      }
    }
  }

  const std::vector<Result>& results() const { return results_; }

 private:
  // A reference, else the first other usable variant; every other one is compared with it.
  void choose_opinion() {
    if (!reference_.empty()) opinion_ = reference_;
    else if (!second_.empty()) opinion_ = second_;
    else {
      const auto usable = [](const Result& result) { return result.skipped.empty(); };
      if (std::count_if(results_.begin(), results_.end(), usable) > 1) opinion_ = std::find_if(results_.begin(), results_.end(), usable)->image;
    }
    for (Result& result : results_) {
      if (result.skipped.empty()) result.compared_with = opinion_;
    }
  }

  void run_size(const Session& session, std::uint64_t size, bool special, std::uint64_t seed, std::mt19937_64& random) {
    const std::optional<Inputs> inputs = check::make_inputs(kernel_.contract, size, special, random, reason_);
    if (!inputs) return;
    ++cases_;
    const std::string where = inputs->label + ", seed " + std::to_string(seed);
    std::vector<Value> expected;
    std::string opinion_failure;
    if (!opinion_.empty()) {
      try {
        expected = session.run(kernel_.contract, opinion_, *inputs);
      } catch (const Failure& failure) {
        opinion_failure = failure.what();
      }
    }
    for (Result& result : results_) {
      if (!result.skipped.empty() || !result.failure.empty()) continue;
      ++result.cases;
      result.failure = result.image == opinion_ ? opinion_failure : outcome(session, result, *inputs, expected, opinion_failure);
      if (!result.failure.empty()) result.where = where;
    }
  }

  std::string outcome(const Session& session, Result& result, const Inputs& inputs, const std::vector<Value>& expected, const std::string& opinion_failure) const {
    std::vector<Value> got;
    try {
      got = session.run(kernel_.contract, result.image, inputs);
    } catch (const Failure& failure) {
      return failure.what();
    }
    if (opinion_.empty()) return {};
    if (!opinion_failure.empty()) return "its second opinion, " + opinion_ + ", failed: " + opinion_failure;
    const std::string difference = check::compare(kernel_.contract, got, expected);
    result.verified = true;
    return difference.empty() ? "" : difference + " (" + opinion_ + ")";
  }

  const core::Kernel& kernel_;
  std::vector<Result> results_;
  std::string reference_, second_, opinion_, reason_;
  std::uint64_t cases_ = 0;
};

const char* verdict(const Result& result) {
  if (!result.skipped.empty()) return "not run";
  if (!result.failure.empty()) return "FAILED";
  if (result.verified || result.image == result.compared_with) return "ok";
  return "UNVERIFIED";
}

void print(const Result& result) {
  std::printf("%-10s %s: %s (%s)", verdict(result), result.kernel.c_str(), result.image.c_str(), result.format.c_str());
  if (!result.skipped.empty()) {
    std::printf(": %s\n", printable(result.skipped).c_str());
    return;
  }
  std::printf(", %llu cases", static_cast<unsigned long long>(result.cases));
  if (!result.compared_with.empty() && result.compared_with != result.image) std::printf(", compared with %s", result.compared_with.c_str());
  if (result.compared_with.empty() && result.failure.empty()) std::printf("; there is nothing to compare with: add a REFERENCE");
  std::printf("\n");
  if (!result.failure.empty()) std::printf("           %s\n           %s\n", printable(result.where).c_str(), printable_lines(result.failure).c_str());
}

Json to_json(const Result& result) {
  return {{"kernel", result.kernel},   {"image", result.image}, {"format", result.format}, {"verdict", verdict(result)},
          {"compared_with", result.compared_with}, {"cases", result.cases}, {"failure", result.failure}, {"where", result.where},
          {"skipped", result.skipped}};
}

void require_image(const core::Package& package, const std::string& kernel_name, const std::string& image) {
  std::vector<std::string> names;
  for (const core::Kernel& kernel : package.kernels()) {
    if (!kernel_name.empty() && kernel.contract.name != kernel_name) continue;
    for (const core::Variant& variant : kernel.variants) {
      if (variant.name == image) return;
      names.push_back(variant.name);
    }
  }
  throw Failure(ExitCode::kUsage, "no image is named " + core::quoted(image) + core::suggestion(image, names), "name one that `bascule explain PACKAGE` lists");
}

std::uint64_t first_seed(std::uint64_t given) {
  if (given != 0) return given;
  std::random_device entropy;
  return (std::uint64_t{entropy()} << 31 | entropy()) | 1;
}

}  // namespace

ExitCode run_check(const CommonOptions& common, const CheckOptions& options) {
  const auto package = load(options.package);
  if (!options.kernel.empty() && package->find(options.kernel) == nullptr) {
    const auto missing = package->require(options.kernel);
    throw Failure(ExitCode::kUsage, missing.error().message, missing.error().remedy);
  }
  if (!options.variant.empty()) require_image(*package, options.kernel, options.variant);
  const std::uint64_t seed = first_seed(options.seed);
  std::vector<KernelCheck> checks;
  {
    const Session session(common, options, seed);
    for (const core::Kernel& kernel : package->kernels()) {
      if (options.kernel.empty() || kernel.contract.name == options.kernel) checks.emplace_back(kernel, session, options.variant);
    }
  }
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    const Session session(common, options, seed + 2 * i);
    for (KernelCheck& kernel : checks) kernel.run(session, seed + 2 * i);
  }

  std::uint64_t failed = 0, unverified = 0, passed = 0, skipped = 0;
  Json rows = Json::array();
  for (const KernelCheck& kernel : checks) {
    for (const Result& result : kernel.results()) {
      const std::string word = verdict(result);
      ++(word == "FAILED" ? failed : word == "UNVERIFIED" ? unverified : word == "ok" ? passed : skipped);
      common.json ? rows.push_back(to_json(result)) : print(result);
    }
  }
  if (common.json) {
    const Json all = {{"package", options.package}, {"seed", seed}, {"seeds", options.seeds}, {"ok", passed}, {"failed", failed},
                      {"unverified", unverified}, {"not_run", skipped}, {"images", rows}};
    std::printf("%s\n", all.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    std::printf("%llu ok, %llu failed, %llu unverified, %llu not run; seeds from %llu on\n", static_cast<unsigned long long>(passed),
                static_cast<unsigned long long>(failed), static_cast<unsigned long long>(unverified), static_cast<unsigned long long>(skipped),
                static_cast<unsigned long long>(seed));
  }
  if (failed != 0) return ExitCode::kWrongResult;
  return unverified != 0 || passed == 0 ? ExitCode::kUnverified : ExitCode::kSuccess;
}

}  // namespace bascule::cli
