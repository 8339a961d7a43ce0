// Type-stable storage for handles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/object.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace bascule::backend {
namespace {

struct HandleStore {
  std::mutex mutex;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<void*>> freed;  // by size and alignment, oldest first
};

// Never destroyed: handles may be released while the process exits.
HandleStore& store() {
  static auto* const instance = new HandleStore;
  return *instance;
}

}  // namespace

void* allocate_handle_storage(std::size_t bytes, std::size_t alignment) {
  HandleStore& handles = store();
  {
    const std::lock_guard lock(handles.mutex);
    auto& freed = handles.freed[{bytes, alignment}];
    if (freed.size() > kHandleQuarantine) {
      void* const storage = freed.front();
      freed.pop_front();
      return storage;
    }
  }
  return ::operator new(bytes, std::align_val_t{alignment});
}

void free_handle_storage(void* storage, std::size_t bytes, std::size_t alignment) noexcept {
  // The object is gone; a new one takes its place that says so. (A store in the destructor could be optimised away.)
  ::new (storage) bsc_plugin_object{nullptr, 0, 0};
  HandleStore& handles = store();
  try {
    const std::lock_guard lock(handles.mutex);
    handles.freed[{bytes, alignment}].push_back(storage);
  } catch (...) {
    // Out of memory: the block stays readable and is not used again.
  }
}

const char* object_kind_name(std::uint32_t kind) {
  switch (kind) {
    case BSC_OBJECT_INSTANCE: return "instance";
    case BSC_OBJECT_DEVICE: return "device";
    case BSC_OBJECT_MEMORY: return "memory";
    case BSC_OBJECT_QUEUE: return "queue";
    case BSC_OBJECT_MODULE: return "module";
    case BSC_OBJECT_FUNCTION: return "function";
    case BSC_OBJECT_GRAPH: return "graph";
    default: return "unknown";
  }
}

}  // namespace bascule::backend
