// ELF header check: see elf.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
#error "add this machine's ELF number"
#endif
constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "i386";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "32-bit ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_PPC64:
      return "PowerPC 64";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine " + std::to_string(machine);
  }
}

Error refused(const std::string& path, const std::string& what) {
  return {BSC_BROKEN, path + " " + what, "Install the build of it that is made for this machine."};
}

Status check_header(const std::string& path, const ElfW(Ehdr) & header, std::size_t bytes) {
  if (bytes < EI_NIDENT || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return refused(path, "is not a shared object (no ELF header)");
  if (header.e_ident[EI_CLASS] != kClass) {
    return refused(path, header.e_ident[EI_CLASS] == ELFCLASS32 ? "is a 32-bit library, this process is 64-bit"
                                                                : "has an unknown ELF class");
  }
  if (header.e_ident[EI_DATA] != ELFDATA2LSB)
    return refused(path, "is a big-endian library, this machine is little-endian");
  if (bytes < sizeof header) return refused(path, "is cut off within its ELF header");
  if (header.e_machine != kMachine) {
    return refused(path, "is for " + machine_name(header.e_machine) + ", this machine is " + machine_name(kMachine));
  }
  if (header.e_type != ET_DYN) return refused(path, "is an ELF file but no shared object");
  return {};
}

// Whether the file has all the bytes that its segments claim. The dynamic linker maps them without asking, and touching
// a page beyond the end of a cut-off file is a bus error.
Status check_segments(const std::string& path, int file, const ElfW(Ehdr) & header, std::uint64_t file_bytes) {
  if (header.e_phnum == 0) return {};
  if (header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phnum > 1024)
    return refused(path, "has malformed program headers");
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  const std::size_t bytes = segments.size() * sizeof(ElfW(Phdr));
  if (header.e_phoff > file_bytes || file_bytes - header.e_phoff < bytes ||
      pread(file, segments.data(), bytes, static_cast<off_t>(header.e_phoff)) != static_cast<ssize_t>(bytes)) {
    return refused(path, "is cut off within its program headers");
  }
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type == PT_NULL || segment.p_filesz == 0) continue;
    if (segment.p_offset > file_bytes || segment.p_filesz > file_bytes - segment.p_offset) {
      return refused(path, "is cut off: it has " + std::to_string(file_bytes) + " bytes, a segment ends beyond them");
    }
  }
  return {};
}

}  // namespace

Status check_shared_object(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return system_error("open", path, errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return system_error("fstat", path, errno);
  if (!S_ISREG(status.st_mode)) return refused(path, "is no regular file");
  ElfW(Ehdr) header{};
  const ssize_t bytes = pread(file.get(), &header, sizeof header, 0);
  if (bytes < 0) return system_error("read", path, errno);
  BSC_RETURN_IF_ERROR(check_header(path, header, static_cast<std::size_t>(bytes)));
  return check_segments(path, file.get(), header, static_cast<std::uint64_t>(status.st_size));
}

}  // namespace bascule::core
