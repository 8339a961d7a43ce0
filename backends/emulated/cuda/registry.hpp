// Handles that programs hold: a pointer is good only while it stands in the registry of its kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backends/emulated/cuda/call.hpp"

namespace bascule::emulated {

/// Thread-safe.
template <class Object>
class Registry {
 public:
  static Registry& get() {
    static Registry& registry = *new Registry;
    return registry;
  }

  template <class Handle>
  Handle add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    Object* const key = object.get();
    objects_[key] = std::move(object);
    return reinterpret_cast<Handle>(key);
  }

  /// Null for what is no handle of this kind.
  template <class Handle>
  std::shared_ptr<Object> find(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<const void*>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Throws Refusal.
  template <class Handle>
  std::shared_ptr<Object> at(Handle handle, const char* kind, CUresult code = CUDA_ERROR_INVALID_HANDLE) {
    std::shared_ptr<Object> object = find(handle);
    if (object == nullptr) refuse(code, "{} is no {} that is alive", reinterpret_cast<const void*>(handle), kind);
    return object;
  }

  void remove(const Object* object) {
    std::shared_ptr<Object> last;  // destroyed after the lock is released: it may come back here
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(object);
    if (found == objects_.end()) return;
    last = std::move(found->second);
    objects_.erase(found);
  }

  std::vector<std::shared_ptr<Object>> all() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> objects;
    for (const auto& [key, object] : objects_) objects.push_back(object);
    return objects;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<Object>> objects_;
};

}  // namespace bascule::emulated
