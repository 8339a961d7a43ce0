// See context.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/context.hpp"

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/faults.hpp"
#include "backends/emulated/cuda/memory.hpp"
#include "backends/emulated/cuda/module.hpp"
#include "backends/emulated/cuda/registry.hpp"
#include "backends/emulated/cuda/stream.hpp"

namespace bascule::emulated {
namespace {

std::atomic<std::uint64_t> next_id{1};

}  // namespace

bool is_sticky(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ECC_UNCORRECTABLE: return true;
    default: return false;
  }
}

Context::Context(Device& of, unsigned its_flags, bool is_primary) : device(of), primary(is_primary), id(next_id++), flags(its_flags) {
  for (auto& limit : limits) limit = 0;
  limits[CU_LIMIT_STACK_SIZE] = 1024;
  limits[CU_LIMIT_PRINTF_FIFO_SIZE] = std::size_t{1} << 20;
  limits[CU_LIMIT_MALLOC_HEAP_SIZE] = std::size_t{8} << 20;
}

void Context::open() { legacy = std::make_shared<Stream>(shared_from_this(), Stream::Kind::kLegacy, 0u, 0); }

void Context::close() {
  synchronise();
  alive_.store(false, std::memory_order_release);
  for (const auto& module : Registry<Module>::get().all()) {
    if (module->context() == this) remove_module(module);
  }
  for (const auto& event : Registry<Event>::get().all()) {
    if (event->context.lock().get() == this) Registry<Event>::get().remove(event.get());
  }
  for (const auto& stream : streams()) Registry<Stream>::get().remove(stream.get());
  Memory::get().remove_all_of(this);
  const std::lock_guard lock(mutex);
  created.clear();
  per_thread.clear();
}

void Context::fail(CUresult code, const std::string& message) {
  CUresult expected = CUDA_SUCCESS;
  if (!error_.compare_exchange_strong(expected, code, std::memory_order_acq_rel)) return;
  const Driver& driver = Driver::get();
  const bool always = code == CUDA_ERROR_ASSERT || driver.sanitize();
  if (always || driver.logs()) driver.say(std::string(name_of_result(code)) + ": " + message);
}

void Context::check() const {
  if (!alive()) refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context is destroyed");
  if (error() != CUDA_SUCCESS) refuse(error(), "the context failed before");
}

std::vector<std::shared_ptr<Stream>> Context::streams() {
  const std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<Stream>> all(created.begin(), created.end());
  for (const auto& [thread, stream] : per_thread) all.push_back(stream);
  if (legacy != nullptr) all.push_back(legacy);
  return all;
}

void Context::synchronise() {
  for (const auto& stream : streams()) stream->wait();
  std::vector<Leftover> left;
  {
    const std::lock_guard lock(mutex);
    left = leftovers;
  }
  for (const Leftover& leftover : left) Executor::get().wait(leftover.last);
}

void Context::add(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex);
  created.insert(stream);
}

void Context::remove(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex);
  created.erase(stream);
  std::erase_if(leftovers, [](const Leftover& leftover) { return Executor::get().done(leftover.last); });
  leftovers.push_back({stream->last(), stream->blocking()});
}

std::shared_ptr<Stream> Context::stream(CUstream handle) {
  const bool own = handle == CU_STREAM_PER_THREAD || (handle == nullptr && PerThreadDefault::active());
  if (own) {
    const std::lock_guard lock(mutex);
    std::shared_ptr<Stream>& stream = per_thread[std::this_thread::get_id()];
    if (stream == nullptr) stream = std::make_shared<Stream>(shared_from_this(), Stream::Kind::kPerThread, 0u, 0);
    return stream;
  }
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return legacy;
  return Registry<Stream>::get().at(handle, "stream");
}

std::vector<std::shared_ptr<Context>>& context_stack() {
  thread_local std::vector<std::shared_ptr<Context>> stack;
  return stack;
}

std::shared_ptr<Context> current_context_if_any() {
  auto& stack = context_stack();
  return stack.empty() ? nullptr : stack.back();
}

std::shared_ptr<Context> current_context() {
  std::shared_ptr<Context> context = current_context_if_any();
  if (context == nullptr) refuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current on this thread");
  context->check();
  return context;
}

}  // namespace bascule::emulated
