// What stands behind a plugin's handles: objects whose first member is bsc_plugin_object, in storage that stays readable
// after release, so that a released handle is recognised instead of being a use after free.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bascule::backend {

// Storage for handles. A freed block is never given back to the system; it holds a bsc_plugin_object whose magic is not
// BSC_OBJECT_MAGIC until it is used again, which happens only after kHandleQuarantine later releases.
inline constexpr std::size_t kHandleQuarantine = 256;
void* allocate_handle_storage(std::size_t bytes, std::size_t alignment);
void free_handle_storage(void* storage, std::size_t bytes, std::size_t alignment) noexcept;

// Base of an object of a plugin: `struct Queue : Object<Queue, BSC_OBJECT_QUEUE> { ... }`, made with new or make_unique.
// The handle is the object's address: `bsc_plugin_queue handle = queue;`.
template <class Derived, std::uint32_t kObjectKind>
struct Object : bsc_plugin_object {
  static constexpr std::uint32_t kKind = kObjectKind;

  explicit Object(const bsc_plugin_api* table) : bsc_plugin_object{table, BSC_OBJECT_MAGIC, kObjectKind} {
    static_assert(!std::is_polymorphic_v<Derived>, "a virtual table would come before the handle's first member");
  }
  ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  static void* operator new(std::size_t bytes) { return allocate_handle_storage(bytes, alignof(Derived)); }
  static void operator delete(void* storage, std::size_t bytes) noexcept {
    free_handle_storage(storage, bytes, alignof(Derived));
  }
};

// The object behind a handle, or nullptr when the handle is null, released, of another kind or of another plugin.
template <class T>
T* object_cast(bsc_plugin_object* handle, const bsc_plugin_api* table) {
  if (handle == nullptr || handle->magic != BSC_OBJECT_MAGIC || handle->kind != T::kKind || handle->api != table) {
    return nullptr;
  }
  return static_cast<T*>(handle);
}

const char* object_kind_name(std::uint32_t kind);

}  // namespace bascule::backend
