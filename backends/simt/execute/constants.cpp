// The pool of constants: each value once per width.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "backends/simt/execute/program.hpp"

namespace bascule::simt {
namespace {

constexpr std::size_t kBuckets = 256;

std::size_t bytes_of_slot(unsigned width) { return width == 1 ? 4 : std::size_t{width} / 8 * kLanes; }

std::size_t bucket_of(std::uint64_t bits, unsigned width) {
  return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15u >> 48) + width) % kBuckets;
}

template <class T>
void fill(std::byte* storage, T value) {
  for (unsigned i = 0; i < kLanes; ++i) std::memcpy(storage + i * sizeof value, &value, sizeof value);
}

}  // namespace

void broadcast_lanes(std::byte* storage, std::uint64_t bits, unsigned width) {
  switch (width) {
    case 1: {
      const std::uint32_t mask = bits != 0 ? kAllLanes : 0;
      std::memcpy(storage, &mask, sizeof mask);
      break;
    }
    case 8: fill(storage, static_cast<std::uint8_t>(bits)); break;
    case 16: fill(storage, static_cast<std::uint16_t>(bits)); break;
    case 32: fill(storage, static_cast<std::uint32_t>(bits)); break;
    case 64: fill(storage, bits); break;
    default:
      fill(storage, bits);
      fill(storage + kLanes * 8, std::uint64_t{0});
      break;
  }
}

Slot ConstantPool::reserve(unsigned width) {
  const std::size_t first = lines_.size();
  lines_.resize(first + (bytes_of_slot(width) + sizeof(Line) - 1) / sizeof(Line));
  return static_cast<Slot>(first * sizeof(Line)) | kConstant;
}

Slot ConstantPool::broadcast(std::uint64_t bits, unsigned width) {
  if (width < 64 && width != 1) bits &= (std::uint64_t{1} << width) - 1;
  if (known_.empty()) known_.resize(kBuckets);
  auto& bucket = known_[bucket_of(bits, width)];
  for (const Known& known : bucket) {
    if (known.bits == bits && known.width == width) return known.slot;
  }
  const Slot slot = reserve(width);
  broadcast_lanes(lines_[(slot & ~kConstant) / sizeof(Line)].bytes.data(), bits, width);
  bucket.push_back({bits, width, slot});
  return slot;
}

Slot ConstantPool::lanes(const std::array<std::uint32_t, kLanes>& values) {
  const Slot slot = reserve(32);
  std::memcpy(lines_[(slot & ~kConstant) / sizeof(Line)].bytes.data(), values.data(), sizeof values);
  return slot;
}

}  // namespace bascule::simt
