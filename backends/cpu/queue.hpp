// Queues of the cpu device: the executor's, behind a handle.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "backends/common/object.hpp"
#include "backends/cpu/device.hpp"
#include "backends/cpu/executor/work_queue.hpp"

namespace bascule::cpu {

struct Queue : backend::Object<Queue, BSC_OBJECT_QUEUE> {
  Queue(Device& owner, std::shared_ptr<WorkQueue> executor_queue);

  // Waits for its work.
  bsc_status close(bsc_plugin_error* error);

  Device& device;
  const std::shared_ptr<WorkQueue> work;
};

}  // namespace bascule::cpu
