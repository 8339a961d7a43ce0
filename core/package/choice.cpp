// Scoring variants. Each check answers with the reason why not, or with nothing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/choice.hpp"

#include <algorithm>
#include <cstring>

#include "core/package/argument_layout.hpp"
#include "core/package/concat.hpp"
#include "core/package/ptx_version.hpp"

namespace bascule::core {
namespace {

constexpr std::string_view kPtxTarget = "ptx_target";
constexpr std::string_view kPtxVersion = "ptx_version";

std::string check_format(const Variant& variant, const DeviceTraits& device) {
  if (std::find(device.formats.begin(), device.formats.end(), variant.format) != device.formats.end()) return {};
  std::string formats;
  for (const std::string& format : device.formats) formats += concat(formats.empty() ? "" : ", ", format);
  return concat("needs image format ", variant.format, ", the device takes ", formats.empty() ? "none" : formats);
}

// 2 of "x86-64-v2"; 0 if it is no such level.
int cpu_level(std::string_view target) {
  constexpr std::string_view kPrefix = "x86-64-v";
  if (target == "x86-64") return 1;
  if (target.size() != kPrefix.size() + 1 || !target.starts_with(kPrefix)) return 0;
  const char digit = target.back();
  return digit >= '1' && digit <= '9' ? digit - '0' : 0;
}

// 90 of "sm_90"; 0 if there is a suffix (sm_90a runs on sm_90a alone) or it is no such name.
int cuda_level(std::string_view target) {
  if (!target.starts_with("sm_") || target.size() < 5 || target.size() > 7) return 0;
  int level = 0;
  for (const char c : target.substr(3)) {
    if (c < '0' || c > '9') return 0;
    level = level * 10 + (c - '0');
  }
  return level;
}

// A device sm_90a runs code for sm_90.
int cuda_device_level(std::string_view architecture) {
  while (!architecture.empty() && architecture.back() >= 'a' && architecture.back() <= 'z') architecture.remove_suffix(1);
  return cuda_level(architecture);
}

// A CPU that executes PTX states up to which target, in a capability; what only that one target has (sm_90a) counts too.
std::string check_engine(std::string_view target, const DeviceTraits& device) {
  const auto named = [](const DeviceCapability& capability) { return capability.name == kPtxTarget; };
  const auto limit = std::find_if(device.capabilities.begin(), device.capabilities.end(), named);
  const int compute = cuda_device_level(target);
  if (limit == device.capabilities.end() || compute == 0) return concat("needs ", target, ", the device is ", device.architecture);
  if (compute <= limit->value) return {};
  return concat("needs ", target, ", the device executes PTX up to sm_", limit->value);
}

std::string check_target(const Variant& variant, const DeviceTraits& device) {
  if (variant.target.empty() || variant.target == device.architecture) return {};
  const int level = cpu_level(variant.target);
  if (variant.format == "host" && level != 0 && cpu_level(device.architecture) >= level) return {};
  const int compute = cuda_level(variant.target);
  if (variant.format == "ptx" && compute != 0 && cuda_device_level(device.architecture) >= compute) return {};
  if (variant.format == "ptx" && cpu_level(device.architecture) != 0) return check_engine(variant.target, device);
  // Machine code runs within one major architecture only.
  const int device_compute = cuda_device_level(device.architecture);
  if (variant.format == "cubin" && compute != 0 && device_compute >= compute && device_compute / 10 == compute / 10) return {};
  return concat("needs ", variant.target, ", the device is ", device.architecture.empty() ? "of no known architecture" : device.architecture);
}

std::string need_text(const CapabilityNeed& need) {
  std::string result = concat("needs capability ", need.name);
  if (need.at_least) result += concat(" >= ", *need.at_least);
  if (need.at_most) result += concat(need.at_least ? " and" : "", " <= ", *need.at_most);
  return result;
}

std::string check_capabilities(const Variant& variant, const DeviceTraits& device) {
  for (const CapabilityNeed& need : variant.capabilities) {
    const auto same = [&need](const DeviceCapability& capability) { return capability.name == need.name; };
    const auto found = std::find_if(device.capabilities.begin(), device.capabilities.end(), same);
    if (found == device.capabilities.end()) return concat(need_text(need), ", which the device does not know");
    const bool enough = (!need.at_least || found->value >= *need.at_least) && (!need.at_most || found->value <= *need.at_most);
    if (!enough) return concat(need_text(need), ", the device has ", found->value);
  }
  return {};
}

// Numbers of a version, whatever stands between them: "535.104.05" is 535, 104, 5.
std::vector<std::uint64_t> version_numbers(std::string_view version) {
  std::vector<std::uint64_t> numbers;
  bool inside = false;
  for (const char c : version) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) numbers.push_back(0);
    if (digit && numbers.back() < 1'000'000'000'000) numbers.back() = numbers.back() * 10 + static_cast<std::uint64_t>(c - '0');
    inside = digit;
  }
  return numbers;
}

std::string check_driver(const Variant& variant, const DeviceTraits& device) {
  if (variant.minimum_driver.empty()) return {};
  if (version_numbers(device.driver_version) >= version_numbers(variant.minimum_driver)) return {};
  return concat("needs driver ", variant.minimum_driver, " or newer, the device has ", device.driver_version);
}

// A driver compiles PTX up to a version, which it states; who does not state one (0 or nothing) is not asked.
std::string check_text_version(const Package& package, const Variant& variant, const DeviceTraits& device) {
  if (variant.format != "ptx" || !variant.image) return {};
  const auto named = [](const DeviceCapability& capability) { return capability.name == kPtxVersion; };
  const auto newest = std::find_if(device.capabilities.begin(), device.capabilities.end(), named);
  if (newest == device.capabilities.end() || newest->value == 0) return {};
  const int version = stated_ptx_version(package.image(*variant.image));
  if (version <= newest->value) return {};
  return concat("needs PTX ", version / 10, ".", version % 10, ", the driver compiles up to ", newest->value / 10, ".", newest->value % 10);
}

std::string check_sub_group(const Variant& variant, const DeviceTraits& device) {
  const std::uint64_t width = variant.sub_group;
  if (width == 0 || (width >= device.min_sub_group && width <= device.max_sub_group)) return {};
  return concat("needs sub-groups of ", width, ", the device has ", device.min_sub_group, " to ", device.max_sub_group);
}

std::string check_block(const Launch& launch, const DeviceTraits& device) {
  std::uint64_t threads = 1;
  for (const Expression& size : launch.block) {
    if (!size.is_constant() || __builtin_mul_overflow(threads, size.constant_value(), &threads)) return {};
  }
  if (device.max_block_threads == 0 || threads <= device.max_block_threads) return {};
  return concat("needs blocks of ", threads, " threads, the device allows ", device.max_block_threads);
}

std::string check_host_function(const Package& package, const Contract& contract, const Launch& launch) {
  const bsc_host_entry* entry = find_host_entry(package.host_table(), launch.function);
  if (entry == nullptr) return concat("host function ", launch.function, " is not in this process");
  const std::uint64_t bytes = lay_out_arguments(contract, launch).bytes;
  if (entry->argument_bytes == 0 || entry->argument_bytes == bytes) return {};
  return concat("host function ", launch.function, " expects ", entry->argument_bytes, " bytes of arguments, the plan passes ", bytes);
}

std::string check_launches(const Package& package, const Contract& contract, const Variant& variant, const DeviceTraits& device) {
  for (const Launch& launch : variant.launches) {
    const bool in_process = variant.format == "host" && !variant.image;
    std::string reason = in_process ? check_host_function(package, contract, launch) : std::string();
    if (reason.empty() && variant.format != "host") reason = check_block(launch, device);
    if (!reason.empty()) return reason;
  }
  return {};
}

std::string why_not(const Package& package, const Kernel& kernel, const Variant& variant, const DeviceTraits& device) {
  std::string reason = check_format(variant, device);
  if (reason.empty()) reason = check_target(variant, device);
  if (reason.empty()) reason = check_capabilities(variant, device);
  if (reason.empty()) reason = check_driver(variant, device);
  if (reason.empty()) reason = check_text_version(package, variant, device);
  if (reason.empty()) reason = check_sub_group(variant, device);
  if (reason.empty()) reason = check_launches(package, kernel.contract, variant, device);
  return reason;
}

}  // namespace

DeviceTraits device_traits(const bsc_plugin_device_info& info, std::string_view id) {
  const auto or_empty = [](const char* value) { return std::string(value == nullptr ? "" : value); };
  DeviceTraits traits;
  traits.id = id;
  for (std::uint64_t i = 0; i < info.format_count; ++i) traits.formats.push_back(or_empty(info.formats[i]));
  traits.architecture = or_empty(info.architecture);
  traits.driver_version = or_empty(info.driver_version);
  for (std::uint64_t i = 0; i < info.capability_count; ++i) {
    const auto* bytes = reinterpret_cast<const char*>(info.capabilities) + i * info.capability_stride;
    const auto* capability = reinterpret_cast<const bsc_plugin_capability*>(bytes);
    traits.capabilities.push_back({or_empty(capability->name), capability->value});
  }
  traits.compute_units = info.compute_units;
  traits.max_block_threads = info.max_block_threads;
  for (std::size_t d = 0; d < 3; ++d) {
    traits.max_block[d] = info.max_block[d];
    traits.max_grid[d] = info.max_grid[d];
  }
  traits.max_shared_bytes = info.max_shared_bytes;
  traits.max_argument_bytes = info.max_argument_bytes;
  traits.min_sub_group = info.min_sub_group;
  traits.max_sub_group = info.max_sub_group;
  return traits;
}

const bsc_host_entry* find_host_entry(const bsc_host_table* table, std::string_view function) {
  constexpr std::uint32_t kLeastStride = sizeof(const char*) + sizeof(bsc_host_function);
  if (table == nullptr || table->struct_size < sizeof(bsc_host_table) || table->abi_version != BSC_HOST_ABI_VERSION) return nullptr;
  if (table->entries == nullptr || table->entry_stride < kLeastStride) return nullptr;
  for (std::uint32_t i = 0; i < table->entry_count; ++i) {
    const auto* bytes = reinterpret_cast<const char*>(table->entries) + std::size_t{i} * table->entry_stride;
    const auto* entry = reinterpret_cast<const bsc_host_entry*>(bytes);
    if (entry->name != nullptr && entry->function != nullptr && entry->name == function) return entry;
  }
  return nullptr;
}

std::vector<VariantScore> score_variants(const Package& package, const Kernel& kernel, const DeviceTraits& device,
                                         std::string_view forced) {
  std::vector<VariantScore> scores;
  for (std::size_t i = 0; i < kernel.variants.size(); ++i) {
    VariantScore score;
    score.reason = why_not(package, kernel, kernel.variants[i], device);
    if (!forced.empty() && kernel.variants[i].name != forced) score.reason = concat("variant ", forced, " is forced");
    if (forced.empty() && score.reason.empty() && kernel.variants[i].variant_class == "reference") {
      score.reason = "is the reference, which runs only when it is forced";
    }
    if (score.reason.empty()) score.score = i < 999 ? 1000 - i : 1;
    scores.push_back(std::move(score));
  }
  return scores;
}

Result<std::size_t> choose_variant(const Package& package, const Kernel& kernel, const DeviceTraits& device, std::string_view forced) {
  const auto& variants = kernel.variants;
  const auto is_forced = [forced](const Variant& variant) { return variant.name == forced; };
  if (!forced.empty() && std::none_of(variants.begin(), variants.end(), is_forced)) {
    std::string names;
    for (const Variant& variant : variants) names += concat(names.empty() ? "" : ", ", variant.name);
    return Error{BSC_NOT_FOUND, concat("kernel ", kernel.contract.name, " has no variant \"", forced, "\"; it has ", names),
                 "name one of these, or let the library choose"};
  }
  const std::vector<VariantScore> scores = score_variants(package, kernel, device, forced);
  const auto best = std::max_element(scores.begin(), scores.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  if (best != scores.end() && best->score != 0) return static_cast<std::size_t>(best - scores.begin());
  Error error{BSC_NO_VARIANT, concat("no variant of kernel ", kernel.contract.name, " runs on ", device.id)};
  if (!forced.empty()) error.message = concat("the forced variant ", forced, " of kernel ", kernel.contract.name, " does not run on ", device.id);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (forced.empty() || is_forced(variants[i])) error.message += concat("\n  ", variants[i].name, ": ", scores[i].reason);
  }
  error.remedy = forced.empty() ? "choose another device, or add a variant for this one" : "do not force a variant, or choose another device";
  return error;
}

}  // namespace bascule::core
