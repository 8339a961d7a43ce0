// A loaded package: checked contracts, variants and images. Immutable, so any number of threads may read it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bascule/host_kernel.h"
#include "core/base/error.hpp"
#include "core/package/variant.hpp"

namespace bascule::core {

class Package {
 public:
  // Copies `data` and checks everything: container, hashes, metadata, names, expressions. `origin` (a path, or "memory")
  // stands in errors. Functions of `host_table` are looked at when a variant is chosen, not here; it must outlive the
  // package and may be null.
  static Result<std::shared_ptr<const Package>> load(std::span<const std::byte> data, const bsc_host_table* host_table,
                                                     std::string_view origin);
  static Result<std::shared_ptr<const Package>> load_file(const std::string& path);

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  // Null if there is none.
  const Kernel* find(std::string_view kernel) const;
  // BSC_NOT_FOUND with the names there are.
  Result<const Kernel*> require(std::string_view kernel) const;

  std::span<const std::byte> image(std::uint32_t index) const { return images_[index]; }
  const bsc_host_table* host_table() const { return host_table_; }
  // The whole package as JSON text: contracts, variants, plans, hashes and image sizes.
  std::string describe() const;

 private:
  Package() = default;

  std::string name_;
  std::string version_;
  std::vector<Kernel> kernels_;
  std::vector<std::byte> storage_;
  std::vector<std::span<const std::byte>> images_;
  const bsc_host_table* host_table_ = nullptr;
};

}  // namespace bascule::core
