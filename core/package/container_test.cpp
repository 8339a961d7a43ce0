// The binary container: hostile input gives errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/container.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <random>

#include "core/base/hash.hpp"
#include "core/package/test_packages.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::core;
using namespace bascule::core::testing;

namespace {

// A copy in memory of exactly that size, so that a sanitizer sees every byte read beyond it.
Result<Container> read_exactly(std::span<const std::byte> data) {
  const auto copy = std::make_unique<std::byte[]>(data.size());
  if (!data.empty()) std::memcpy(copy.get(), data.data(), data.size());
  return read_container({copy.get(), data.size()}, "test");
}

void put(std::vector<std::byte>& data, std::size_t offset, std::uint64_t value, std::size_t bytes) {
  std::memcpy(data.data() + offset, &value, bytes);
}

// Makes the table's hash right again, so that the checks behind it are reached.
void rehash(std::vector<std::byte>& data, std::size_t sections) {
  Hasher hasher;
  hasher.add(data.data(), 48);
  hasher.add(data.data() + 64, sections * 48);
  const Hash128 hash = hasher.finish();
  put(data, 48, hash.high, 8);
  put(data, 56, hash.low, 8);
}

std::string refusal(const std::vector<std::byte>& data) {
  auto container = read_exactly(data);
  REQUIRE_FALSE(container.ok());
  CHECK(container.error().status == BSC_INVALID_PACKAGE);
  CHECK(container.error().message.starts_with("test: "));
  return container.error().message;
}

}  // namespace

TEST_CASE("what was written is read: metadata, images in order, empty ones too") {
  const auto data = packed("{\"a\": 1}", {"image one", "", std::string(1000, 'x')});
  auto container = read_container(data, "test");
  REQUIRE(container.ok());
  CHECK(container->metadata == "{\"a\": 1}");
  REQUIRE(container->images.size() == 3);
  CHECK(std::memcmp(container->images[0].data(), "image one", 9) == 0);
  CHECK(container->images[1].empty());
  CHECK(container->images[2].size() == 1000);
  for (const auto image : container->images) {
    if (!image.empty()) CHECK((image.data() - data.data()) % 64 == 0);
  }
}

TEST_CASE("a package cut off at any byte is refused") {
  const auto data = packed(kAxpb, {"image"});
  for (std::size_t size = 0; size < data.size(); ++size) {
    CAPTURE(size);
    auto container = read_exactly(std::span(data).first(size));
    REQUIRE_FALSE(container.ok());
    REQUIRE(container.error().status == BSC_INVALID_PACKAGE);
  }
}

TEST_CASE("a package with bytes behind its end is refused") {
  auto data = packed("{}");
  data.push_back(std::byte{0});
  CHECK(contains(refusal(data), "its header says"));
}

TEST_CASE("any flipped bit outside the padding is noticed") {
  const auto data = packed("{\"a\": 1}", {"image"});
  // header, table of two sections, then the sections' contents
  const std::size_t table_end = 64 + 2 * 48;
  const std::size_t metadata = 192;
  const std::size_t image = 256;
  for (std::size_t byte = 0; byte < data.size(); ++byte) {
    const bool covered = byte < table_end || (byte >= metadata && byte < metadata + 8) || byte >= image;
    for (unsigned bit = 0; bit < 8 && covered; ++bit) {
      auto flipped = data;
      flipped[byte] ^= std::byte{static_cast<unsigned char>(1u << bit)};
      CAPTURE(byte);
      CAPTURE(bit);
      REQUIRE_FALSE(read_exactly(flipped).ok());
    }
  }
}

TEST_CASE("wrong magic, version and counts are told apart") {
  auto data = packed("{}", {"image"});
  auto changed = data;
  changed[0] = std::byte{'X'};
  CHECK(contains(refusal(changed), "no package"));
  CHECK(contains(refusal({}), "it is empty"));
  changed = data;
  put(changed, 8, 2, 4);
  CHECK(contains(refusal(changed), "package format 2, this library reads 1"));
  changed = data;
  put(changed, 12, 0xffffffff, 4);
  CHECK(contains(refusal(changed), "the limit is 65536"));
  changed = data;
  put(changed, 12, 65536, 4);
  CHECK(contains(refusal(changed), "reaches past its end"));
  changed = data;
  put(changed, 16, ~std::uint64_t{0}, 8);
  CHECK(contains(refusal(changed), "its header says 18446744073709551615"));
}

TEST_CASE("sections that overlap, lie outside or are not aligned are refused although every hash is right") {
  const auto data = packed("{}", {"image"});
  const std::size_t second = 64 + 48;  // entry of the image
  auto changed = data;
  put(changed, second + 8, ~std::uint64_t{0} - 63, 8);
  rehash(changed, 2);
  CHECK(contains(refusal(changed), "reaches past the end"));
  changed = data;
  put(changed, second + 16, ~std::uint64_t{0}, 8);
  rehash(changed, 2);
  CHECK(contains(refusal(changed), "reaches past the end"));
  changed = data;
  put(changed, second + 8, 192, 8);  // where the metadata is
  rehash(changed, 2);
  CHECK(contains(refusal(changed), "overlaps"));
  changed = data;
  put(changed, 64 + 8, 0, 8);  // the metadata over the header
  rehash(changed, 2);
  CHECK(contains(refusal(changed), "overlaps"));
  changed = data;
  put(changed, second + 8, 257, 8);
  rehash(changed, 2);
  CHECK(contains(refusal(changed), "no multiple of 64"));
}

TEST_CASE("unknown sections are skipped; two or no metadata sections are refused") {
  const auto data = packed("{}", {"image"});
  auto changed = data;
  put(changed, 64 + 48, 0x21212121, 4);
  rehash(changed, 2);
  auto container = read_exactly(changed);
  REQUIRE(container.ok());
  CHECK(container->images.empty());
  put(changed, 64, 0x21212121, 4);
  rehash(changed, 2);
  CHECK(contains(refusal(changed), "no metadata section"));
  changed = data;
  std::memcpy(changed.data() + 64 + 48, changed.data() + 64, 4);
  rehash(changed, 2);
  CHECK(contains(refusal(changed), "second metadata section"));
}

TEST_CASE("random bytes behind a right header never do more than fail") {
  const auto seed = bascule::test::seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const auto data = packed(kAxpb, {"image", "another image"});
  for (int round = 0; round < 3000; ++round) {
    auto changed = data;
    for (unsigned i = 0, count = 1 + static_cast<unsigned>(random() % 8); i < count; ++i) {
      changed[12 + random() % (changed.size() - 12)] = std::byte{static_cast<unsigned char>(random())};
    }
    if (changed == data) continue;
    if (random() % 2 == 0) rehash(changed, 3);
    auto container = read_exactly(changed);
    if (!container.ok()) CHECK(container.error().status == BSC_INVALID_PACKAGE);
  }
}

TEST_CASE("a loaded package finds kernels by name and names those there are") {
  const auto package = load(kAxpb, {"image"});
  CHECK(package->name() == "demo");
  REQUIRE(package->find("axpb_f32") != nullptr);
  auto missing = package->require("axpb");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().status == BSC_NOT_FOUND);
  CHECK(contains(missing.error().message, "it has axpb_f32"));
  CHECK(package->image(0).size() == 5);
  CHECK(contains(package->describe(), "\"image_bytes\": 5"));
}

TEST_CASE("a variant's hash follows its image, options and plan, not its place") {
  const auto hash = [](std::string_view metadata, const std::vector<std::string>& images) {
    return load(metadata, images)->kernels()[0].variants[1].hash;
  };
  const std::string base = hash(kAxpb, {"image"});
  CHECK(base.size() == 32);
  CHECK(hash(kAxpb, {"image"}) == base);
  CHECK(hash(replaced(std::string(kAxpb), R"("image": 0)", R"("image": 1)"), {"", "image"}) == base);
  CHECK(hash(kAxpb, {"other"}) != base);
  CHECK(hash(replaced(std::string(kAxpb), R"("BLOCK": 256)", R"("BLOCK": 128)"), {"image"}) != base);
}
