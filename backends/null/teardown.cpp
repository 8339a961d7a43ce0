// Ending what is left in an instance.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/teardown.hpp"

#include <algorithm>

namespace bascule::null_backend {
namespace {

template <class T>
void delete_all(std::unordered_set<T*>& objects) {
  for (T* const item : objects) delete item;
  objects.clear();
}

}  // namespace

void wait_until_empty(Queue& queue) {
  Time end = 0;
  {
    const std::lock_guard lock(queue.mutex);
    end = queue.timeline.last_end;
  }
  if (!queue.device.lost()) sleep_until(std::min(end, queue.device.lost_at.load()));
}

void wait_for_all_queues(Instance& instance) {
  for (Queue* const queue : instance.queues) wait_until_empty(*queue);
}

void free_all_children(Instance& instance) {
  delete_all(instance.graphs);
  delete_all(instance.queues);
  delete_all(instance.modules);
  delete_all(instance.memories);
}

}  // namespace bascule::null_backend
