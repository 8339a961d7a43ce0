// philox.cl
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/philox/philox.cl.hpp"

#include "tests/opencl_kernels/kernel_runner.hpp"

using namespace bascule::opencl::test;

namespace {

struct Form {
  const char* kernel;
  std::uint64_t words;  // per work item
};
constexpr Form kForms[] = {{"philox4x32_10", 4}, {"philox4x32_10_item", 32}};

std::vector<std::uint32_t> generate(KernelRunner& runner, const Form& form, std::uint64_t n, std::uint64_t key,
                                    std::uint64_t low, std::uint64_t high) {
  const auto output = runner.poisoned<std::uint32_t>(n);
  Launch launch = runner.launch(form.kernel, ceil_divide(n, form.words * 16), 16);
  split(launch.value(n).value(key).value(low).value(high), output);
  runner.run({launch.command()});
  return runner.read(output);
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the published answers in both forms") {
  KernelRunner runner(bascule::embedded::philox_philox_cl);
  using Words = std::vector<std::uint32_t>;
  for (const Form& form : kForms) {
    CAPTURE(form.kernel);
    CHECK(generate(runner, form, 4, 0, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(generate(runner, form, 4, ~0ull, ~0ull, ~0ull) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(generate(runner, form, 4, 0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  }
}

TEST_CASE("a stream may be cut anywhere, its counter carries over 64 bits, and both forms make the same one") {
  KernelRunner runner(bascule::embedded::philox_philox_cl);
  const auto whole = generate(runner, kForms[0], 1003, 42, ~0ull - 10, 6);
  for (const Form& form : kForms) {
    CAPTURE(form.kernel);
    for (const std::uint64_t n : {0, 1, 2, 3, 4, 5, 31, 32, 33, 511, 512, 513, 1003}) {
      CAPTURE(n);
      const auto part = generate(runner, form, n, 42, ~0ull - 10, 6);
      CHECK(std::equal(part.begin(), part.end(), whole.begin()));
    }
    const auto after = generate(runner, form, 4, 42, 0, 7);  // 11 counters later
    CHECK(std::equal(after.begin(), after.end(), whole.begin() + 44));
  }
}
