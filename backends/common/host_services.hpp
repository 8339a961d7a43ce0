// The host's services as a plugin uses them: logging with a format, host memory and the JIT cache as owned values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bascule::backend {

// What identifies a compiled image besides what the host adds itself.
struct CacheKey {
  std::span<const std::byte> image;
  std::string options;
  std::string plugin_build;
  std::string driver_version;
  std::string architecture;
};

// A copy of the table; valid until the instance is closed. Every function is optional for the host.
class HostServices {
 public:
  HostServices() = default;
  explicit HostServices(const bsc_host_services* services);

  template <class... Arguments>
  void log(std::uint32_t level, fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    if (services_.log == nullptr) return;
    write_log(level, fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  std::optional<std::vector<std::byte>> cache_get(const CacheKey& key) const;
  void cache_put(const CacheKey& key, std::span<const std::byte> data) const;

  // To be handed on; valid as long as the instance is.
  const bsc_host_services& table() const { return services_; }

  // Host memory; nullptr when out of memory. Falls back to the C++ allocator where the host offers none.
  void* allocate(std::uint64_t bytes, std::uint64_t alignment) const noexcept;
  void deallocate(void* pointer) const noexcept;

 private:
  void write_log(std::uint32_t level, const std::string& message) const;

  bsc_host_services services_ = {};
};

}  // namespace bascule::backend
