// ELF headers, symbols and notes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace bascule::gpu {
namespace {

template <class T>
bool read(std::span<const std::byte> bytes, std::uint64_t offset, T& value) {
  if (offset > bytes.size() || sizeof value > bytes.size() - offset) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

std::string text_at(std::span<const std::byte> strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const auto* const first = reinterpret_cast<const char*>(strings.data()) + offset;
  return {first, strnlen(first, strings.size() - offset)};
}

std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

}  // namespace

std::span<const std::byte> ElfFile::contents(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
  return bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

bool ElfFile::open(std::span<const std::byte> bytes) {
  bytes_ = bytes;
  sections_.clear();
  Elf64_Ehdr header;
  if (!read(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return false;
  machine_ = header.e_machine;
  flags_ = header.e_flags;
  if (header.e_shnum != 0 && header.e_shentsize < sizeof(Elf64_Shdr)) return false;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read(bytes, header.e_shoff + i * header.e_shentsize, section)) return false;
    const bool has_contents = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (has_contents && section.sh_size != 0 && contents(section.sh_offset, section.sh_size).empty()) return false;
    sections_.push_back({section.sh_type, section.sh_link, section.sh_offset, has_contents ? section.sh_size : 0,
                         section.sh_entsize});
  }
  return true;
}

std::vector<ElfSymbol> ElfFile::functions_of(const Section& table) const {
  std::vector<ElfSymbol> list;
  if (table.entry_size < sizeof(Elf64_Sym) || table.link >= sections_.size()) return list;
  const std::span<const std::byte> symbols = contents(table.offset, table.size);
  const std::span<const std::byte> names = contents(sections_[table.link].offset, sections_[table.link].size);
  Elf64_Sym symbol;
  for (std::uint64_t at = 0; read(symbols, at, symbol); at += table.entry_size) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    list.push_back({text_at(names, symbol.st_name), symbol.st_other});
  }
  return list;
}

std::vector<ElfSymbol> ElfFile::functions() const {
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    const auto table = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.type == type; });
    if (table != sections_.end()) return functions_of(*table);
  }
  return {};
}

std::optional<std::span<const std::byte>> ElfFile::note(std::string_view owner, std::uint32_t type) const {
  for (const Section& section : sections_) {
    if (section.type != SHT_NOTE) continue;
    const std::span<const std::byte> notes = contents(section.offset, section.size);
    Elf64_Nhdr header;
    for (std::uint64_t at = 0; read(notes, at, header);) {
      const std::uint64_t name = at + sizeof header;
      const std::uint64_t description = name + padded(header.n_namesz);
      const std::uint64_t end = description + header.n_descsz;
      if (end > notes.size()) break;
      if (header.n_type == type && text_at(notes.first(static_cast<std::size_t>(description)), name) == owner) {
        return notes.subspan(static_cast<std::size_t>(description), header.n_descsz);
      }
      at = description + padded(header.n_descsz);
    }
  }
  return std::nullopt;
}

}  // namespace bascule::gpu
