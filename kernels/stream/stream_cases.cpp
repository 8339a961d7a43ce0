// Cases of the stream kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include "../cases/case_list.hpp"
#include "stream_reference.hpp"

namespace bascule::kernels {
namespace {

constexpr float kScalar = 0.4f;  // BabelStream's

enum class Operation { copy, scale, add, triad, dot };

struct Traits {
  Operation operation;
  const char* kernel;
  int arrays;      // read or written once each
  int operations;  // per element
};
constexpr Traits kTraits[] = {{Operation::copy, "stream_copy_f32", 2, 0},
                              {Operation::scale, "stream_scale_f32", 2, 1},
                              {Operation::add, "stream_add_f32", 3, 1},
                              {Operation::triad, "stream_triad_f32", 3, 2},
                              {Operation::dot, "stream_dot_f32", 2, 2}};

class StreamData final : public CaseData {
 public:
  StreamData(Operation operation, std::uint64_t n, std::uint64_t seed)
      : operation_(operation), n_(n), first_(random_floats(n, seed)), second_(has_two_inputs() ? random_floats(n, seed + 1) : std::vector<float>()) {
    add_scalar(n_);
    if (operation == Operation::scale || operation == Operation::triad) add_scalar(kScalar);
    add_input(first_);
    if (has_two_inputs()) add_input(second_);
    add_output<float>(operation == Operation::dot ? 1 : n);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* result = static_cast<const float*>(outputs[arguments.size() - 1]);
    comparison worst;
    if (operation_ == Operation::dot) {
      const reference_value expected = stream_dot_reference(first_.data(), second_.data(), n_);
      compare_element(worst, 0, result[0], expected.value, expected.allowed);
      return fill_verdict(verdict, worst, 1, 1);
    }
    for (std::uint64_t i = 0; i < n_; ++i) {
      const reference_value expected = reference(i);
      compare_element(worst, i, result[i], expected.value, expected.allowed);
    }
    fill_verdict(verdict, worst, n_, n_);
  }

 private:
  bool has_two_inputs() const { return operation_ == Operation::add || operation_ == Operation::triad || operation_ == Operation::dot; }

  reference_value reference(std::uint64_t i) const {
    switch (operation_) {
      case Operation::copy: return {first_[i], 0};
      case Operation::scale: return stream_scale_reference(kScalar, first_[i]);
      case Operation::add: return stream_add_reference(first_[i], second_[i]);
      default: return stream_triad_reference(kScalar, first_[i], second_[i]);
    }
  }

  Operation operation_;
  std::uint64_t n_;
  std::vector<float> first_, second_;
};

void add_one(CaseList& list, const Traits& traits, std::uint64_t n, const std::string& prefix) {
  const double bytes = 4.0 * traits.arrays * static_cast<double>(n);
  CaseDefinition definition;
  definition.kernel = traits.kernel;
  definition.shape = dimensions_text({{"n", n}});
  definition.label = prefix + std::string(traits.kernel) + " " + definition.shape;
  definition.bytes = bytes;
  definition.device_bytes = static_cast<std::uint64_t>(bytes);
  definition.make = [operation = traits.operation, n](std::uint64_t seed) { return std::make_unique<StreamData>(operation, n, seed); };
  list.add(std::move(definition));
}

}  // namespace

void add_stream_cases(CaseList& list) {
  if (list.wants("overhead")) add_one(list, kTraits[0], 1, "submit and wait: ");
  for (const Traits& traits : kTraits) {
    if (list.wants("selftest")) {
      for (const std::uint64_t n : {0ull, 1ull, 3ull, 31ull, 33ull, 255ull, 1023ull, 65537ull, (1ull << 20) + 7}) add_one(list, traits, n, "");
    }
    if (list.wants("quick")) add_one(list, traits, 1 << 22, "");
    if (list.wants("stream")) {
      for (const std::uint64_t n : {1ull << 20, 33554432ull}) {
        if (list.fits(0, 12 * n)) add_one(list, traits, n, "");
      }
    }
  }
  // A residual connection adds one activation to another: tokens x hidden size of Llama 3 8B.
  if (list.wants("llm")) add_one(list, kTraits[2], 512 * 4096, "llama3-8b residual, 512 tokens: ");
}

}  // namespace bascule::kernels
