// Checking a submission and making the executor's commands of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include "backends/cpu/device.hpp"
#include "backends/cpu/executor/command.hpp"

namespace bascule::cpu {

/// Checks everything; where it fails, nothing has happened.
bsc_status read_commands(const Device& device, const bsc_plugin_submission& submission, CommandList& commands,
                         bsc_plugin_error* error);

/// `bytes` bytes at `offset` of a memory: the address, or why there is none.
bsc_status resolve_range(const Device& device, bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes,
                         std::byte*& out_address, bsc_plugin_error* error);

}  // namespace bascule::cpu
