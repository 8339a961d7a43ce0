// Base of everything that a public handle points to: an intrusive reference count, and a magic number that tells a
// foreign pointer or a handle of another kind from a real one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/base/error.hpp"

namespace bascule::core {

// Random-looking, so that neither zeroed memory nor text passes for a handle. The low byte is the kind.
enum class ObjectKind : std::uint32_t {
  kInstance = 0xb5c10001u,
  kDevice = 0xb5c10002u,
  kBuffer = 0xb5c10003u,
  kQueue = 0xb5c10004u,
  kEvent = 0xb5c10005u,
  kGraph = 0xb5c10006u,
  kPackage = 0xb5c10007u,
  kKernel = 0xb5c10008u,
  kModule = 0xb5c10009u,
};

class Object {
 public:
  explicit Object(ObjectKind kind) : magic_(static_cast<std::uint32_t>(kind)) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  bool is(ObjectKind kind) const noexcept {
    return magic_.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(kind);
  }

 protected:
  // The store is atomic so that the compiler keeps it: a released handle is then recognised as long as its memory has
  // not been given to something else.
  virtual ~Object() { magic_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> magic_;
  std::atomic<std::uint32_t> references_{1};
};

// Owns one reference.
template <class T>
class Ref {
 public:
  Ref() = default;
  // Takes over a reference that the caller owns, such as the first one of a new object.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  static Ref share(T* object) noexcept {
    if (object) object->retain();
    return adopt(object);
  }
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  // Gives the reference to the caller.
  T* detach() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

template <class T, class... Arguments>
Ref<T> make_ref(Arguments&&... arguments) {
  return Ref<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

// The error for a handle that is_handle() refused.
Error handle_error(const void* handle, const char* parameter);

template <class T>
bool is_handle(const T* handle) noexcept {
  return handle != nullptr && handle->is(T::kKind);
}

// Returns from the calling function with an error that names the parameter.
#define BSC_CHECK_HANDLE(handle)                                                                    \
  do {                                                                                              \
    if (!::bascule::core::is_handle(handle)) return ::bascule::core::handle_error(handle, #handle); \
  } while (false)

}  // namespace bascule::core
