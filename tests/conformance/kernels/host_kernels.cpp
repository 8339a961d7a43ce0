// The suite's kernels as host functions. Arguments are structs with the members in the order of the launch's arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/kernels/host_kernels.hpp"

#include <time.h>

#include <cstdint>
#include <cstring>

namespace bascule::conformance {
namespace {

// A buffer's data is aligned to the element only by contract; the tests use any multiple of the element size, which is.
template <class T>
T* elements(const bsc_host_span& span) {
  return static_cast<T*>(span.data);
}

template <class T>
struct FillIndexArguments {
  bsc_host_span out;
  T start;
};

template <class T>
bsc_status fill_index(const void* blob, std::uint64_t begin, std::uint64_t end, std::uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const FillIndexArguments<T>*>(blob);
  const std::uint64_t length = arguments.out.bytes / sizeof(T);
  for (std::uint64_t i = begin; i < end && i < length; ++i) {
    elements<T>(arguments.out)[i] = static_cast<T>(arguments.start + static_cast<T>(i));
  }
  return BSC_OK;
}

struct alignas(16) Bytes16 {
  std::uint64_t words[2];
};

template <class T>
struct EchoArguments {
  std::uint8_t before;
  T value;
  std::uint8_t after;
  bsc_host_span out;
};

template <class T>
bsc_status echo(const void* blob, std::uint64_t begin, std::uint64_t, std::uint32_t, void*, bsc_host_team*) {
  if (begin != 0) return BSC_OK;
  // Copied, not dereferenced: what is tested is where the bytes lie.
  EchoArguments<T> arguments;
  std::memcpy(static_cast<void*>(&arguments), blob, sizeof arguments);
  if (arguments.out.bytes < sizeof(T) + 2) return BSC_OK;
  auto* const out = static_cast<std::uint8_t*>(arguments.out.data);
  out[0] = arguments.before;
  std::memcpy(out + 1, &arguments.value, sizeof(T));
  out[1 + sizeof(T)] = arguments.after;
  return BSC_OK;
}

struct EchoMixedArguments {
  std::uint8_t a;
  std::uint64_t b;
  std::uint16_t c;
  std::uint32_t d;
  std::uint8_t e;
  bsc_host_span out;
};

bsc_status echo_mixed(const void* blob, std::uint64_t begin, std::uint64_t, std::uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const EchoMixedArguments*>(blob);
  if (begin != 0 || arguments.out.bytes < 5 * sizeof(std::uint64_t)) return BSC_OK;
  auto* const out = elements<std::uint64_t>(arguments.out);
  out[0] = arguments.a;
  out[1] = arguments.b;
  out[2] = arguments.c;
  out[3] = arguments.d;
  out[4] = arguments.e;
  return BSC_OK;
}

struct AxpyArguments {
  float a;
  bsc_host_span x;
  bsc_host_span y;
};

bsc_status axpy(const void* blob, std::uint64_t begin, std::uint64_t end, std::uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const AxpyArguments*>(blob);
  const std::uint64_t length = arguments.y.bytes / sizeof(float);
  for (std::uint64_t i = begin; i < end && i < length; ++i) {
    elements<float>(arguments.y)[i] += arguments.a * elements<float>(arguments.x)[i];
  }
  return BSC_OK;
}

struct AddOneArguments {
  bsc_host_span out;
};

bsc_status add_one(const void* blob, std::uint64_t begin, std::uint64_t end, std::uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const AddOneArguments*>(blob);
  const std::uint64_t length = arguments.out.bytes / sizeof(std::uint32_t);
  for (std::uint64_t i = begin; i < end && i < length; ++i) elements<std::uint32_t>(arguments.out)[i] += 1;
  return BSC_OK;
}

struct NapArguments {
  std::uint64_t nanoseconds;
  bsc_host_span out;
};

// Work that takes long.
bsc_status nap(const void* blob, std::uint64_t begin, std::uint64_t, std::uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const NapArguments*>(blob);
  if (begin != 0) return BSC_OK;
  timespec time = {static_cast<time_t>(arguments.nanoseconds / 1'000'000'000),
                   static_cast<long>(arguments.nanoseconds % 1'000'000'000)};
  while (nanosleep(&time, &time) != 0) {
  }
  if (arguments.out.bytes >= sizeof(std::uint64_t)) elements<std::uint64_t>(arguments.out)[0] += 1;
  return BSC_OK;
}

bsc_status fail(const void*, std::uint64_t, std::uint64_t, std::uint32_t, void*, bsc_host_team*) {
  return BSC_LAUNCH_FAILED;
}

constexpr bsc_host_entry kEntries[] = {
    {"fill_index_1", fill_index<std::uint8_t>, sizeof(FillIndexArguments<std::uint8_t>), 0, 0, 0, 0},
    {"fill_index_2", fill_index<std::uint16_t>, sizeof(FillIndexArguments<std::uint16_t>), 0, 0, 0, 0},
    {"fill_index_4", fill_index<std::uint32_t>, sizeof(FillIndexArguments<std::uint32_t>), 0, 0, 0, 0},
    {"fill_index_8", fill_index<std::uint64_t>, sizeof(FillIndexArguments<std::uint64_t>), 0, 0, 0, 0},
    {"echo_1", echo<std::uint8_t>, sizeof(EchoArguments<std::uint8_t>), 0, 0, 0, 0},
    {"echo_2", echo<std::uint16_t>, sizeof(EchoArguments<std::uint16_t>), 0, 0, 0, 0},
    {"echo_4", echo<std::uint32_t>, sizeof(EchoArguments<std::uint32_t>), 0, 0, 0, 0},
    {"echo_8", echo<std::uint64_t>, sizeof(EchoArguments<std::uint64_t>), 0, 0, 0, 0},
    {"echo_16", echo<Bytes16>, sizeof(EchoArguments<Bytes16>), 0, 0, 0, 0},
    {"echo_mixed", echo_mixed, sizeof(EchoMixedArguments), 0, 0, 0, 0},
    {"axpy", axpy, sizeof(AxpyArguments), 0, 0, 0, 0},
    {"add_one", add_one, sizeof(AddOneArguments), 0, 0, 0, 0},
    {"nap", nap, sizeof(NapArguments), 0, 0, 0, 0},
    {"fail", fail, 0, 0, 0, 0, 0},
};

constexpr bsc_host_table kTable = {sizeof kTable, BSC_HOST_ABI_VERSION, sizeof kEntries / sizeof *kEntries,
                                   sizeof(bsc_host_entry), kEntries};

}  // namespace

const bsc_host_table* host_kernel_table() { return &kTable; }

}  // namespace bascule::conformance
