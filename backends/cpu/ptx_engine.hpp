// The library that runs PTX on this device: opened when the first PTX image arrives, so that who runs none does not pay for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <mutex>
#include <string>

#include "backends/simt/simt.h"

namespace bascule::cpu {

/// PTX for targets up to sm_90 is taken.
inline constexpr int kPtxTarget = 90;

/// Thread-safe. The library stays open until the process ends: its handler of memory faults may be called at any time.
class PtxEngine {
 public:
  /// Its functions; where it can't be opened, an error that says what was looked for where.
  bsc_status open(const bsc_simt_api*& api, bsc_plugin_error* error);

  /// Where the library lies, if not beside the one that this code is in.
  void look_in(std::string directory) { directory_ = std::move(directory); }

 private:
  std::mutex mutex_;
  const bsc_simt_api* api_ = nullptr;
  std::string directory_;
};

}  // namespace bascule::cpu
