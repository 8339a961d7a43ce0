// Choice of a variant: which ones a device can run, and why the others cannot.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bascule/plugin.h"
#include "core/base/error.hpp"
#include "core/package/package.hpp"

namespace bascule::core {

struct DeviceCapability {
  std::string name;
  std::int64_t value = 0;
};

// What the choice of a variant and the planning of a launch need to know of a device.
struct DeviceTraits {
  std::string id;            // "cpu:0", for messages
  std::vector<std::string> formats;
  std::string architecture;
  std::string driver_version;
  std::vector<DeviceCapability> capabilities;
  std::uint64_t compute_units = 1;
  std::uint64_t max_block_threads = 0;   // 0 in this and the following: no limit known
  std::uint64_t max_block[3] = {0, 0, 0};
  std::uint64_t max_grid[3] = {0, 0, 0};
  std::uint64_t max_shared_bytes = 0;
  std::uint64_t max_argument_bytes = 0;
  std::uint64_t min_sub_group = 1;
  std::uint64_t max_sub_group = 1;
};

DeviceTraits device_traits(const bsc_plugin_device_info& info, std::string_view id);

// The function's entry, or null. Every field of the table is checked before it is used.
const bsc_host_entry* find_host_entry(const bsc_host_table* table, std::string_view function);

struct VariantScore {
  std::uint64_t score = 0;  // 0: unusable. Else 1000 - index, at least 1.
  std::string reason;       // of score 0: "needs x86-64-v4, the device is x86-64-v3"
};

// One score for each variant, in order. A non-empty `forced` makes all others unusable.
std::vector<VariantScore> score_variants(const Package&, const Kernel&, const DeviceTraits&, std::string_view forced = {});

// Index of the variant to use. BSC_NO_VARIANT lists the reason of each; BSC_NOT_FOUND if `forced` is no variant's name.
Result<std::size_t> choose_variant(const Package&, const Kernel&, const DeviceTraits&, std::string_view forced = {});

// JSON text: contract, device, each variant with score and reason, and the chosen one.
std::string explain_choice(const Package&, const Kernel&, const DeviceTraits&, std::string_view forced = {});

}  // namespace bascule::core
