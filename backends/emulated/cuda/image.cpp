// See image.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/image.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

#include "backends/emulated/cuda/call.hpp"

namespace bascule::emulated {
namespace {

constexpr std::string_view kLinked = "BASCULE-LINKED-1\n";
constexpr std::string_view kElf = "\177ELF";
constexpr std::uint32_t kFatbinWrapper = 0x466243b1;
constexpr std::uint32_t kFatbin = 0xba55ed50;

// What nvcc puts around a fat binary that it embeds in a program.
struct FatbinWrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
  const void* unused;
};

struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  // behind the header
};

struct FatbinEntry {
  std::uint16_t kind;  // 1: PTX, 2: ELF
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // behind the header, padded
  std::uint32_t compressed_bytes;
  std::uint32_t unknown;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t architecture;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
};

constexpr std::uint16_t kPtxEntry = 1;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000 | 0x1000;  // LZ4, Zstandard, and what older tools used

std::string_view skip_space(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.size(), text.find('\n')));
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else {
      return text;
    }
  }
}

int take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string checked(std::string_view text, const Gpu& gpu) {
  const PtxHeader header = read_ptx_header(text);
  if (header.version > gpu.ptx_version) {
    refuse(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX is of version {}.{}; this driver takes up to {}.{}", header.version / 10, header.version % 10,
           gpu.ptx_version / 10, gpu.ptx_version % 10);
  }
  const int own = gpu.compute_capability();
  if (header.target > own || (header.specific && header.target != own)) {
    refuse(CUDA_ERROR_INVALID_PTX, "the PTX is for sm_{}{}; the GPU is {}", header.target, header.specific ? "a" : "", gpu.architecture);
  }
  return std::string(text);
}

std::string ptx_of_fatbin(const std::byte* data, const Gpu& gpu) {
  FatbinHeader header;
  std::memcpy(&header, data, sizeof header);
  const std::byte* at = data + header.header_bytes;
  const std::byte* const end = at + header.bytes;
  std::string_view best;
  std::uint32_t best_architecture = 0;
  unsigned machine = 0, compressed = 0, newer = 0;
  while (at < end && static_cast<std::size_t>(end - at) >= sizeof(FatbinEntry)) {
    FatbinEntry entry;
    std::memcpy(&entry, at, sizeof entry);
    if (entry.header_bytes < sizeof entry || entry.bytes > static_cast<std::uint64_t>(end - at) - entry.header_bytes) {
      refuse(CUDA_ERROR_INVALID_IMAGE, "the fat binary is damaged: an entry of {} bytes does not fit", entry.bytes);
    }
    const auto* const content = reinterpret_cast<const char*>(at + entry.header_bytes);
    if (entry.kind != kPtxEntry) {
      ++machine;
    } else if ((entry.flags & kCompressed) != 0) {
      ++compressed;
    } else if (static_cast<int>(entry.architecture) > gpu.compute_capability()) {
      ++newer;
    } else if (entry.architecture > best_architecture) {
      best = {content, strnlen(content, entry.bytes)};
      best_architecture = entry.architecture;
    }
    at += entry.header_bytes + entry.bytes;
  }
  if (best.empty()) {
    refuse(CUDA_ERROR_NO_BINARY_FOR_GPU,
           "the fat binary has no PTX that can run here: {} entries of machine code, {} of compressed PTX (build with nvcc --no-compress), {} of PTX for "
           "newer GPUs",
           machine, compressed, newer);
  }
  return checked(best, gpu);
}

}  // namespace

PtxHeader read_ptx_header(std::string_view text) {
  PtxHeader header;
  text = skip_space(text);
  if (!text.starts_with(".version")) return header;
  text = skip_space(text.substr(8));
  const int major = take_number(text);
  if (text.starts_with(".")) text.remove_prefix(1);
  header.version = 10 * major + take_number(text);
  text = skip_space(text);
  if (!text.starts_with(".target")) return header;
  text = skip_space(text.substr(7));
  if (!text.starts_with("sm_")) return header;
  text.remove_prefix(3);
  header.target = take_number(text);
  header.specific = text.starts_with("a") || text.starts_with("f");
  return header;
}

std::string ptx_of_image(const void* image, std::size_t bytes, const Gpu& gpu) {
  const auto* const data = static_cast<const std::byte*>(image);
  const auto* const characters = static_cast<const char*>(image);
  const std::size_t limit = bytes != 0 ? bytes : std::numeric_limits<std::size_t>::max();
  const auto begins_with = [&](std::string_view magic) { return limit >= magic.size() && std::strncmp(characters, magic.data(), magic.size()) == 0; };
  if (begins_with(kElf)) {
    refuse(CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code (a cubin) cannot run on an emulated GPU; give PTX");
  }
  if (begins_with(kLinked)) {
    const std::string_view text(characters + kLinked.size(), strnlen(characters + kLinked.size(), limit - kLinked.size()));
    return checked(text, gpu);
  }
  std::uint32_t magic = 0;
  const bool has_magic = strnlen(characters, std::min<std::size_t>(limit, 4)) == 4;
  if (has_magic) std::memcpy(&magic, data, 4);
  if (magic == kFatbinWrapper) {
    FatbinWrapper wrapper;
    std::memcpy(&wrapper, data, sizeof wrapper);
    std::memcpy(&magic, wrapper.data, sizeof magic);
    if (magic != kFatbin) refuse(CUDA_ERROR_INVALID_IMAGE, "the wrapper of a fat binary leads to something else");
    return ptx_of_fatbin(static_cast<const std::byte*>(wrapper.data), gpu);
  }
  if (magic == kFatbin) return ptx_of_fatbin(data, gpu);
  const std::string_view text(characters, strnlen(characters, limit));
  if (text.find(".version") == std::string_view::npos) {
    refuse(CUDA_ERROR_INVALID_IMAGE, "the image is neither PTX nor a container of it: it begins with \"{}\"", text.substr(0, 16));
  }
  return checked(text, gpu);
}

std::string make_linked_image(std::string_view text) { return std::string(kLinked) + std::string(text); }

}  // namespace bascule::emulated
