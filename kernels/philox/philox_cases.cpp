// Cases of Philox4x32-10: bit-exact.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../cases/case_list.hpp"
#include "philox_reference.hpp"

namespace bascule::kernels {
namespace {

class PhiloxData final : public CaseData {
 public:
  // near_wrap: the counter passes 2^64 and 2^128 within the output.
  PhiloxData(std::uint64_t n, bool near_wrap, std::uint64_t seed) : n_(n) {
    RandomData random(seed);
    key_ = random.bits();
    counter_low_ = near_wrap ? UINT64_MAX - 2 : random.bits();
    counter_high_ = near_wrap ? UINT64_MAX : random.bits();
    add_scalar(n_);
    add_scalar(key_);
    add_scalar(counter_low_);
    add_scalar(counter_high_);
    add_output<std::uint32_t>(n);
  }

  void check(const void* const* outputs, bsc_case_verdict& verdict) override {
    const auto* words = static_cast<const std::uint32_t*>(outputs[4]);
    for (std::uint64_t i = 0; i < n_; ++i) {
      const std::uint32_t expected = philox_reference(key_, counter_low_, counter_high_, i);
      if (words[i] != expected) {
        return fill_exact_verdict(verdict, n_, i, "word " + std::to_string(i) + " is " + std::to_string(words[i]) + ", expected " + std::to_string(expected));
      }
    }
    fill_exact_verdict(verdict, n_, kNothingWrong, "");
  }

 private:
  std::uint64_t n_, key_ = 0, counter_low_ = 0, counter_high_ = 0;
};

void add_one(CaseList& list, std::uint64_t n, bool near_wrap, const std::string& prefix) {
  CaseDefinition definition;
  definition.kernel = "philox4x32_10_u32";
  definition.shape = dimensions_text({{"n", n}});
  definition.label = prefix + "philox4x32_10 " + definition.shape + (near_wrap ? ", counter wraps" : "");
  definition.number_format = "u32";
  definition.math_mode = "integer";
  definition.distribution = "random key and counter";
  definition.bytes = 4.0 * static_cast<double>(n);
  definition.operations = static_cast<double>(n);
  definition.operation_unit = "word";
  definition.device_bytes = 4 * n;
  definition.make = [n, near_wrap](std::uint64_t seed) { return std::make_unique<PhiloxData>(n, near_wrap, seed); };
  list.add(std::move(definition));
}

}  // namespace

void add_philox_cases(CaseList& list) {
  if (list.wants("selftest")) {
    for (const std::uint64_t n : {0ull, 1ull, 3ull, 4ull, 5ull, 31ull, 1023ull, 65537ull, (1ull << 18) + 3}) {
      add_one(list, n, false, "");
      add_one(list, n, true, "");
    }
  }
  if (list.wants("quick")) add_one(list, 1 << 22, false, "");
  if (list.wants("llm")) add_one(list, 512 * 4096, false, "dropout mask, 512 tokens of llama3-8b: ");
}

}  // namespace bascule::kernels
