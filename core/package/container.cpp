// Reading and writing containers. Numbers are little-endian and are copied, never pointed at: a package may lie at any
// address, and its bytes may be anybody's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/container.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/hash.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

static_assert(std::endian::native == std::endian::little, "the container is written as the numbers lie in memory");

constexpr std::array<char, 8> kMagic = {'B', 'S', 'C', 'P', 'K', 'G', '\r', '\n'};
constexpr std::uint32_t section_type(const char (&name)[5]) {
  return static_cast<std::uint32_t>(name[0]) | static_cast<std::uint32_t>(name[1]) << 8 |
         static_cast<std::uint32_t>(name[2]) << 16 | static_cast<std::uint32_t>(name[3]) << 24;
}
constexpr std::uint32_t kMetadataSection = section_type("meta");
constexpr std::uint32_t kImageSection = section_type("imge");

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t section_count;
  std::uint64_t total_bytes;
  std::uint64_t reserved[3];  // 0
  std::uint64_t hash_high;    // XXH3-128 of the header's first 48 bytes and the section table
  std::uint64_t hash_low;
};
static_assert(sizeof(Header) == 64);
constexpr std::size_t kHashedHeaderBytes = 48;

struct Section {
  std::uint32_t type;
  std::uint32_t reserved;  // 0
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t hash_high;
  std::uint64_t hash_low;
  std::uint64_t reserved2;  // 0
};
static_assert(sizeof(Section) == 48);

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + kContainerAlignment - 1) / kContainerAlignment * kContainerAlignment; }

Hash128 table_hash(const Header& header, const std::byte* table, std::size_t table_bytes) {
  Hasher hasher;
  hasher.add(&header, kHashedHeaderBytes);
  hasher.add(table, table_bytes);
  return hasher.finish();
}

class Reader {
 public:
  Reader(std::span<const std::byte> data, std::string_view origin) : data_(data), origin_(origin) {}

  Result<Container> read() {
    BSC_RETURN_IF_ERROR(read_header());
    Container container;
    bool has_metadata = false;
    std::uint64_t end_of_last = table_end();
    for (std::uint32_t i = 0; i < header_.section_count; ++i) {
      const Section section = section_at(i);
      BSC_RETURN_IF_ERROR(check_section(section, i, end_of_last));
      end_of_last = section.offset + section.bytes;
      const auto content = data_.subspan(section.offset, section.bytes);
      if (section.type == kMetadataSection) {
        if (has_metadata) return damaged(concat("section ", i, " is a second metadata section"));
        if (section.bytes > kMaxMetadataBytes) {
          return damaged(concat("its metadata has ", section.bytes, " bytes, the limit is ", kMaxMetadataBytes));
        }
        has_metadata = true;
        container.metadata = {reinterpret_cast<const char*>(content.data()), content.size()};
      } else if (section.type == kImageSection) {
        container.images.push_back(content);
      }
    }
    if (!has_metadata) return damaged("it has no metadata section");
    return container;
  }

 private:
  Error damaged(std::string_view what) const {
    return Error{BSC_INVALID_PACKAGE, concat(origin_, ": ", what), "make the package again with `bascule pack`, or copy it again"};
  }

  std::uint64_t table_end() const { return sizeof(Header) + std::uint64_t{header_.section_count} * sizeof(Section); }

  Status read_header() {
    if (data_.size() < kMagic.size() || std::memcmp(data_.data(), kMagic.data(), kMagic.size()) != 0) {
      return damaged(concat("it is no package: ", data_.empty() ? "it is empty" : "its first bytes are not those of one"));
    }
    if (data_.size() < sizeof(Header)) return damaged(concat("it is cut off: ", data_.size(), " bytes are less than its header"));
    std::memcpy(&header_, data_.data(), sizeof header_);
    if (header_.version != kContainerVersion) {
      return Error{BSC_INVALID_PACKAGE,
                   concat(origin_, ": it has package format ", header_.version, ", this library reads ", kContainerVersion),
                   header_.version > kContainerVersion ? "use a newer Bascule" : "make the package again with `bascule pack`"};
    }
    if (header_.total_bytes != data_.size()) {
      return damaged(concat("it has ", data_.size(), " bytes, its header says ", header_.total_bytes));
    }
    if (header_.section_count > kMaxSections) {
      return damaged(concat("it has ", header_.section_count, " sections, the limit is ", kMaxSections));
    }
    if (table_end() > data_.size()) return damaged(concat("its table of ", header_.section_count, " sections reaches past its end"));
    const Hash128 hash = table_hash(header_, data_.data() + sizeof(Header), table_end() - sizeof(Header));
    if (hash.high != header_.hash_high || hash.low != header_.hash_low) return damaged("its section table is damaged: the hash differs");
    return {};
  }

  Section section_at(std::uint32_t index) const {
    Section section;
    std::memcpy(&section, data_.data() + sizeof(Header) + std::size_t{index} * sizeof(Section), sizeof section);
    return section;
  }

  // Sections lie in the order of the table, so that none can overlap another.
  Status check_section(const Section& section, std::uint32_t index, std::uint64_t end_of_last) const {
    if (section.offset % kContainerAlignment != 0) return damaged(concat("section ", index, " starts at ", section.offset, ", no multiple of 64"));
    if (section.offset < end_of_last) return damaged(concat("section ", index, " overlaps what lies before it"));
    if (section.offset > data_.size() || section.bytes > data_.size() - section.offset) {
      return damaged(concat("section ", index, " (", section.bytes, " bytes at ", section.offset, ") reaches past the end"));
    }
    const Hash128 hash = hash128(data_.data() + section.offset, section.bytes);
    if (hash.high != section.hash_high || hash.low != section.hash_low) {
      return damaged(concat("section ", index, " is damaged: its hash differs"));
    }
    return {};
  }

  std::span<const std::byte> data_;
  std::string_view origin_;
  Header header_{};
};

}  // namespace

Result<Container> read_container(std::span<const std::byte> data, std::string_view origin) { return Reader(data, origin).read(); }

Result<std::vector<std::byte>> write_container(std::string_view metadata, const std::vector<std::span<const std::byte>>& images) {
  if (metadata.size() > kMaxMetadataBytes || images.size() + 1 > kMaxSections) {
    return Error{BSC_LIMIT_EXCEEDED, concat("a package holds at most ", kMaxMetadataBytes, " bytes of metadata and ", kMaxSections - 1,
                                          " images"),
                 "split the package"};
  }
  std::vector<std::span<const std::byte>> contents;
  contents.push_back(std::as_bytes(std::span(metadata.data(), metadata.size())));
  contents.insert(contents.end(), images.begin(), images.end());

  std::vector<Section> table;
  std::uint64_t offset = sizeof(Header) + contents.size() * sizeof(Section);
  for (const auto content : contents) {
    offset = round_up(offset);
    const Hash128 hash = hash128(content.data(), content.size());
    table.push_back({table.empty() ? kMetadataSection : kImageSection, 0, offset, content.size(), hash.high, hash.low, 0});
    offset += content.size();
  }
  Header header{kMagic, kContainerVersion, static_cast<std::uint32_t>(table.size()), offset, {}, 0, 0};
  const auto* table_bytes = reinterpret_cast<const std::byte*>(table.data());
  const Hash128 hash = table_hash(header, table_bytes, table.size() * sizeof(Section));
  header.hash_high = hash.high;
  header.hash_low = hash.low;

  std::vector<std::byte> result(offset, std::byte{0});
  std::memcpy(result.data(), &header, sizeof header);
  std::memcpy(result.data() + sizeof header, table_bytes, table.size() * sizeof(Section));
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (!contents[i].empty()) std::memcpy(result.data() + table[i].offset, contents[i].data(), contents[i].size());
  }
  return result;
}

}  // namespace bascule::core
