// Limiting a queue to some multiprocessors: a green context of the primary one, and a stream in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <cstring>

#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu::parts {
namespace {

// CUdevResource. Drivers of CUDA 12.4 to 13.0 write up to 144 bytes; newer ones add fields behind.
struct Resource {
  int type;
  unsigned char internal[92];
  unsigned multiprocessors;
  unsigned char rest[412];
};

constexpr int kMultiprocessors = 1;  // CU_DEV_RESOURCE_TYPE_SM
constexpr unsigned kDefaultStream = 1;  // CU_GREEN_CTX_DEFAULT_STREAM, required
constexpr unsigned kNonBlocking = 1;

}  // namespace

bool limits_compute_units(const Api& api) {
  return api.partition_resource && api.partition_split && api.partition_describe && api.partition_create &&
         api.partition_destroy && api.partition_stream;
}

CallResult create_limited_stream(const Api& api, const DeviceProperties& device, std::uint64_t compute_units, int priority,
                                 LimitedStream& stream) {
  Resource all = {};
  Resource part = {};
  Resource remaining = {};
  int code = api.partition_resource(device.ordinal, &all, kMultiprocessors);
  if (code != 0) return {code, api.partition_resource.name};
  unsigned groups = 1;
  code = api.partition_split(&part, &groups, &all, &remaining, 0, static_cast<unsigned>(compute_units));
  if (code != 0) return {code, api.partition_split.name};
  Handle description = nullptr;
  code = api.partition_describe(&description, &part, 1);
  if (code != 0) return {code, api.partition_describe.name};
  code = api.partition_create(&stream.partition, description, device.ordinal, kDefaultStream);
  if (code != 0) return {code, api.partition_create.name};
  code = api.partition_stream(&stream.stream, stream.partition, kNonBlocking, priority);
  if (code != 0) return {code, api.partition_stream.name};
  stream.compute_units = part.multiprocessors;
  return {};
}

void destroy_limited_stream(const Api& api, LimitedStream& stream) { api.partition_destroy(stream.partition); }

}  // namespace bascule::gpu::parts
