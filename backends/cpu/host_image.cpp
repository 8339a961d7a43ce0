// Opening an ELF image through an anonymous file, and checking tables of host functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/host_image.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "backends/common/error.hpp"

namespace bascule::cpu {
namespace {

using backend::fill_error;

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#endif

// The layout of bsc_host_table and bsc_host_entry when the ABI began; later fields come after.
constexpr std::uint32_t kFirstTableSize = sizeof(bsc_host_table);
constexpr std::uint32_t kFirstEntrySize = sizeof(bsc_host_entry);
constexpr std::uint32_t kMostEntries = 1u << 20;

class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  ~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// The loader takes a path that it has seen for the library that it already has, even when another file is there now; and
// descriptor numbers are used again. So every image gets a spelling of its own: the bits of a counter as "/" and "/.".
std::string path_of(int descriptor) {
  static std::atomic<std::uint64_t> images{0};
  std::string path = "/proc/self/fd";
  for (std::uint64_t bits = images.fetch_add(1, std::memory_order_relaxed); bits != 0; bits >>= 1) {
    path += (bits & 1) != 0 ? "/." : "/";
  }
  return path + '/' + std::to_string(descriptor);
}

const char* last_dl_error() {
  const char* const text = ::dlerror();
  return text != nullptr ? text : "unknown error";
}

}  // namespace

bool is_loadable_elf(std::span<const std::byte> image, std::string& why_not) {
  const auto refuse = [&](const char* reason) {
    why_not = reason;
    return false;
  };
  Elf64_Ehdr header;
  if (image.size() < sizeof header) return refuse("it is shorter than an ELF header");
  std::memcpy(&header, image.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return refuse("it does not begin with the ELF magic");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return refuse("it is not 64-bit");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != kMachine) {
    return refuse("it is built for another processor");
  }
  if (header.e_type != ET_DYN) return refuse("it is not a shared object; link it with -shared");
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0) return refuse("it has no program headers");
  const std::uint64_t table_bytes = std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (header.e_phoff > image.size() || table_bytes > image.size() - header.e_phoff) {
    return refuse("it is truncated: its program headers lie beyond its end");
  }
  bool dynamic = false;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    dynamic |= segment.p_type == PT_DYNAMIC;
    if (segment.p_offset > image.size() || segment.p_filesz > image.size() - segment.p_offset) {
      return refuse("it is truncated: a segment lies beyond its end");
    }
  }
  return dynamic || refuse("it has no dynamic section");
}

LoadedLibrary::~LoadedLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

void* LoadedLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

bsc_status LoadedLibrary::open(std::span<const std::byte> image, std::string_view name, bsc_plugin_error* error) {
  std::string why_not;
  if (!is_loadable_elf(image, why_not)) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load",
                      "the host image \"{}\" ({} bytes) is not a shared object for this machine: {}", name, image.size(),
                      why_not);
  }
  const FileDescriptor file(::memfd_create("bascule-host-image", MFD_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), image)) {
    return fill_error(error, BSC_OUT_OF_MEMORY, "memfd_create", "no memory file of {} bytes for the host image \"{}\": {}",
                      image.size(), name, std::strerror(errno));
  }
  handle_ = ::dlopen(path_of(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    return fill_error(error, BSC_INVALID_IMAGE, "dlopen", "the host image \"{}\" cannot be loaded: {}", name, last_dl_error());
  }
  return BSC_OK;
}

bsc_status read_host_table(const bsc_host_table* table, std::string_view name, std::vector<bsc_host_entry>& entries,
                           bsc_plugin_error* error) {
  const auto refuse = [&](const std::string& reason) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load", "the table of the host image \"{}\" is not valid: {}", name,
                      reason);
  };
  if (table == nullptr) return refuse("it is null");
  if (table->struct_size < kFirstTableSize) return refuse("its struct_size is " + std::to_string(table->struct_size));
  if (table->abi_version != BSC_HOST_ABI_VERSION) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load",
                      "the host image \"{}\" is built for version {} of the host kernel ABI, this plugin speaks version {}; "
                      "build it against this version's host_kernel.h",
                      name, table->abi_version, BSC_HOST_ABI_VERSION);
  }
  if (table->entry_count > kMostEntries) return refuse("it claims " + std::to_string(table->entry_count) + " entries");
  if (table->entry_count != 0 && (table->entries == nullptr || table->entry_stride < kFirstEntrySize)) {
    return refuse("its entries are null or its entry_stride is too small");
  }
  for (std::uint32_t i = 0; i < table->entry_count; ++i) {
    const auto* const at = reinterpret_cast<const std::byte*>(table->entries) + std::uint64_t{i} * table->entry_stride;
    bsc_host_entry entry;
    std::memcpy(&entry, at, sizeof entry);
    const std::string number = "entry " + std::to_string(i);
    if (entry.name == nullptr || *entry.name == '\0') return refuse(number + " has no name");
    if (entry.function == nullptr) return refuse(number + " (" + entry.name + ") has no function");
    if ((entry.flags & ~std::uint32_t{BSC_HOST_TEAM}) != 0) return refuse(number + " (" + entry.name + ") has unknown flags");
    const auto same = [&](const bsc_host_entry& other) { return std::strcmp(other.name, entry.name) == 0; };
    if (std::any_of(entries.begin(), entries.end(), same)) return refuse("the name \"" + std::string(entry.name) + "\" stands twice");
    entries.push_back(entry);
  }
  return BSC_OK;
}

}  // namespace bascule::cpu
