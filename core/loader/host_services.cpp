// HostServices: see host_services.hpp. No exception leaves a function that a plugin calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/host_services.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "core/base/version.hpp"
#include "core/platform/cpu.hpp"

namespace bascule::core {
namespace {

std::string_view view(const char* text) { return text == nullptr ? std::string_view{} : std::string_view(text); }

// A plugin's struct may be shorter than ours (fields beyond it are zero) or longer.
bsc_plugin_cache_key read_key(const bsc_plugin_cache_key* key) {
  bsc_plugin_cache_key copy{};
  std::memcpy(&copy, key, std::min<std::size_t>(key->header.size, sizeof copy));
  return copy;
}

bool is_usable(const bsc_plugin_cache_key* key) {
  return key != nullptr && key->header.size >= sizeof(bsc_struct) && key->header.type == BSC_STRUCT_CACHE_KEY;
}

void* allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t least = std::max<std::uint64_t>(alignment, alignof(std::max_align_t));
  if ((alignment != 0 && !std::has_single_bit(alignment)) || bytes > UINT64_MAX - least) return nullptr;
  // aligned_alloc wants a multiple of the alignment; and 0 bytes is a valid block too.
  return std::aligned_alloc(least, std::max<std::uint64_t>((bytes + least - 1) / least * least, least));
}

}  // namespace

Hash128 cache_key_hash(const bsc_plugin_cache_key& key) {
  static const std::string processor = cpu_description();
  Hasher hasher;
  hasher.add(std::string_view(kVersion))
      .add(std::uint64_t{BSC_PLUGIN_ABI_MAJOR})
      .add(std::uint64_t{BSC_PLUGIN_ABI_MINOR});
  hasher.add(processor).add(key.image, key.image == nullptr ? 0 : key.image_bytes);
  hasher.add(view(key.options)).add(view(key.plugin_build)).add(view(key.driver_version)).add(view(key.architecture));
  return hasher.finish();
}

HostServices::HostServices(std::string backend, const Log& log, CacheStore* cache)
    : backend_(std::move(backend)), log_(log), cache_(cache), table_{} {
  table_.header = {sizeof table_, BSC_STRUCT_HOST_SERVICES, nullptr};
  table_.context = this;
  table_.log = [](void* context, uint32_t level, const char* message) {
    try {
      const auto* self = static_cast<const HostServices*>(context);
      const auto known = static_cast<LogLevel>(std::min<uint32_t>(level, BSC_LOG_ERROR));
      self->log_.write(known, self->backend_ + ": " + std::string(view(message)));
    } catch (...) {  // out of memory: a message is lost
    }
  };
  table_.allocate = [](void*, uint64_t bytes, uint64_t alignment) { return core::allocate(bytes, alignment); };
  table_.deallocate = [](void*, void* pointer) { std::free(pointer); };
  table_.cache_get = [](void* context, const bsc_plugin_cache_key* key, void** out_data,
                        uint64_t* out_bytes) -> bsc_status {
    try {
      auto* self = static_cast<HostServices*>(context);
      if (!is_usable(key) || out_data == nullptr || out_bytes == nullptr) return BSC_INVALID_ARGUMENT;
      if (self->cache_ == nullptr) return BSC_NOT_FOUND;
      const auto found = self->cache_->get(cache_key_hash(read_key(key)));
      if (!found) return BSC_NOT_FOUND;
      void* const data = core::allocate(found->size(), 0);
      if (data == nullptr) return BSC_NOT_FOUND;
      std::copy(found->begin(), found->end(), static_cast<std::byte*>(data));
      *out_data = data;
      *out_bytes = found->size();
      return BSC_OK;
    } catch (...) {
      return BSC_NOT_FOUND;
    }
  };
  table_.cache_put = [](void* context, const bsc_plugin_cache_key* key, const void* data, uint64_t bytes) {
    try {
      auto* self = static_cast<HostServices*>(context);
      if (self->cache_ == nullptr || !is_usable(key) || (data == nullptr && bytes != 0)) return;
      self->cache_->put(cache_key_hash(read_key(key)), {static_cast<const std::byte*>(data), bytes});
    } catch (...) {  // out of memory: not kept
    }
  };
}

}  // namespace bascule::core
