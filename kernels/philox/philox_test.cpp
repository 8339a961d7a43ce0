// Philox4x32-10 on every CPU level: the published known answers, every size, every split, counters that carry.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include "kernels/common/guarded_buffer.hpp"
#include "kernels/common/random_data.hpp"
#include "kernels/common/test_launcher.hpp"
#include "kernels/philox/philox_arguments.hpp"
#include "kernels/philox/philox_reference.hpp"
#include "tests/support/seed.hpp"

namespace bascule::kernels {
namespace {

std::vector<level_entries> levels() {
  return runnable_levels(x86_64_v2::philox_entries, x86_64_v3::philox_entries, x86_64_v4::philox_entries,
                         x86_64_v4_on_v3::philox_entries);
}

bsc_status launch(const level_entries& level, const philox_arguments& arguments, const split& how = {4, 1, 1}) {
  return launch_items(find_entry(level, "philox4x32_10_u32"), &arguments, arguments.n, how);
}

struct known_answer {
  std::array<std::uint32_t, 4> counter;
  std::array<std::uint32_t, 2> key;
  std::array<std::uint32_t, 4> output;
};

// From Random123's kat_vectors.
const known_answer kKnown[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

uint64_t join(std::uint32_t low, std::uint32_t high) { return low | uint64_t{high} << 32; }

TEST_CASE("philox and its reference give Random123's known answers") {
  for (const auto& known : kKnown) {
    CHECK(philox_block(known.counter, known.key) == known.output);
    for (const auto& level : levels())
      for (uint64_t n : {4, 1000}) {
        GuardedBuffer<std::uint32_t> output(n, 1);
        REQUIRE(launch(level, {n, join(known.key[0], known.key[1]), join(known.counter[0], known.counter[1]),
                               join(known.counter[2], known.counter[3]), output.argument()}) == BSC_OK);
        for (int i = 0; i < 4; ++i) CHECK(output[i] == known.output[i]);
      }
  }
}

void matches_reference(const level_entries& level, uint64_t n, uint64_t offset, uint64_t low, uint64_t high,
                       uint64_t key, const split& how) {
  INFO(level.name, " n=", n, " offset=", offset, " counter=", high, ":", low, " key=", key, " grain=", how.grain);
  GuardedBuffer<std::uint32_t> output(n, offset);
  REQUIRE(launch(level, {n, key, low, high, output.argument()}, how) == BSC_OK);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < n; ++i) wrong += output[i] != philox_reference(key, low, high, i);
  CHECK(wrong == 0);
  CHECK(output.intact());
}

TEST_CASE("philox is right for every small size, at every offset, under any split") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t n = 0; n < 150; ++n)
      matches_reference(level, n, n % 16, random.bits(), random.bits(), random.bits(),
                        {1 + random.below(9), 1 + random.below(6), 1});
}

TEST_CASE("philox fills many words on two threads") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    matches_reference(level, 100003, 5, random.bits(), random.bits(), random.bits(), {1024, 100, 2});
}

TEST_CASE("philox carries from the low half of the counter into the high half, and wraps at its end") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t before = 0; before < 20; ++before) {
      matches_reference(level, 133, 0, ~uint64_t{0} - before, 7, random.bits(), {4, 3, 1});
      matches_reference(level, 133, 0, ~uint64_t{0} - before, ~uint64_t{0}, random.bits(), {4, 3, 1});
    }
}

TEST_CASE("philox refuses a buffer shorter than n") {
  for (const auto& level : levels()) {
    GuardedBuffer<std::uint32_t> output(10);
    CHECK(launch(level, {11, 0, 0, 0, output.argument()}) == BSC_INVALID_ARGUMENT);
    CHECK(launch(level, {4, 0, 0, 0, {nullptr, 16}}) == BSC_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace bascule::kernels
