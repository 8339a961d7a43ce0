// Entries about contexts: primary and created ones, the stack of each thread, limits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/capture.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

constexpr int kApiVersion = 3020;  // what contexts of every driver since then say

std::shared_ptr<Context> context_of(CUcontext handle) { return Registry<Context>::get().at(handle, "context", CUDA_ERROR_INVALID_CONTEXT); }

CUcontext handle_of(const std::shared_ptr<Context>& context) { return reinterpret_cast<CUcontext>(context.get()); }

void check_flags(unsigned flags) {
  const unsigned schedule = flags & CU_CTX_SCHED_MASK;
  if ((flags & ~unsigned{CU_CTX_FLAGS_MASK}) != 0 || (schedule != 0 && schedule != 1 && schedule != 2 && schedule != 4)) {
    refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", flags);
  }
}

std::shared_ptr<Context> make_context(Device& device, unsigned flags, bool primary) {
  auto context = std::make_shared<Context>(device, flags, primary);
  context->open();
  Registry<Context>::get().add<CUcontext>(context);
  return context;
}

void create(CUcontext* out, unsigned flags, CUdevice ordinal) {
  need(out, "where the context goes");
  check_flags(flags);
  const auto context = make_context(Driver::get().device(ordinal), flags, false);
  context_stack().push_back(context);
  *out = handle_of(context);
}

void synchronise(const std::shared_ptr<Context>& context) {
  context->check();
  refuse_if_unsafe("synchronising the context");
  context->synchronise();
  context->check();
}

// The last release and a reset end it for everybody. Under the device's mutex.
std::shared_ptr<Context> take_primary(Device& device) {
  device.primary_count = 0;
  return std::exchange(device.primary, nullptr);
}

void close(const std::shared_ptr<Context>& context) {
  if (context == nullptr) return;
  context->close();
  Registry<Context>::get().remove(context.get());
}

void release_primary(CUdevice ordinal) {
  Device& device = Driver::get().device(ordinal);
  std::shared_ptr<Context> last;
  {
    const std::lock_guard lock(device.mutex);
    if (device.primary_count == 0) refuse(CUDA_ERROR_INVALID_CONTEXT, "the primary context of device {} is not retained", ordinal);
    if (--device.primary_count == 0) last = take_primary(device);
  }
  close(last);
}

void reset_primary(CUdevice ordinal) {
  Device& device = Driver::get().device(ordinal);
  std::shared_ptr<Context> last;
  {
    const std::lock_guard lock(device.mutex);
    last = take_primary(device);
  }
  close(last);
}

void set_primary_flags(CUdevice ordinal, unsigned flags) {
  check_flags(flags);
  Device& device = Driver::get().device(ordinal);
  const std::lock_guard lock(device.mutex);
  device.primary_flags = flags;
  if (device.primary != nullptr) device.primary->flags = flags;
}

}  // namespace

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  return call("cuDevicePrimaryCtxRetain", [&] {
    need(pctx, "where the context goes");
    Device& device = Driver::get().device(dev);
    const std::lock_guard lock(device.mutex);
    if (device.primary == nullptr) device.primary = make_context(device, device.primary_flags, true);
    ++device.primary_count;
    *pctx = handle_of(device.primary);
  });
}

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxRelease(CUdevice dev) {
  return call("cuDevicePrimaryCtxRelease", [&] { release_primary(dev); });
}

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  return call("cuDevicePrimaryCtxRelease_v2", [&] { release_primary(dev); });
}

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxReset(CUdevice dev) {
  return call("cuDevicePrimaryCtxReset", [&] { reset_primary(dev); });
}

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  return call("cuDevicePrimaryCtxReset_v2", [&] { reset_primary(dev); });
}

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  return call("cuDevicePrimaryCtxSetFlags", [&] { set_primary_flags(dev, flags); });
}

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  return call("cuDevicePrimaryCtxSetFlags_v2", [&] { set_primary_flags(dev, flags); });
}

BASCULE_CUDA_ENTRY cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
  return call("cuDevicePrimaryCtxGetState", [&] {
    Device& device = Driver::get().device(dev);
    const std::lock_guard lock(device.mutex);
    if (flags != nullptr) *flags = device.primary != nullptr ? device.primary->flags.load() : device.primary_flags;
    if (active != nullptr) *active = device.primary != nullptr ? 1 : 0;
  });
}

BASCULE_CUDA_ENTRY cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
  return call("cuCtxCreate_v2", [&] { create(pctx, flags, dev); });
}

BASCULE_CUDA_ENTRY cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev) {
  return call("cuCtxCreate_v3", [&] {
    if (paramsArray != nullptr && numParams > 0) refuse(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "affinities are not supported here");
    create(pctx, flags, dev);
  });
}

BASCULE_CUDA_ENTRY cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev) {
  return call("cuCtxCreate_v4", [&] {
    if (ctxCreateParams != nullptr && ctxCreateParams->numExecAffinityParams > 0) {
      refuse(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "affinities are not supported here");
    }
    if (ctxCreateParams != nullptr && ctxCreateParams->cigParams != nullptr) refuse(CUDA_ERROR_NOT_SUPPORTED, "CUDA in graphics is not supported here");
    create(pctx, flags, dev);
  });
}

BASCULE_CUDA_ENTRY cuCtxDestroy_v2(CUcontext ctx) {
  return call("cuCtxDestroy_v2", [&] {
    const auto context = context_of(ctx);
    if (context->primary) refuse(CUDA_ERROR_INVALID_CONTEXT, "a primary context is released, not destroyed");
    close(context);
    auto& stack = context_stack();
    if (!stack.empty() && stack.back() == context) stack.pop_back();
  });
}

BASCULE_CUDA_ENTRY cuCtxPushCurrent_v2(CUcontext ctx) {
  return call("cuCtxPushCurrent_v2", [&] { context_stack().push_back(context_of(ctx)); });
}

BASCULE_CUDA_ENTRY cuCtxPopCurrent_v2(CUcontext *pctx) {
  return call("cuCtxPopCurrent_v2", [&] {
    auto& stack = context_stack();
    if (stack.empty()) refuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current on this thread");
    if (pctx != nullptr) *pctx = handle_of(stack.back());
    stack.pop_back();
  });
}

BASCULE_CUDA_ENTRY cuCtxSetCurrent(CUcontext ctx) {
  return call("cuCtxSetCurrent", [&] {
    auto& stack = context_stack();
    const auto context = ctx != nullptr ? context_of(ctx) : nullptr;
    if (!stack.empty()) stack.pop_back();
    if (context != nullptr) stack.push_back(context);
  });
}

BASCULE_CUDA_ENTRY cuCtxGetCurrent(CUcontext *pctx) {
  return call("cuCtxGetCurrent", [&] {
    need(pctx, "where the context goes");
    *pctx = handle_of(current_context_if_any());
  });
}

BASCULE_CUDA_ENTRY cuCtxGetDevice(CUdevice *device) {
  return call("cuCtxGetDevice", [&] {
    need(device, "where the device goes");
    *device = current_context()->device.ordinal;
  });
}

BASCULE_CUDA_ENTRY cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
  return call("cuCtxGetDevice_v2", [&] {
    need(device, "where the device goes");
    *device = (ctx != nullptr ? context_of(ctx) : current_context())->device.ordinal;
  });
}

BASCULE_CUDA_ENTRY cuCtxGetFlags(unsigned int *flags) {
  return call("cuCtxGetFlags", [&] {
    need(flags, "where the flags go");
    *flags = current_context()->flags;
  });
}

BASCULE_CUDA_ENTRY cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
  return call("cuCtxGetId", [&] {
    need(ctxId, "where the number goes");
    *ctxId = (ctx != nullptr ? context_of(ctx) : current_context())->id;
  });
}

BASCULE_CUDA_ENTRY cuCtxSynchronize(void) {
  return call("cuCtxSynchronize", [&] { synchronise(current_context()); });
}

BASCULE_CUDA_ENTRY cuCtxSynchronize_v2(CUcontext ctx) {
  return call("cuCtxSynchronize_v2", [&] { synchronise(ctx != nullptr ? context_of(ctx) : current_context()); });
}

BASCULE_CUDA_ENTRY cuCtxSetLimit(CUlimit limit, size_t value) {
  return call("cuCtxSetLimit", [&] {
    const auto context = current_context();
    if (limit != CU_LIMIT_STACK_SIZE && limit != CU_LIMIT_PRINTF_FIFO_SIZE && limit != CU_LIMIT_MALLOC_HEAP_SIZE) {
      refuse(CUDA_ERROR_UNSUPPORTED_LIMIT, "the limit {} cannot be set here", static_cast<int>(limit));
    }
    context->limits[limit] = value;  // for modules that are loaded from now on
  });
}

BASCULE_CUDA_ENTRY cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
  return call("cuCtxGetLimit", [&] {
    need(pvalue, "where the limit goes");
    const auto context = current_context();
    if (limit < 0 || limit >= CU_LIMIT_MAX) refuse(CUDA_ERROR_UNSUPPORTED_LIMIT, "{} is no limit", static_cast<int>(limit));
    *pvalue = context->limits[limit];
  });
}

BASCULE_CUDA_ENTRY cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
  return call("cuCtxGetCacheConfig", [&] {
    need(pconfig, "where the configuration goes");
    *pconfig = static_cast<CUfunc_cache>(current_context()->cache_config.load());
  });
}

BASCULE_CUDA_ENTRY cuCtxSetCacheConfig(CUfunc_cache config) {
  return call("cuCtxSetCacheConfig", [&] {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) refuse(CUDA_ERROR_INVALID_VALUE, "cache configuration {}", static_cast<int>(config));
    current_context()->cache_config = config;
  });
}

BASCULE_CUDA_ENTRY cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
  return call("cuCtxGetApiVersion", [&] {
    need(version, "where the version goes");
    if (ctx != nullptr) context_of(ctx);
    *version = kApiVersion;
  });
}

BASCULE_CUDA_ENTRY cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  return call("cuCtxGetStreamPriorityRange", [&] {
    current_context();
    if (leastPriority != nullptr) *leastPriority = 0;
    if (greatestPriority != nullptr) *greatestPriority = -5;  // kept, and of no effect: every stream runs as soon as it can
  });
}

BASCULE_CUDA_ENTRY cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return call("cuCtxEnablePeerAccess", [&] {
    if (Flags != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}; they must be 0", Flags);
    const auto context = current_context();
    const auto peer = context_of(peerContext);
    if (&peer->device == &context->device) refuse(CUDA_ERROR_INVALID_DEVICE, "both contexts are of one device");
    const std::lock_guard lock(context->mutex);
    if (!context->peers.insert(peer->device.ordinal).second) refuse(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "device {}", peer->device.ordinal);
  });
}

BASCULE_CUDA_ENTRY cuCtxDisablePeerAccess(CUcontext peerContext) {
  return call("cuCtxDisablePeerAccess", [&] {
    const auto context = current_context();
    const auto peer = context_of(peerContext);
    const std::lock_guard lock(context->mutex);
    if (context->peers.erase(peer->device.ordinal) == 0) refuse(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "device {}", peer->device.ordinal);
  });
}
