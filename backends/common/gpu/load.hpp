// Filling the table of driver functions from an opened library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "backends/common/vendor_library.hpp"
#include "backends/common/gpu/api.hpp"

namespace bascule::gpu {

class SymbolLoader {
 public:
  SymbolLoader(const backend::VendorLibrary& library, std::vector<std::string>& missing) : library_(library), missing_(missing) {}

  template <class Signature>
  void optional(const char* name, Entry<Signature>& entry) const {
    entry.name = name;
    entry.function = reinterpret_cast<typename Entry<Signature>::Function>(library_.symbol(name));
  }
  template <class Signature>
  void required(const char* name, Entry<Signature>& entry) const {
    optional(name, entry);
    if (!entry) missing_.emplace_back(name);
  }

 private:
  const backend::VendorLibrary& library_;
  std::vector<std::string>& missing_;
};

}  // namespace bascule::gpu
