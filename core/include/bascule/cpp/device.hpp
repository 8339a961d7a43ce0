/* Devices. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_DEVICE_HPP
#define BASCULE_CPP_DEVICE_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "queue.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

namespace internal {
/// What a Runtime and its devices share.
struct RuntimeState {
  InstanceHandle instance;
  std::vector<Package> packages;
};
}  // namespace internal

class Device {
 public:
  Device() = default;
  Device(std::shared_ptr<const internal::RuntimeState> state, bsc_device* device)
      : state_(std::move(state)), device_(device) {}

  /// Identity and limits; its texts live as long as the runtime or any object made from it.
  bsc_device_info info() const noexcept {
    bsc_device_info info{};
    info.size = sizeof info;
    bsc_device_get_info(device_, &info);
    return info;
  }
  /// "cpu:0"
  std::string id() const { return device_ ? info().id : ""; }
  std::string name() const { return device_ ? info().name : ""; }
  /// Image formats that it takes, best first.
  std::vector<std::string> formats() const {
    std::vector<std::string> formats;
    while (const char* format = bsc_device_format(device_, formats.size())) formats.emplace_back(format);
    return formats;
  }
  /// Value of a named capability; nothing if the device does not know the name.
  std::optional<std::int64_t> capability(const std::string& name) const {
    std::int64_t value = 0;
    if (bsc_device_capability(device_, name.c_str(), &value, nullptr) != BSC_OK) return std::nullopt;
    return value;
  }

  Outcome<Queue> create_queue(const QueueOptions& options = {}) const {
    bsc_queue_options raw = BSC_QUEUE_OPTIONS_INIT;
    raw.compute_unit_limit = options.compute_unit_limit;
    raw.priority = options.priority;
    raw.profile = options.profile;
    raw.debug_sync = options.debug_sync;
    bsc_queue* queue = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_queue_create(device_, &raw, &queue, &error);
    if (status != BSC_OK) return internal::fail<Queue>(Error(status, error));
    return Queue(queue);
  }

  /// Device memory with undefined contents. count may be 0.
  template <class T>
  Outcome<Buffer<T>> allocate(std::uint64_t count) const {
    return create_buffer<T>(count, BSC_BUFFER_DEVICE);
  }
  /// Pinned host memory: map() works, and copies to and from the device run at full speed.
  template <class T>
  Outcome<Buffer<T>> allocate_host(std::uint64_t count) const {
    return create_buffer<T>(count, BSC_BUFFER_HOST);
  }
  /// A new buffer with the container's elements, for work on `queue` from now on. `data` may go when the call returns.
  template <class Container>
  Outcome<Buffer<internal::ElementOf<const Container>>> upload(const Queue& queue, const Container& data) const {
    using T = internal::ElementOf<const Container>;
    bsc_buffer* buffer = nullptr;
    bsc_error* error = nullptr;
    bsc_status status = bsc_buffer_create(device_, data.size() * sizeof(T), BSC_BUFFER_DEVICE, &buffer, &error);
    if (status != BSC_OK) return internal::fail<Buffer<T>>(Error(status, error));
    Buffer<T> result(buffer, 0, data.size());
    status = bsc_queue_upload(queue.get(), buffer, 0, data.data(), data.size() * sizeof(T), &error);
    if (status != BSC_OK) return internal::fail<Buffer<T>>(Error(status, error));
    return result;
  }

  /// The kernel of that name from the runtime's packages, in the variant that is best here. Compiles at the first call,
  /// later ones are cheap. Errors: NOT_FOUND, NO_VARIANT with the reason of each variant.
  Outcome<Kernel> kernel(const std::string& name, const std::string& variant = {}) const {
    for (const Package& package : state_ ? state_->packages : std::vector<Package>()) {
      if (package.has_kernel(name)) return kernel(package, name, variant);
    }
    std::string names;
    for (const Package& package : state_ ? state_->packages : std::vector<Package>()) {
      for (const std::string& known : package.kernel_names()) names += (names.empty() ? "" : ", ") + known;
    }
    return internal::fail<Kernel>(
        Error(BSC_NOT_FOUND,
              "no loaded package has a kernel \"" + name + "\"; there are: " + (names.empty() ? "none" : names),
              "give the package to Runtime::open, or the Package object to this call"));
  }
  Outcome<Kernel> kernel(const Package& package, const std::string& name, const std::string& variant = {}) const {
    bsc_kernel* kernel = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_kernel_create(device_, package.get(), name.c_str(),
                                                variant.empty() ? nullptr : variant.c_str(), &kernel, &error);
    if (status != BSC_OK) return internal::fail<Kernel>(Error(status, error));
    return Kernel(kernel);
  }
  /// By a generated handle: `queue.launch` then checks arguments when it is compiled.
  template <class... Parameters>
  Outcome<TypedKernel<Parameters...>> kernel(const KernelHandle<Parameters...>& handle, const std::string& variant = {}) const {
    auto found = kernel(std::string(handle.name), variant);
#ifdef BASCULE_NO_EXCEPTIONS
    if (!found) return internal::fail<TypedKernel<Parameters...>>(found.error());
    return TypedKernel<Parameters...>(*found);
#else
    return TypedKernel<Parameters...>(std::move(found));
#endif
  }
  /// JSON: every variant with score and reason. Loads nothing.
  Outcome<std::string> explain(const Package& package, const std::string& name) const {
    char* json = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_kernel_explain(device_, package.get(), name.c_str(), &json, &error);
    if (status != BSC_OK) return internal::fail<std::string>(Error(status, error));
    return internal::take_text(json);
  }

  /// A raw image of one of the device's formats.
  Outcome<Module> load_module(const std::string& format, const void* data, std::uint64_t bytes,
                              const std::string& options = {}) const {
    return load(format, data, bytes, options, nullptr);
  }
  /// Host functions of this program (format "host"); the table must outlive the module.
  Outcome<Module> load_module(const bsc_host_table& table) const { return load("host", nullptr, 0, {}, &table); }

  /// Gives memory that no pool needs now back to the driver; the bytes released.
  Outcome<std::uint64_t> trim_pools() const {
    std::uint64_t released = 0;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_device_trim_pools(device_, &released, &error);
    if (status != BSC_OK) return internal::fail<std::uint64_t>(Error(status, error));
    return released;
  }

  struct MemoryState {
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    bool estimate = false;  ///< the driver does not know `free` exactly
  };
  Outcome<MemoryState> memory() const {
    MemoryState state;
    int estimate = 0;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_device_memory(device_, &state.total, &state.free, &estimate, &error);
    if (status != BSC_OK) return internal::fail<MemoryState>(Error(status, error));
    state.estimate = estimate != 0;
    return state;
  }

  bsc_device* get() const noexcept { return device_; }

 private:
  template <class T>
  Outcome<Buffer<T>> create_buffer(std::uint64_t count, std::uint32_t type) const {
    const auto bytes = internal::bytes_of(count, sizeof(T));
    if (!bytes) return internal::fail<Buffer<T>>(internal::too_many(count, sizeof(T)));
    bsc_buffer* buffer = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_buffer_create(device_, *bytes, type, &buffer, &error);
    if (status != BSC_OK) return internal::fail<Buffer<T>>(Error(status, error));
    return Buffer<T>(buffer, 0, count);
  }
  Outcome<Module> load(const std::string& format, const void* data, std::uint64_t bytes, const std::string& options,
                       const bsc_host_table* table) const {
    bsc_module* module = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status =
        bsc_module_load(device_, format.c_str(), data, bytes, options.c_str(), table, &module, &error);
    if (status != BSC_OK) return internal::fail<Module>(Error(status, error));
    return Module(module);
  }

  std::shared_ptr<const internal::RuntimeState> state_;  // keeps the instance alive
  bsc_device* device_ = nullptr;                         // the instance's
};

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
