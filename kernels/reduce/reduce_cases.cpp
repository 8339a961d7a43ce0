// Cases of the reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <limits>

#include "../cases/case_list.hpp"
#include "reduce_reference.hpp"

namespace bascule::kernels {
namespace {

// What the inputs hold besides random numbers: the NaN and tie rules must hold at every size.
enum class Special { none, nan, ties, infinite };

std::vector<float> make_inputs(std::uint64_t n, Special special, std::uint64_t seed) {
  std::vector<float> x = random_floats(n, seed);
  if (n == 0) return x;
  RandomData random(seed + 1);
  switch (special) {
    case Special::none: break;
    case Special::nan: x[random.below(n)] = std::numeric_limits<float>::quiet_NaN(); break;
    case Special::ties:
      for (int i = 0; i < 3; ++i) x[random.below(n)] = 2.0f;
      break;
    case Special::infinite:
      for (float& value : x) value = -std::numeric_limits<float>::infinity();
      break;
  }
  return x;
}

class SumData final : public CaseData {
 public:
  SumData(std::uint64_t n, Special special, std::uint64_t seed) : n_(n), x_(make_inputs(n, special, seed)) {
    add_scalar(n_);
    add_input(x_);
    add_output<float>(1);
  }
  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const reference_value expected = reduce_sum_reference(x_.data(), n_);
    comparison worst;
    compare_element(worst, 0, *static_cast<const float*>(outputs[2]), expected.value, expected.allowed);
    fill_verdict(verdict, worst, 1, 1);
  }

 private:
  std::uint64_t n_;
  std::vector<float> x_;
};

class MaxData final : public CaseData {
 public:
  MaxData(std::uint64_t n, Special special, std::uint64_t seed) : n_(n), x_(make_inputs(n, special, seed)) {
    add_scalar(n_);
    add_input(x_);
    add_output<float>(1);
  }
  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    comparison worst;
    compare_element(worst, 0, *static_cast<const float*>(outputs[2]), reduce_max_reference(x_.data(), n_), 0);
    fill_verdict(verdict, worst, 1, 1);
  }

 private:
  std::uint64_t n_;
  std::vector<float> x_;
};

class ArgMaxData final : public CaseData {
 public:
  ArgMaxData(std::uint64_t n, Special special, std::uint64_t seed) : n_(n), x_(make_inputs(n, special, seed)) {
    add_scalar(n_);
    add_input(x_);
    add_output<std::uint64_t>(1);
  }
  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    std::uint64_t index;
    std::memcpy(&index, outputs[2], sizeof index);
    const std::uint64_t expected = arg_max_reference(x_.data(), n_);
    fill_exact_verdict(verdict, 1, index == expected ? kNothingWrong : 0,
                       "index is " + std::to_string(index) + ", expected " + std::to_string(expected));
  }

 private:
  std::uint64_t n_;
  std::vector<float> x_;
};

template <class Data>
void add_one(CaseList& list, const char* kernel, std::uint64_t n, Special special, const std::string& prefix) {
  CaseDefinition definition;
  definition.kernel = kernel;
  definition.shape = dimensions_text({{"n", n}});
  constexpr const char* kSuffixes[] = {"", ", one NaN", ", three equal maxima", ", all -inf"};
  definition.label = prefix + std::string(kernel) + " " + definition.shape + kSuffixes[static_cast<int>(special)];
  definition.bytes = 4.0 * static_cast<double>(n);
  definition.device_bytes = 4 * n + 8;
  definition.make = [n, special](std::uint64_t seed) { return std::make_unique<Data>(n, special, seed); };
  list.add(std::move(definition));
}

template <class Data>
void add_kernel(CaseList& list, const char* kernel) {
  if (list.wants("selftest")) {
    for (const std::uint64_t n : {0ull, 1ull, 31ull, 33ull, 1023ull, 32769ull, 1ull << 20}) {
      for (const Special special : {Special::none, Special::nan, Special::ties, Special::infinite}) {
        if (n > 0 || special == Special::none) add_one<Data>(list, kernel, n, special, "");
      }
    }
  }
  if (list.wants("quick")) add_one<Data>(list, kernel, 1 << 22, Special::none, "");
  if (list.wants("stream") && list.fits(0, 4ull << 26)) add_one<Data>(list, kernel, 1ull << 26, Special::none, "");
}

}  // namespace

void add_reduce_cases(CaseList& list) {
  add_kernel<SumData>(list, "reduce_sum_f32");
  add_kernel<MaxData>(list, "reduce_max_f32");
  add_kernel<ArgMaxData>(list, "arg_max_f32");
  // Greedy sampling: the largest logit over the vocabulary of Llama 3.
  if (list.wants("llm")) add_one<ArgMaxData>(list, "arg_max_f32", 128256, Special::none, "llama3-8b greedy sampling: ");
}

}  // namespace bascule::kernels
