// Packages of PTX variants, and running them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_kernels/variant_package.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "case_run.hpp"
#include "core/package/pack.hpp"

namespace bascule::test {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json contracts_of(const std::string& folder) {
  std::ifstream file(fs::path(BASCULE_KERNEL_SOURCES) / folder / (folder + ".json"));
  return Json::parse(file);
}

bool is_hand_written(const Json& variant) { return variant.value("format", "") == "ptx" && variant.contains("image"); }

void add_images(std::vector<HandWritten>& list, const std::string& folder) {
  const Json description = contracts_of(folder);
  for (const Json& kernel : description.at("kernels")) {
    for (const Json& variant : kernel.at("variants")) {
      if (!is_hand_written(variant)) continue;
      const std::string image = variant.at("image");
      auto place = std::find_if(list.begin(), list.end(), [&](const HandWritten& one) { return one.folder == folder && one.image == image; });
      if (place == list.end()) place = list.insert(list.end(), {folder, image, {}, {}});
      place->kernels.push_back(kernel.at("name"));
      place->variants.push_back(variant.at("name"));
    }
  }
}

Json on_one_block(Json variant) {
  constexpr std::string_view kPlanned = "device.compute_units * BLOCKS";
  for (Json& launch : variant.at("launches")) {
    for (Json& extent : launch.at("grid")) {
      if (!extent.is_string()) continue;
      std::string text = extent;
      if (const std::size_t at = text.find(kPlanned); at != std::string::npos) text.replace(at, kPlanned.size(), "1");
      extent = text;
    }
  }
  return variant;
}

std::string path_of(const HandWritten& source) { return (fs::path(BASCULE_KERNEL_SOURCES) / source.folder / source.image).string(); }

}  // namespace

std::vector<HandWritten> hand_written() {
  std::vector<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(BASCULE_KERNEL_SOURCES)) {
    const std::string name = entry.path().filename().string();
    if (fs::exists(entry.path() / (name + ".json"))) folders.push_back(name);
  }
  std::sort(folders.begin(), folders.end());
  std::vector<HandWritten> list;
  for (const std::string& folder : folders) add_images(list, folder);
  return list;
}

std::string make_package(const HandWritten& source, const std::string& left_out, Grid grid, const TemporaryDirectory& directory) {
  Json description = contracts_of(source.folder);
  Json kernels = Json::array();
  for (Json& kernel : description.at("kernels")) {
    Json variants = Json::array();
    for (const Json& variant : kernel.at("variants")) {
      if (is_hand_written(variant) && variant.at("image") == source.image) variants.push_back(grid == Grid::one_block ? on_one_block(variant) : variant);
    }
    if (variants.empty()) continue;
    kernel["variants"] = variants;
    kernels.push_back(kernel);
  }
  description["kernels"] = kernels;
  ptx::ExpandOptions options;
  if (!left_out.empty()) options.without.push_back(left_out);
  options.roots.push_back(fs::path(BASCULE_KERNEL_SOURCES).parent_path().string());
  directory.write(source.image, ptx::expand_file(path_of(source), options).text);
  const std::string name = source.folder + "-" + left_out + (grid == Grid::one_block ? "-1" : "") + ".bpkg";
  const core::Status packed = core::pack_to_file({directory.write(source.folder + ".json", description.dump())}, directory / name);
  if (!packed.ok()) throw std::runtime_error(packed.error().message);
  return directory / name;
}

std::vector<ptx::Mark> marks_of(const HandWritten& source) { return ptx::expand_file(path_of(source), {}).marks; }

cli::InstanceHandle open_sanitized(std::uint64_t order) {
  cli::CommonOptions options;
  options.backends = "cpu";
  options.settings = {"backend.cpu.sanitize=true", "backend.cpu.seed=" + std::to_string(order >> 1), "backend.cpu.watchdog=20s"};
  return cli::open_instance(options);
}

std::vector<const bsc_case*> cases_of(const HandWritten& source, const cli::CaseLibrary& library, std::uint64_t max_bytes, std::vector<std::string>& left_out) {
  std::vector<const bsc_case*> cases;
  for (const bsc_case* description : library.cases("selftest", 1ull << 30, 2e9)) {
    if (std::find(source.kernels.begin(), source.kernels.end(), description->kernel) == source.kernels.end()) continue;
    if (description->device_bytes > max_bytes || cli::lane_operations(*description) > cli::kEmulatedLaneOperations) left_out.push_back(description->label);
    else cases.push_back(description);
  }
  std::sort(cases.begin(), cases.end(), [](const bsc_case* a, const bsc_case* b) {
    return std::pair(a->device_bytes, std::string_view(a->label)) < std::pair(b->device_bytes, std::string_view(b->label));
  });
  return cases;
}

std::string run_case(bsc_device* device, bsc_package* package, const HandWritten& source, const bsc_case& description, std::uint64_t seed,
                     std::uint64_t placement) {
  const auto place = std::find(source.kernels.begin(), source.kernels.end(), description.kernel);
  const std::string& variant = source.variants[static_cast<std::size_t>(place - source.kernels.begin())];
  try {
    const cli::CaseDataHandle data = cli::make_case_data(description, seed);
    cli::CaseRun run(device, package, description, data.get(), 1, variant, placement);
    const cli::CheckResult check = run.check();
    return check.pass ? "" : check.message.empty() ? "wrong" : check.message;
  } catch (const cli::Failure& failure) {
    return failure.what();
  }
}

}  // namespace bascule::test
