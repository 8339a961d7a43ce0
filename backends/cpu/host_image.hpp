// Images of the format "host": the table of functions, and the shared object that may hold it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>
#include <bascule/plugin.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bascule::cpu {

/// A shared object opened from memory; closed when this is destroyed.
class LoadedLibrary {
 public:
  LoadedLibrary() noexcept = default;
  LoadedLibrary(LoadedLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  LoadedLibrary& operator=(LoadedLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~LoadedLibrary();

  /// Checks that `image` is a whole ELF shared object for this machine before the system's loader sees it, since that trusts
  /// what it reads. What the image's code does is the image's: a host kernel is native code and is trusted like any library.
  bsc_status open(std::span<const std::byte> image, std::string_view name, bsc_plugin_error* error);
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  void* handle_ = nullptr;
};

/// Whether the bytes are an ELF shared object for this processor with every segment inside them; else why not.
[[nodiscard]] bool is_loadable_elf(std::span<const std::byte> image, std::string& why_not);

/// Checks a table and copies its entries, fields that its builder did not know as zero.
bsc_status read_host_table(const bsc_host_table* table, std::string_view name, std::vector<bsc_host_entry>& entries,
                           bsc_plugin_error* error);

}  // namespace bascule::cpu
