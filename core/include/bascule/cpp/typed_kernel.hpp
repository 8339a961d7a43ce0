/* Kernels whose parameters the compiler knows: what `bascule_add_kernels` generates. Include <bascule/bascule.hpp>.
 *
 *   queue.launch(device.kernel(demo::axpb), bascule::work_items(n), 2.f, 3.f, x, y);
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_TYPED_KERNEL_HPP
#define BASCULE_CPP_TYPED_KERNEL_HPP

#include <type_traits>

#include "buffer.hpp"
#include "kernel.hpp"
#include "launch.hpp"

namespace bascule {

/// Element of buffers of f16 and bf16: any two-byte type of the program's.
struct Bits16 {};

/// Buffer parameters of a typed kernel: read, written, both.
template <class T>
struct In {};
template <class T>
struct Out {};
template <class T>
struct InOut {};

/// The name of a kernel and its parameters' types: numbers, In, Out, InOut. A generated constant.
template <class... Parameters>
struct KernelHandle {
  const char* name;
};

inline namespace BASCULE_ERROR_FORM {

/// A kernel that takes these parameters; made by Device::kernel from a KernelHandle.
template <class... Parameters>
class TypedKernel : public Kernel {
 public:
  TypedKernel() = default;
  explicit TypedKernel(Kernel kernel) : Kernel(std::move(kernel)) {}
};

namespace internal {

/// A number as the contract has it. A literal of another type converts, but a float never becomes an integer.
template <class T>
struct TypedArgument {
  static_assert(std::is_arithmetic_v<T>, "a parameter of a typed kernel is a number, In, Out or InOut");
  template <class Given>
  explicit TypedArgument(const Given& given) : value(static_cast<T>(given)) {
    static_assert(std::is_arithmetic_v<Given> && !std::is_same_v<Given, bool>, "this parameter is a number");
    static_assert(std::is_floating_point_v<T> || std::is_integral_v<Given>, "this parameter is an integer");
  }
  bsc_argument raw() const { return argument(value); }
  T value;
};

template <class T>
struct BufferArgument {
  template <class Given>
  explicit BufferArgument(const Buffer<Given>& given) : value(argument(given)) {
    static_assert(std::is_same_v<T, Given> || (std::is_same_v<T, Bits16> && sizeof(Given) == 2) ||
                      (std::is_integral_v<T> && std::is_integral_v<Given> && sizeof(T) == sizeof(Given) &&
                       std::is_signed_v<T> == std::is_signed_v<Given>),
                  "this parameter is a buffer of another element type");
  }
  bsc_argument raw() const { return value; }
  bsc_argument value;
};
template <class T>
struct TypedArgument<In<T>> : BufferArgument<T> {
  using BufferArgument<T>::BufferArgument;
};
template <class T>
struct TypedArgument<Out<T>> : BufferArgument<T> {
  using BufferArgument<T>::BufferArgument;
};
template <class T>
struct TypedArgument<InOut<T>> : BufferArgument<T> {
  using BufferArgument<T>::BufferArgument;
};

}  // namespace internal

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
