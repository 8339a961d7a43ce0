// Checks of ELF images by machine and flags, as AMD's and NVIDIA's drivers make them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/standin_gpu/image_check.hpp"

#include <elf.h>

#include <cstring>

namespace bascule::standin {
namespace {

constexpr int kInvalidImage = 200;
constexpr int kNoBinary = 209;

constexpr std::uint16_t kAmd = 224;
constexpr std::uint32_t kXnackBits = 0x300;  // 0x200: off, 0x300: on; else either
constexpr std::uint32_t kXnackOff = 0x200;
constexpr std::uint32_t kXnackOn = 0x300;

struct Processor {
  std::uint32_t number;
  const char* name;
};
// EF_AMDGPU_MACH of those that the tests name.
constexpr Processor kProcessors[] = {{0x3f, "gfx90a"}, {0x4c, "gfx942"}, {0x41, "gfx1100"}, {0x4e, "gfx1201"}};

bool fits(std::uint32_t flags, const std::string& architecture) {
  for (const Processor& processor : kProcessors) {
    if (processor.number != (flags & 0xff)) continue;
    if (architecture.substr(0, architecture.find(':')) != processor.name) return false;
    const std::uint32_t xnack = flags & kXnackBits;
    if (xnack == kXnackOn) return architecture.find("xnack+") != std::string::npos;
    if (xnack == kXnackOff) return architecture.find("xnack-") != std::string::npos;
    return true;
  }
  return false;
}

}  // namespace

int check_image(const void* image, const std::string& architecture) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return kInvalidImage;
  if (header.e_machine != kAmd) return 0;
  return fits(header.e_flags, architecture) ? 0 : kNoBinary;
}

}  // namespace bascule::standin
