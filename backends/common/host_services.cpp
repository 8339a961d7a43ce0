// Calls into the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/host_services.hpp"

#include <cstdlib>
#include <cstring>

#include "backends/common/struct_access.hpp"

namespace bascule::backend {
namespace {

bsc_plugin_cache_key make_key(const CacheKey& key) {
  bsc_plugin_cache_key result = {};
  result.header = {sizeof result, BSC_STRUCT_CACHE_KEY, nullptr};
  result.image = key.image.data();
  result.image_bytes = key.image.size();
  result.options = key.options.c_str();
  result.plugin_build = key.plugin_build.c_str();
  result.driver_version = key.driver_version.c_str();
  result.architecture = key.architecture.c_str();
  return result;
}

}  // namespace

HostServices::HostServices(const bsc_host_services* services) {
  if (services != nullptr) services_ = read_struct(services);
}

void HostServices::write_log(std::uint32_t level, const std::string& message) const {
  services_.log(services_.context, level, message.c_str());
}

std::optional<std::vector<std::byte>> HostServices::cache_get(const CacheKey& key) const {
  if (services_.cache_get == nullptr || services_.deallocate == nullptr) return std::nullopt;
  const bsc_plugin_cache_key description = make_key(key);
  void* data = nullptr;
  std::uint64_t bytes = 0;
  if (services_.cache_get(services_.context, &description, &data, &bytes) != BSC_OK) return std::nullopt;
  const auto* const first = static_cast<const std::byte*>(data);
  std::vector<std::byte> copy;
  if (first != nullptr) copy.assign(first, first + bytes);
  services_.deallocate(services_.context, data);
  return copy;
}

void HostServices::cache_put(const CacheKey& key, std::span<const std::byte> data) const {
  if (services_.cache_put == nullptr) return;
  const bsc_plugin_cache_key description = make_key(key);
  services_.cache_put(services_.context, &description, data.data(), data.size());
}

void* HostServices::allocate(std::uint64_t bytes, std::uint64_t alignment) const noexcept {
  if (services_.allocate != nullptr && services_.deallocate != nullptr) {
    return services_.allocate(services_.context, bytes, alignment);
  }
  void* pointer = nullptr;
  return posix_memalign(&pointer, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) == 0 ? pointer : nullptr;
}

void HostServices::deallocate(void* pointer) const noexcept {
  if (services_.allocate != nullptr && services_.deallocate != nullptr) {
    services_.deallocate(services_.context, pointer);
    return;
  }
  std::free(pointer);
}

}  // namespace bascule::backend
