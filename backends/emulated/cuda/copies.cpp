// See copies.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/copies.hpp"

#include "backends/emulated/cuda/call.hpp"

namespace bascule::emulated {
namespace {

struct Place {
  std::shared_ptr<Allocation> allocation;
  bool pageable = false;
};

Place resolve(const void* pointer, Side side, std::size_t bytes, const char* what) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Place place{Memory::get().find(address), false};
  if (bytes == 0) return place;
  if (place.allocation == nullptr) {
    if (side == Side::kDevice) refuse(CUDA_ERROR_INVALID_VALUE, "the {}, {}, is no memory of a device", what, pointer);
    if (pointer == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "the {} is null", what);
    place.pageable = true;
    return place;
  }
  const std::uint64_t offset = address - place.allocation->address;
  if (bytes > place.allocation->bytes - offset) {
    refuse(CUDA_ERROR_INVALID_VALUE, "the {}: {} bytes at {}, offset {} of an allocation of {} bytes, end beyond it", what, bytes, pointer, offset,
           place.allocation->bytes);
  }
  return place;
}

std::size_t multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse(CUDA_ERROR_INVALID_VALUE, "a size beyond 64 bits");
  return product;
}

struct Box {
  const void* base;
  Side side;
  std::size_t pitch;
  std::size_t slice;
};

Box box_of(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x, std::size_t y, std::size_t z, std::size_t pitch, std::size_t height,
           const CUDA_MEMCPY3D& asked, const char* what) {
  Box box{};
  switch (type) {
    case CU_MEMORYTYPE_HOST: box = {host, Side::kHost, 0, 0}; break;
    case CU_MEMORYTYPE_DEVICE: box = {reinterpret_cast<const void*>(device), Side::kDevice, 0, 0}; break;
    case CU_MEMORYTYPE_UNIFIED: box = {reinterpret_cast<const void*>(device), Side::kAny, 0, 0}; break;
    case CU_MEMORYTYPE_ARRAY: refuse(CUDA_ERROR_NOT_SUPPORTED, "arrays are not supported here (the {})", what);
    default: refuse(CUDA_ERROR_INVALID_VALUE, "{} is no type of memory (the {})", static_cast<int>(type), what);
  }
  box.pitch = pitch != 0 ? pitch : asked.WidthInBytes + x;
  if (box.pitch < asked.WidthInBytes + x && asked.Height > 1) {
    refuse(CUDA_ERROR_INVALID_VALUE, "the {}'s pitch, {}, is less than a row, {}", what, pitch, asked.WidthInBytes + x);
  }
  box.slice = multiply(box.pitch, height != 0 ? height : asked.Height + y);
  box.base = static_cast<const std::byte*>(box.base) + multiply(z, box.slice) + multiply(y, box.pitch) + x;
  return box;
}

std::size_t extent(const Box& box, const CUDA_MEMCPY3D& asked) {
  if (asked.WidthInBytes == 0 || asked.Height == 0 || asked.Depth == 0) return 0;
  return multiply(asked.Depth - 1, box.slice) + multiply(asked.Height - 1, box.pitch) + asked.WidthInBytes;
}

}  // namespace

CopyWork make_copy(const CUDA_MEMCPY3D& asked) {
  const Box from = box_of(asked.srcMemoryType, asked.srcHost, asked.srcDevice, asked.srcXInBytes, asked.srcY, asked.srcZ, asked.srcPitch, asked.srcHeight,
                          asked, "source");
  const Box to = box_of(asked.dstMemoryType, asked.dstHost, asked.dstDevice, asked.dstXInBytes, asked.dstY, asked.dstZ, asked.dstPitch, asked.dstHeight,
                        asked, "destination");
  const Place source = resolve(from.base, from.side, extent(from, asked), "source");
  const Place destination = resolve(to.base, to.side, extent(to, asked), "destination");
  CopyWork copy;
  copy.asked = asked;
  copy.source = static_cast<const std::byte*>(from.base);
  copy.destination = static_cast<std::byte*>(const_cast<void*>(to.base));
  copy.source_pitch = from.pitch;
  copy.source_slice = from.slice;
  copy.destination_pitch = to.pitch;
  copy.destination_slice = to.slice;
  copy.width = asked.WidthInBytes;
  copy.height = asked.Height;
  copy.depth = asked.Depth;
  copy.pageable_source = source.pageable;
  copy.pageable_destination = destination.pageable;
  copy.kept[0] = source.allocation;
  copy.kept[1] = destination.allocation;
  return copy;
}

CopyWork make_copy(const void* source, Side source_side, void* destination, Side destination_side, std::size_t bytes) {
  const auto type = [](Side side) {
    return side == Side::kDevice ? CU_MEMORYTYPE_DEVICE : side == Side::kHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
  };
  CUDA_MEMCPY3D asked{};
  asked.srcMemoryType = type(source_side);
  asked.srcHost = source;
  asked.srcDevice = reinterpret_cast<CUdeviceptr>(source);
  asked.dstMemoryType = type(destination_side);
  asked.dstHost = destination;
  asked.dstDevice = reinterpret_cast<CUdeviceptr>(destination);
  asked.WidthInBytes = bytes;
  asked.Height = 1;
  asked.Depth = 1;
  return make_copy(asked);
}

FillWork make_fill(const CUDA_MEMSET_NODE_PARAMS& asked) {
  if (asked.elementSize != 1 && asked.elementSize != 2 && asked.elementSize != 4) refuse(CUDA_ERROR_INVALID_VALUE, "elements of {} bytes", asked.elementSize);
  FillWork fill;
  fill.asked = asked;
  const std::size_t row = multiply(asked.width, asked.elementSize);
  if (asked.height <= 1) fill.asked.pitch = row;
  if (fill.asked.pitch < row) refuse(CUDA_ERROR_INVALID_VALUE, "a pitch of {} bytes is less than a row of {}", asked.pitch, row);
  if (row == 0 || asked.height == 0) {
    fill.asked.width = 0;
    return fill;
  }
  if (asked.dst % asked.elementSize != 0 || fill.asked.pitch % asked.elementSize != 0) {
    refuse(CUDA_ERROR_INVALID_VALUE, "the address {:#x} or the pitch {} is no multiple of the element's {} bytes", asked.dst, fill.asked.pitch, asked.elementSize);
  }
  fill.kept = resolve(reinterpret_cast<const void*>(asked.dst), Side::kDevice, multiply(asked.height - 1, fill.asked.pitch) + row, "destination").allocation;
  return fill;
}

}  // namespace bascule::emulated
