// Reading 64-bit ELF files of any machine out of memory, with every offset checked: images are foreign data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bascule::gpu {

struct ElfSymbol {
  std::string name;
  unsigned char other;  // the machine's own flags
};

class ElfFile {
 public:
  // False where it is no complete little-endian ELF64 file. `bytes` must outlive it.
  bool open(std::span<const std::byte> bytes);

  std::uint16_t machine() const { return machine_; }
  std::uint32_t flags() const { return flags_; }
  // Function symbols that are defined and global or weak, from the symbol table or, without one, the dynamic one.
  std::vector<ElfSymbol> functions() const;
  // The description of the first note with this owner and type.
  std::optional<std::span<const std::byte>> note(std::string_view owner, std::uint32_t type) const;

 private:
  struct Section {
    std::uint32_t type;
    std::uint32_t link;
    std::uint64_t offset;
    std::uint64_t size;
    std::uint64_t entry_size;
  };

  std::span<const std::byte> contents(std::uint64_t offset, std::uint64_t size) const;  // empty where it is outside
  std::vector<ElfSymbol> functions_of(const Section& table) const;

  std::span<const std::byte> bytes_;
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::vector<Section> sections_;
};

}  // namespace bascule::gpu
