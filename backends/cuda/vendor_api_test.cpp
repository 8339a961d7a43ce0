// Our declarations and numbers against those of cuda.h, where a CUDA toolkit is installed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/vendor_api.hpp"

#include <doctest/doctest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>
#define BSC_HAS_CUDA
#elif __has_include("/usr/local/cuda/include/cuda.h")
#include "/usr/local/cuda/include/cuda.h"
#define BSC_HAS_CUDA
#endif

#include "backends/common/gpu/api.hpp"
#include "backends/common/gpu/declaration_check.hpp"
#include "backends/common/gpu/vendor.hpp"

#ifdef BSC_HAS_CUDA
TEST_CASE("every function is declared with the parameters of cuda.h") {
#define COMPARE(member, name)                                                                                       \
  CHECK_MESSAGE((bascule::gpu::test::SameCall<decltype(bascule::gpu::Api::member)::Function, decltype(&name)>::value), #name);
  BSC_VENDOR_FUNCTIONS(COMPARE, COMPARE)
#undef COMPARE
}

TEST_CASE("every number has the meaning of cuda.h") {
  const bascule::gpu::Vendor& v = bascule::gpu::vendor();
  CHECK(v.code_out_of_memory == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(v.code_not_ready == CUDA_ERROR_NOT_READY);
  CHECK(v.code_shutting_down == CUDA_ERROR_DEINITIALIZED);
  CHECK(v.host_memory_flags == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(v.stream_flags == CU_STREAM_NON_BLOCKING);
  CHECK(v.event_flags == CU_EVENT_DISABLE_TIMING);
  CHECK(v.timed_event_flags == CU_EVENT_DEFAULT);
  CHECK(v.capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED);
  CHECK(v.attribute_pool_threshold == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  CHECK(v.function_max_threads == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  CHECK(v.function_shared == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  CHECK(v.function_private == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  CHECK(v.function_registers == CU_FUNC_ATTRIBUTE_NUM_REGS);
  CHECK(v.function_max_dynamic_shared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  CHECK(v.option_error_log == CU_JIT_ERROR_LOG_BUFFER);
  CHECK(v.option_error_log_bytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  CHECK(v.option_optimisation == CU_JIT_OPTIMIZATION_LEVEL);
  CHECK(v.option_max_registers == CU_JIT_MAX_REGISTERS);
  CHECK(v.link_input_text == CU_JIT_INPUT_PTX);
  CHECK(sizeof(CUmemPoolProps) == 88);
  CHECK(sizeof(CUlaunchConfig) == 56);
  CHECK(sizeof(CUlaunchAttribute) == 72);
  CHECK(CU_LAUNCH_ATTRIBUTE_COOPERATIVE == 2);
  CHECK(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION == 4);
#if CUDA_VERSION >= 12040
  CHECK(offsetof(CUdevResource, sm) == 96);
  CHECK(sizeof(CUdevResource) <= 512);
  CHECK(CU_DEV_RESOURCE_TYPE_SM == 1);
  CHECK(CU_GREEN_CTX_DEFAULT_STREAM == 1);
#endif
}
#endif
