// How many processors this process may use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bascule::cpu {

/// Processors in the calling thread's affinity mask, at least 1.
[[nodiscard]] std::uint32_t affinity_processors();

/// The smallest `cpu.max` of the control group at `path` (as in /proc/self/cgroup, "/a/b") and of the groups above it,
/// under `mount` (usually /sys/fs/cgroup), rounded up to whole processors; nothing where none is set.
[[nodiscard]] std::optional<std::uint32_t> control_group_processors(const std::string& mount, const std::string& path);

/// This process's control group (version 2), "/" where there is none.
[[nodiscard]] std::string own_control_group();

/// What a pool uses unless told otherwise: the affinity mask, cut to this process's control group limit.
[[nodiscard]] std::uint32_t usable_processors();

}  // namespace bascule::cpu
