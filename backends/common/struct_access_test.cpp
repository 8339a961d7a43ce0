// ABI structs of other sizes than ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/struct_access.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

using bascule::backend::find_in_chain;
using bascule::backend::read_struct;
using bascule::backend::StridedSpan;
using bascule::backend::write_struct;

TEST_CASE("fields beyond an older writer's size read as zero") {
  bsc_plugin_memory_description given;
  std::memset(&given, 0xAB, sizeof given);
  given.bytes = 42;
  for (std::size_t size = 0; size <= sizeof given; ++size) {
    given.header = {static_cast<std::uint32_t>(size), BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    const auto read = read_struct(&given);
    CHECK(read.bytes == (size >= offsetof(bsc_plugin_memory_description, bytes) + 8 ? 42 : read.bytes));
    if (size <= offsetof(bsc_plugin_memory_description, bytes)) CHECK(read.bytes == 0);
    if (size <= offsetof(bsc_plugin_memory_description, alignment)) CHECK(read.alignment == 0);
    if (size == sizeof given) CHECK(read.alignment == 0xABABABABABABABABu);
  }
}

TEST_CASE("a newer writer's longer struct is read up to what we know") {
  struct Newer {
    bsc_plugin_memory_description known;
    std::uint64_t unknown;
  } given = {};
  given.known.header = {sizeof given, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  given.known.bytes = 5;
  given.unknown = 99;
  CHECK(read_struct(&given.known).bytes == 5);
}

TEST_CASE("writing never touches the header nor a byte beyond the reader's size") {
  bsc_plugin_times value = {};
  value.submitted = 1;
  value.started = 2;
  value.ended = 3;
  value.resolution = 4;
  for (std::uint32_t size = 0; size <= sizeof value; ++size) {
    bsc_plugin_times target;
    std::memset(&target, 0x5A, sizeof target);
    target.header = {size, BSC_STRUCT_TIMES, nullptr};
    write_struct(&target, value);
    CHECK(target.header.size == size);
    CHECK(target.header.type == BSC_STRUCT_TIMES);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&target);
    for (std::size_t at = std::max<std::size_t>(size, sizeof(bsc_struct)); at < sizeof target; ++at) CHECK(bytes[at] == 0x5A);
    if (size == sizeof value) CHECK(target.resolution == 4);
  }
}

TEST_CASE("array elements are found by the writer's stride") {
  struct Wide {
    bsc_plugin_capability known;
    char extension[24];
  };
  std::array<Wide, 3> wide = {};
  for (int i = 0; i < 3; ++i) wide[static_cast<std::size_t>(i)].known = {"name", i, ""};
  const StridedSpan<bsc_plugin_capability> span(&wide[0].known, wide.size(), sizeof(Wide));
  REQUIRE(span.valid());
  std::int64_t expected = 0;
  for (const bsc_plugin_capability& capability : span) CHECK(capability.value == expected++);
  CHECK(expected == 3);
  CHECK(span[2].value == 2);
}

TEST_CASE("narrow elements leave the missing fields zero") {
  const std::array<const char*, 2> names = {"a", "b"};  // as bsc_plugin_option_value once had a name only
  const StridedSpan<bsc_plugin_option_value> span(reinterpret_cast<const bsc_plugin_option_value*>(names.data()), 2,
                                                  sizeof(const char*));
  CHECK(span[1].name == names[1]);
  CHECK(span[1].value == nullptr);
}

TEST_CASE("an array without address or stride is not walked") {
  CHECK_FALSE(StridedSpan<bsc_plugin_capability>(nullptr, 1, 24).valid());
  const bsc_plugin_capability one = {};
  CHECK_FALSE(StridedSpan<bsc_plugin_capability>(&one, 2, 0).valid());
  const StridedSpan<bsc_plugin_capability> none(nullptr, 0, 0);
  CHECK(none.valid());
  CHECK(none.begin() == none.end());
}

TEST_CASE("a chained struct is found behind ones of unknown type") {
  const bsc_struct last = {sizeof(bsc_struct), BSC_STRUCT_HOST_TABLE_IMAGE, nullptr};
  const bsc_struct unknown = {sizeof(bsc_struct), 9999, &last};
  const bsc_struct head = {sizeof(bsc_struct), BSC_STRUCT_IMAGE, &unknown};
  CHECK(find_in_chain(head, BSC_STRUCT_HOST_TABLE_IMAGE) == &last);
  CHECK(find_in_chain(head, BSC_STRUCT_TIMES) == nullptr);
}
