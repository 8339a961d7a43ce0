// The engine under test, reached as the cpu plugin reaches it: libbascule_simt.so through simt.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/simt/simt.h"

namespace bascule::ptx_models {

/// The library in BASCULE_PLUGIN_PATH, or BASCULE_SIMT_LIBRARY itself; opened once. Ends the process where there is none.
const bsc_simt_api& engine();

/// The x86-64 levels that this machine has, of 2, 3 and 4; those in BASCULE_PTX_MODELS_LEVELS ("2,3") where it is set.
std::vector<std::uint32_t> cpu_levels();

struct Launch {
  std::uint64_t grid = 1;
  std::uint64_t block = 32;
  std::uint64_t shared_bytes = 0;
  std::uint64_t flags = 0;
  int workers = 1;  // threads that call run()
};

/// Options with a level, everything else at its default.
bsc_simt_options options_for_level(std::uint32_t level);

class Module {
 public:
  Module(std::string_view text, const bsc_simt_options& options);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] bool loaded() const { return module_ != nullptr; }
  /// Why load() failed, or the last launch did.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Runs a kernel to its end. `arguments` is its block of parameters.
  bsc_status launch(const std::string& kernel, const Launch& launch, const void* arguments, std::size_t bytes);

 private:
  bsc_simt_module* module_ = nullptr;
  std::string error_;
};

}  // namespace bascule::ptx_models
