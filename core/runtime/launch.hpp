// From a call of bsc_queue_launch to plugin commands: argument checks, the plan or the raw layout.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "bascule/bascule.h"
#include "core/base/error.hpp"
#include "core/runtime/kernel.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/storage.hpp"

namespace bascule::core {

struct PreparedLaunch {
  std::span<const bsc_plugin_command> commands;  // in the storage; none: an empty launch
  std::unique_ptr<Memory> workspace;             // pooled; null if the plan needs none
};

// Checks and lays out one launch. `timeline` is that of the queue it will run on (its pool memory may be reused), NULL
// for a graph. The commands point into `storage` and stay valid until its next use.
Status prepare_launch(bsc_kernel& kernel, bsc_device& device, const bsc_launch_options* options,
                      std::span<const bsc_argument> arguments, const Timeline* timeline, CommandStorage& storage,
                      PreparedLaunch& out);

// For errors: "kernel axpb_f32, variant host_v3".
std::string launch_name(const bsc_kernel& kernel);

}  // namespace bascule::core
