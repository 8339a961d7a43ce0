// Reading and writing ABI structs of any size: what the other side compiled may be older (shorter) or newer (longer).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace bascule::backend {

template <class T>
concept AbiStruct = std::is_trivially_copyable_v<T> && requires(T value) {
  { value.header } -> std::same_as<bsc_struct&>;
};

// A copy of `source` in which every field that its writer did not know is zero. `source` must not be null; a header that
// claims less than a bsc_struct is read as an empty struct.
template <AbiStruct T>
T read_struct(const T* source) {
  T copy;
  std::memset(&copy, 0, sizeof copy);
  std::memcpy(static_cast<void*>(&copy), source, std::min<std::size_t>(source->header.size, sizeof copy));
  return copy;
}

// Fills what the reader behind `destination` knows of `value`; its header stays as the reader wrote it.
template <AbiStruct T>
void write_struct(T* destination, const T& value) {
  const std::size_t known = std::min<std::size_t>(destination->header.size, sizeof value);
  if (known > sizeof(bsc_struct)) {
    std::memcpy(reinterpret_cast<char*>(destination) + sizeof(bsc_struct),
                reinterpret_cast<const char*>(&value) + sizeof(bsc_struct), known - sizeof(bsc_struct));
  }
}

// The struct of type `type` in the chain behind `header`, or nullptr.
inline const bsc_struct* find_in_chain(const bsc_struct& header, std::uint32_t type) {
  for (const bsc_struct* link = header.next; link != nullptr; link = link->next) {
    if (link->type == type) return link;
  }
  return nullptr;
}

// Elements of an ABI array: `stride` bytes apart, each copied out with unknown fields zero. An element's own header, where
// it has one, limits the copy further.
template <class T>
class StridedSpan {
 public:
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator(const char* at, std::size_t stride) : at_(at), stride_(stride) {}
    T operator*() const { return StridedSpan::element(at_, stride_); }
    Iterator& operator++() {
      at_ += stride_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const char* at_;
    std::size_t stride_;
  };

  StridedSpan(const T* first, std::uint64_t count, std::uint64_t stride)
      : first_(reinterpret_cast<const char*>(first)), count_(count), stride_(static_cast<std::size_t>(stride)) {}

  // False when the array cannot be walked: elements without an address, or a stride of 0 between several.
  bool valid() const { return count_ == 0 || (first_ != nullptr && stride_ != 0); }
  std::uint64_t size() const { return count_; }
  T operator[](std::uint64_t index) const { return element(first_ + index * stride_, stride_); }
  Iterator begin() const { return {first_, stride_}; }
  Iterator end() const { return {count_ == 0 ? first_ : first_ + count_ * stride_, stride_}; }

 private:
  static T element(const char* at, std::size_t stride) {
    T copy;
    std::memset(static_cast<void*>(&copy), 0, sizeof copy);
    std::size_t known = std::min(stride, sizeof copy);
    if constexpr (AbiStruct<T>) {
      bsc_struct header;
      std::memcpy(&header, at, sizeof header);
      known = std::min<std::size_t>(known, header.size);
    }
    std::memcpy(static_cast<void*>(&copy), at, known);
    return copy;
  }

  const char* first_;
  std::uint64_t count_;
  std::size_t stride_;
};

}  // namespace bascule::backend
