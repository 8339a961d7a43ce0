// Reads the note .note.gnu.build-id of the library that this file is linked into.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace bascule::backend {
namespace {

using Text = std::array<char, 2 * 64 + 1>;

struct Search {
  std::uintptr_t inside;  // an address within the wanted library
  Text text;
};

bool contains(const dl_phdr_info& library, std::uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library.dlpi_phdr[i];
    const std::uintptr_t start = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address - start < segment.p_memsz) return true;
  }
  return false;
}

void write_hexadecimal(const unsigned char* bytes, std::size_t count, Text& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::size_t length = 0;
  for (std::size_t i = 0; i < count && length + 2 < text.size(); ++i) {
    text[length++] = kDigits[bytes[i] >> 4];
    text[length++] = kDigits[bytes[i] & 15];
  }
  text[length] = '\0';
}

// Notes lie one behind the other: header, name and description, each padded to 4 bytes.
void read_notes(const unsigned char* at, std::size_t bytes, Text& text) {
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::size_t whole = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > bytes) return;
    const bool is_gnu = note.n_namesz == 4 && std::memcmp(at + sizeof note, "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID) {
      write_hexadecimal(at + sizeof note + padded(note.n_namesz), note.n_descsz, text);
      return;
    }
    at += whole;
    bytes -= whole;
  }
}

int visit(dl_phdr_info* library, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!contains(*library, search.inside)) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    read_notes(reinterpret_cast<const unsigned char*>(library->dlpi_addr + segment.p_vaddr), segment.p_memsz, search.text);
  }
  return 1;
}

Text find_build_id() {
  Search search = {reinterpret_cast<std::uintptr_t>(&find_build_id), {"unknown"}};
  dl_iterate_phdr(visit, &search);
  return search.text;
}

}  // namespace

const char* build_id() noexcept {
  static const Text text = find_build_id();
  return text.data();
}

}  // namespace bascule::backend
