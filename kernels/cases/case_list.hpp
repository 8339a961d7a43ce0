// Cases of the kernel library for bench and selftest: one description per shape, made by each kernel's own file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/cases.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../common/check.hpp"
#include "../common/random_data.hpp"

namespace bascule::kernels {

// Inputs and judge of one run. Arguments point into members of the derived class.
class CaseData {
 public:
  virtual ~CaseData() = default;
  // outputs[i]: contents of argument i after the run, null for inputs and scalars.
  virtual void check(const void* const* outputs, bsc_case_verdict& verdict) = 0;

  std::vector<bsc_case_argument> arguments;

 protected:
  template <class T>
  void add_scalar(const T& value) {  // `value` must live as long as this object
    arguments.push_back({BSC_CASE_SCALAR, sizeof(T), &value, sizeof(T)});
  }
  template <class T>
  void add_input(const std::vector<T>& values) {
    arguments.push_back({BSC_CASE_IN, sizeof(T), values.data(), values.size() * sizeof(T)});
  }
  template <class T>
  void add_output(std::uint64_t count) {
    arguments.push_back({BSC_CASE_OUT, sizeof(T), nullptr, count * sizeof(T)});
  }
  template <class T>
  void add_in_out(const std::vector<T>& values) {
    arguments.push_back({BSC_CASE_INOUT, sizeof(T), values.data(), values.size() * sizeof(T)});
  }
};

// What one case is; the texts of bsc_case and how to make its inputs.
struct CaseDefinition {
  std::string kernel, label, shape, shrunk;
  std::string number_format = "f32";
  std::string math_mode = "f32, no contraction";
  std::string distribution = "uniform [-1,1)";
  double bytes = 0;
  double operations = 0;
  std::string operation_unit = "FLOP";
  std::uint64_t device_bytes = 0;
  std::function<std::unique_ptr<CaseData>(std::uint64_t seed)> make;
};

// The cases that a request asks for, in the order in which they are added.
class CaseList {
 public:
  explicit CaseList(const bsc_case_request& request) : request_(request) {}

  bool wants(std::string_view suite) const { return suite == request_.suite; }
  std::uint64_t max_device_bytes() const { return request_.max_device_bytes; }
  // Whether a case of this cost fits the request's limits.
  bool fits(double operations, std::uint64_t device_bytes) const {
    return device_bytes <= request_.max_device_bytes && (request_.max_operations == 0 || operations <= request_.max_operations);
  }
  void add(CaseDefinition definition) { definitions.push_back(std::move(definition)); }

  std::deque<CaseDefinition> definitions;

 private:
  bsc_case_request request_;
};

// Each in KERNEL/KERNEL_cases.cpp.
void add_stream_cases(CaseList&);
void add_reduce_cases(CaseList&);
void add_sgemm_cases(CaseList&);
void add_softmax_cases(CaseList&);
void add_rms_norm_cases(CaseList&);
void add_philox_cases(CaseList&);
void add_gemm_cases(CaseList&);
void add_gemv_cases(CaseList&);
void add_attention_cases(CaseList&);

// Turns a comparison over `checked` of `total` elements into a verdict.
void fill_verdict(bsc_case_verdict& verdict, const comparison& result, std::uint64_t checked, std::uint64_t total);
// The verdict on a value that must be exact: all elements were compared, the first wrong one is named.
void fill_exact_verdict(bsc_case_verdict& verdict, std::uint64_t total, std::uint64_t wrong_index, const std::string& message);
inline constexpr std::uint64_t kNothingWrong = UINT64_MAX;

// First element that still holds the tools' poison (all bits one), or kNothingWrong. Where a reference is sampled, this
// still looks at every element.
std::uint64_t find_poison(const float* values, std::uint64_t count);

std::vector<float> random_floats(std::uint64_t count, std::uint64_t seed);

// "4,096" is harder to match than "4096": plain digits.
std::string dimensions_text(std::initializer_list<std::pair<const char*, std::uint64_t>> dimensions);

}  // namespace bascule::kernels
