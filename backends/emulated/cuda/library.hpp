// Libraries of kernels (CUlibrary), which belong to no context: a context's module is made when it first needs one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/emulated/cuda/module.hpp"

namespace bascule::emulated {

class Library;

struct LibraryKernel {
  Library& library;
  std::string name;

  /// Its function in the current context. Throws Refusal.
  [[nodiscard]] std::shared_ptr<Function> function() const;
  /// The same in the primary context of a device.
  [[nodiscard]] std::shared_ptr<Function> function(CUdevice device) const;
};

class Library : public std::enable_shared_from_this<Library> {
 public:
  /// Loads it into the context at once, so that what is wrong shows now. Throws Refusal.
  static std::shared_ptr<Library> load(const std::shared_ptr<Context>& context, std::string text, std::string& log);

  std::shared_ptr<Module> module(const std::shared_ptr<Context>& context);
  [[nodiscard]] const std::vector<std::unique_ptr<LibraryKernel>>& kernels() const { return kernels_; }
  [[nodiscard]] LibraryKernel* kernel(std::string_view name) const;
  void unload();

 private:
  std::string text_;
  std::vector<std::unique_ptr<LibraryKernel>> kernels_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Module>> modules_;  // by the context's number
};

}  // namespace bascule::emulated
