/* The kernel library for C++: typed calls of the kernels that come with Bascule. Header only over libbascule_kernels.so.
 *
 *   auto device = runtime.device();
 *   auto queue = device.create_queue();
 *   auto kernels = bascule::kernels::Library::open(device);
 *   kernels.sgemm(queue, {.m = m, .n = n, .k = k, .a = a, .b = b, .c = c});
 *   queue.wait();
 *
 * What holds for every call here
 *  - It submits work and does not block, except for the first call of each kernel, which chooses a variant for the device
 *    and compiles it. Buffers are kept alive until the work is done.
 *  - Matrices are row-major: element (i, j) stands at i * stride + j. A stride of 0 means that rows follow each other
 *    without a gap. Sizes of 0 succeed.
 *  - Errors (thrown or returned, see bascule.hpp): INVALID_ARGUMENT if a buffer is too short or a stride too small, with both
 *    numbers; NO_VARIANT if the device can run none, with the reason of each; BUILD_FAILED with the compiler's log.
 *  - Results are the same bits on each run and for each number of threads on one device; between devices they agree within
 *    the contract's tolerance. NaN in the inputs reaches the outputs that depend on them.
 *  - Threads: as for the queue that is passed. The library object itself may be used from any thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_KERNELS_HPP
#define BASCULE_KERNELS_HPP

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <bascule/bascule.hpp>
#include <bascule/kernels.h>

namespace bascule::kernels {
#ifdef BASCULE_NO_EXCEPTIONS
inline namespace results {
#else
inline namespace exceptions {
#endif

/// C = alpha * op(A) * op(B) + beta * C. op(A) is m x k, op(B) is k x n, C is m x n.
/// beta == 0: C is written and never read (a NaN in it is gone). alpha == 0 or k == 0: A and B are not read.
struct Sgemm {
  bool transpose_a = false;  ///< A is stored k x m
  bool transpose_b = false;  ///< B is stored n x k
  std::uint64_t m = 0, n = 0, k = 0;  ///< each below 2^31
  float alpha = 1;
  Buffer<float> a;
  std::uint64_t lda = 0;  ///< elements from one stored row of A to the next
  Buffer<float> b;
  std::uint64_t ldb = 0;
  float beta = 0;
  Buffer<float> c;        ///< what lies between its rows stays untouched
  std::uint64_t ldc = 0;
};

/// y[i][j] = exp(x[i][j]) / sum over j of exp(x[i][j]). A row of -inf alone gives 0; a NaN or +inf makes its row NaN.
struct Softmax {
  std::uint64_t rows = 0, columns = 0;
  Buffer<float> x;
  std::uint64_t x_stride = 0;
  Buffer<float> y;  ///< may be x itself with the same stride
  std::uint64_t y_stride = 0;
};

/// y[i][j] = x[i][j] * w[j] / sqrt(mean over j of x[i][j]^2 + epsilon). |x| below about 1.8e19 / sqrt(columns).
struct RmsNorm {
  std::uint64_t rows = 0, columns = 0;
  float epsilon = 1e-5f;
  Buffer<float> x;
  std::uint64_t x_stride = 0;
  Buffer<float> w;  ///< `columns` weights
  Buffer<float> y;  ///< may be x itself with the same stride
  std::uint64_t y_stride = 0;
};

/// The kernels of the library on one device. Copies share what is loaded.
class Library {
 public:
  Library() = default;

  /// Loads the library's package into the device's instance. Compiles nothing yet.
  static Outcome<Library> open(const Device& device) {
    bsc_package* package = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bascule_kernels_package(bsc_device_instance(device.get()), &package, &error);
    if (status != BSC_OK) return internal::fail<Library>(Error(status, error));
    return Library(std::make_shared<State>(device, Package(package)));
  }

  const Package& package() const noexcept { return state_->package; }
  const Device& device() const noexcept { return state_->device; }

  /// c = a, bit for bit. c may be a itself; a partial overlap is not allowed (in all stream kernels).
  Outcome<void> stream_copy(const Queue& queue, const Buffer<float>& a, const Buffer<float>& c) const {
    return launch(kStreamCopy, queue, a.size(), a, c);
  }
  /// b = s * c
  Outcome<void> stream_scale(const Queue& queue, float s, const Buffer<float>& c, const Buffer<float>& b) const {
    return launch(kStreamScale, queue, c.size(), s, c, b);
  }
  /// c = a + b; a's size counts
  Outcome<void> stream_add(const Queue& queue, const Buffer<float>& a, const Buffer<float>& b, const Buffer<float>& c) const {
    return launch(kStreamAdd, queue, a.size(), a, b, c);
  }
  /// a = b + s * c, multiplication and addition each rounded; b's size counts
  Outcome<void> stream_triad(const Queue& queue, float s, const Buffer<float>& b, const Buffer<float>& c,
                             const Buffer<float>& a) const {
    return launch(kStreamTriad, queue, b.size(), s, b, c, a);
  }
  /// result[0] = sum of a * b; 0 for no elements; a's size counts
  Outcome<void> stream_dot(const Queue& queue, const Buffer<float>& a, const Buffer<float>& b, const Buffer<float>& result) const {
    return launch(kStreamDot, queue, a.size(), a, b, result);
  }
  /// result[0] = sum of x; 0 for no elements
  Outcome<void> reduce_sum(const Queue& queue, const Buffer<float>& x, const Buffer<float>& result) const {
    return launch(kReduceSum, queue, x.size(), x, result);
  }
  /// result[0] = the largest x; -inf for no elements; NaN if any x is NaN
  Outcome<void> reduce_max(const Queue& queue, const Buffer<float>& x, const Buffer<float>& result) const {
    return launch(kReduceMax, queue, x.size(), x, result);
  }
  /// index[0] = where the largest x is, the first of equals; the first NaN if there is one; 2^64 - 1 for no elements
  Outcome<void> arg_max(const Queue& queue, const Buffer<float>& x, const Buffer<std::uint64_t>& index) const {
    return launch(kArgMax, queue, x.size(), x, index);
  }
  Outcome<void> sgemm(const Queue& queue, const Sgemm& call) const {
    const std::uint64_t lda = call.lda != 0 ? call.lda : call.transpose_a ? call.m : call.k;
    const std::uint64_t ldb = call.ldb != 0 ? call.ldb : call.transpose_b ? call.k : call.n;
    const std::uint64_t ldc = call.ldc != 0 ? call.ldc : call.n;
    return launch(kSgemm, queue, std::uint32_t{call.transpose_a}, std::uint32_t{call.transpose_b}, call.m, call.n, call.k,
                  call.alpha, call.a, lda, call.b, ldb, call.beta, call.c, ldc);
  }
  Outcome<void> softmax(const Queue& queue, const Softmax& call) const {
    return launch(kSoftmax, queue, call.rows, call.columns, call.x, stride(call.x_stride, call.columns), call.y,
                  stride(call.y_stride, call.columns));
  }
  Outcome<void> rms_norm(const Queue& queue, const RmsNorm& call) const {
    return launch(kRmsNorm, queue, call.rows, call.columns, call.epsilon, call.x, stride(call.x_stride, call.columns), call.w,
                  call.y, stride(call.y_stride, call.columns));
  }
  /// output[i] = word i % 4 of the Philox4x32-10 block of counter + i / 4 (128 bits, wrapping) under the key. Bit-exact.
  Outcome<void> philox4x32_10(const Queue& queue, std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high,
                              const Buffer<std::uint32_t>& output) const {
    return launch(kPhilox, queue, output.size(), key, counter_low, counter_high, output);
  }

 private:
  enum Index : std::size_t {
    kStreamCopy, kStreamScale, kStreamAdd, kStreamTriad, kStreamDot, kReduceSum, kReduceMax, kArgMax, kSgemm, kSoftmax,
    kRmsNorm, kPhilox, kCount
  };
  static const char* name(Index index) {
    constexpr const char* kNames[kCount] = {"stream_copy_f32", "stream_scale_f32", "stream_add_f32", "stream_triad_f32",
                                            "stream_dot_f32", "reduce_sum_f32", "reduce_max_f32", "arg_max_f32", "sgemm_f32",
                                            "softmax_f32", "rms_norm_f32", "philox4x32_10_u32"};
    return kNames[index];
  }

  struct State {
    State(Device on, Package from) : device(std::move(on)), package(std::move(from)) {}
    Device device;
    Package package;
    std::mutex mutex;  // for loading
    std::array<Kernel, kCount> kernels;
    std::array<std::atomic<bool>, kCount> loaded{};
  };

  explicit Library(std::shared_ptr<State> state) : state_(std::move(state)) {}

  static std::uint64_t stride(std::uint64_t given, std::uint64_t columns) { return given != 0 ? given : columns; }

  Outcome<void> load(Index index) const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->loaded[index].load(std::memory_order_relaxed)) return internal::success();
    bsc_kernel* kernel = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status =
        bsc_kernel_create(state_->device.get(), state_->package.get(), name(index), nullptr, &kernel, &error);
    if (status != BSC_OK) return internal::fail<void>(Error(status, error));
    state_->kernels[index] = Kernel(kernel);
    state_->loaded[index].store(true, std::memory_order_release);
    return internal::success();
  }

  template <class... Arguments>
  Outcome<void> launch(Index index, const Queue& queue, const Arguments&... arguments) const {
    if (!state_->loaded[index].load(std::memory_order_acquire)) {
#ifdef BASCULE_NO_EXCEPTIONS
      if (Outcome<void> ready = load(index); !ready) return ready;
#else
      load(index);
#endif
    }
    return queue.launch(state_->kernels[index], LaunchShape(), arguments...);
  }

  std::shared_ptr<State> state_;
};

}  // inline namespace
}  // namespace bascule::kernels

#endif
