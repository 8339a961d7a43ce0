// The vendors' matrix libraries, cuBLASLt and hipBLASLt, under names of our own: one interface with two spellings and a few
// different numbers. Opened at run time; declared from the interface's documentation, no header of theirs is needed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/common/gpu/api.hpp"

namespace bascule::gpu_run {

using gpu::Address;
using gpu::Handle;

enum class Element : int { f32 = 0, f16 = 2, bf16 = 14 };  // the numbers are both vendors'

// Row-major C = op(A) op(B), sums in f32.
struct Product {
  Element element = Element::f32;
  bool transpose_a = false, transpose_b = false;
  std::uint64_t m = 0, n = 0, k = 0;
  Address a = 0, b = 0, c = 0;
  std::uint64_t lda = 0, ldb = 0, ldc = 0;
};

struct BlasNumbers;

// Throws std::runtime_error: what failed, with the library's code.
class Blas {
 public:
  // Tries the library's file names in `directory` (if one is given), then where the loader looks. False, with every attempt in
  // *tried, where there is none.
  bool open(const std::string& backend, const std::string& directory, std::string& tried);
  // A context of the device must be current from here on.
  void start(Address workspace, std::size_t workspace_bytes);
  ~Blas();

  // Chooses how the product is computed: the first way that the library's own heuristic offers.
  void prepare(const Product& product);
  void run(Handle stream);

  std::string name() const;  // "cuBLASLt 13.1.0"
  const std::string& path() const { return path_; }

 private:
  using Create = int (*)(Handle*);
  using Destroy = int (*)(Handle);

  template <class Function>
  void find(void* library, const char* stem, Function& function);
  void check(int code, const char* call) const;
  void release_product();

  const BlasNumbers* numbers_ = nullptr;
  std::string path_, missing_;
  Handle library_ = nullptr;  // the library's handle
  Address workspace_ = 0;
  std::size_t workspace_bytes_ = 0;

  Create create_ = nullptr;
  Destroy destroy_ = nullptr, operation_destroy_ = nullptr, layout_destroy_ = nullptr, preference_destroy_ = nullptr;
  int (*operation_create_)(Handle*, int compute, int scale) = nullptr;
  int (*operation_set_)(Handle, int attribute, const void*, std::size_t) = nullptr;
  int (*layout_create_)(Handle*, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) = nullptr;
  Create preference_create_ = nullptr;
  int (*preference_set_)(Handle, int attribute, const void*, std::size_t) = nullptr;
  int (*heuristic_)(Handle, Handle operation, Handle a, Handle b, Handle c, Handle d, Handle preference, int wanted, void* results, int* found) = nullptr;
  int (*multiply_)(Handle, Handle operation, const void* alpha, Address a, Handle, Address b, Handle, const void* beta, Address c, Handle, Address d, Handle,
                   const void* algorithm, Address workspace, std::size_t bytes, Handle stream) = nullptr;
  std::size_t (*version_)() = nullptr;                  // cuBLASLt
  int (*version_of_)(Handle, int*) = nullptr;           // hipBLASLt

  Handle operation_ = nullptr, layouts_[3] = {};
  Product product_;
  std::vector<unsigned char> algorithm_;
};

}  // namespace bascule::gpu_run
