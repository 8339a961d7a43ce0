/* The shape and the arguments of a launch. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_LAUNCH_HPP
#define BASCULE_CPP_LAUNCH_HPP

#include <array>
#include <cstdint>
#include <type_traits>

#include "buffer.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

/// The shape of a launch; made by work_items() or grid().
class LaunchShape {
 public:
  LaunchShape() { options_.size = sizeof options_; }
  /// Dynamic shared memory in bytes (raw launches).
  LaunchShape& shared(std::uint64_t bytes) {
    options_.shared_bytes = bytes;
    return *this;
  }
  LaunchShape& cluster(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
    set(options_.cluster, x, y, z);
    return *this;
  }
  /// All blocks resident at once, or LIMIT_EXCEEDED.
  LaunchShape& cooperative() {
    options_.cooperative = 1;
    return *this;
  }
  /// Hint: the data passes the cache once.
  LaunchShape& streaming() {
    options_.streaming = 1;
    return *this;
  }
  const bsc_launch_options& options() const noexcept { return options_; }

 private:
  friend LaunchShape work_items(std::uint64_t count);
  friend LaunchShape grid(std::array<std::uint64_t, 3> blocks, std::array<std::uint64_t, 3> threads);
  static void set(std::uint64_t (&target)[3], std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    target[0] = x;
    target[1] = y;
    target[2] = z;
  }
  bsc_launch_options options_{};
};

/// `count` items of work; the plan picks grid and block. 0 is an empty launch: it succeeds and completes.
inline LaunchShape work_items(std::uint64_t count) {
  LaunchShape shape;
  shape.options_.work_items = count;
  shape.options_.has_work_items = 1;
  return shape;
}

/// A raw grid of blocks of threads. A 0 in `blocks` is an empty launch.
inline LaunchShape grid(std::array<std::uint64_t, 3> blocks, std::array<std::uint64_t, 3> threads = {1, 1, 1}) {
  LaunchShape shape;
  LaunchShape::set(shape.options_.grid, blocks[0], blocks[1], blocks[2]);
  LaunchShape::set(shape.options_.block, threads[0], threads[1], threads[2]);
  shape.options_.has_grid = 1;
  return shape;
}

/// Dynamic shared memory for one parameter of a raw function.
struct Local {
  std::uint64_t bytes;
};

namespace internal {

template <class T>
bsc_argument argument(const Buffer<T>& buffer) {
  return {BSC_ARG_BUFFER, sizeof(T), nullptr, buffer.bytes(), buffer.get(), buffer.offset_bytes()};
}
inline bsc_argument argument(const Local& local) { return {BSC_ARG_LOCAL, 0, nullptr, local.bytes, nullptr, 0}; }
template <class T>
bsc_argument argument(const T& value) {
  static_assert(is_element<T> && !std::is_same_v<T, bool>,
                "kernel arguments are buffers, numbers or structs of them: no pointers, no bool");
  return {BSC_ARG_VALUE, 0, &value, sizeof value, nullptr, 0};
}

}  // namespace internal

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
