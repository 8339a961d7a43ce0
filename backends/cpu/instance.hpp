// The opened backend: one executor, one device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "backends/common/host_services.hpp"
#include "backends/common/object.hpp"
#include "backends/cpu/device.hpp"
#include "backends/cpu/executor/executor.hpp"
#include "backends/cpu/ptx_engine.hpp"

namespace bascule::cpu {

struct Instance : backend::Object<Instance, BSC_OBJECT_INSTANCE> {
  Instance(const backend::HostServices& host_services, const ExecutorOptions& options, const bsc_simt_options& ptx);

  backend::HostServices services;
  Executor executor;
  PtxEngine ptx_engine;
  bsc_simt_options ptx_options;
  Device device;
};

}  // namespace bascule::cpu
