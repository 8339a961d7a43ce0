// Stand-in, names and images.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/standin_gpu/fixture.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <string_view>

#include BSC_VENDOR_API
#include "backends/common/gpu/vendor.hpp"

namespace bascule::standin {
namespace {

constexpr std::uint16_t kAmd = 224;
constexpr std::uint32_t kGfx90a = 0x3f;
constexpr std::uint32_t kXnackOff = 0x200;

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string packed(std::string_view text) {  // MessagePack, up to 31 bytes or up to 255
  return (text.size() < 32 ? std::string(1, static_cast<char>(0xa0 | text.size()))
                           : std::string("\xd9") + static_cast<char>(text.size())) +
         std::string(text);
}

std::string packed_argument(std::string_view kind, int offset, int bytes) {
  return std::string("\x83") + packed(".offset") + static_cast<char>(offset) + packed(".size") + static_cast<char>(bytes) +
         packed(".value_kind") + packed(kind);
}

}  // namespace

Fresh::Fresh(const char* library) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(opened != nullptr, dlerror());
  const auto get = reinterpret_cast<StandinFunction>(dlsym(opened, kStandinSymbol));
  REQUIRE((get != nullptr));
  state = get();
  state->reset();
}

Fresh::~Fresh() {
  if (!leaves_objects) CHECK(state->objects == 0);
}

const std::vector<Function>& functions() {
  static const std::vector<Function> list = {
#define BSC_NAME(member, name) {#member, #name},
      BSC_VENDOR_FUNCTIONS(BSC_NAME, BSC_NAME)
#undef BSC_NAME
  };
  return list;
}

std::string name_of(const std::string& member) {
  for (const Function& function : functions()) {
    if (function.member == member) return function.name;
  }
  return "";
}

bool has(const std::string& member) { return !name_of(member).empty(); }

std::string elf_file(std::uint16_t machine, std::uint32_t flags, const std::string& function, const std::string& note) {
  std::string strings("\0", 1);
  const auto name = static_cast<std::uint32_t>(strings.size());
  strings += function + '\0';
  std::string symbols(sizeof(Elf64_Sym), '\0');
  Elf64_Sym symbol = {};
  symbol.st_name = name;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_other = 0x10;
  symbol.st_shndx = 1;
  append(symbols, symbol);
  std::string notes;
  append(notes, Elf64_Nhdr{7, static_cast<Elf64_Word>(note.size()), 32});
  notes += std::string("AMDGPU\0\0", 8) + note;
  notes.resize((notes.size() + 7) / 8 * 8);
  strings.resize((strings.size() + 7) / 8 * 8);

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = machine;
  header.e_flags = flags;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  std::uint64_t at = sizeof header + 4 * sizeof(Elf64_Shdr);
  std::string bytes;
  append(bytes, header);
  append(bytes, Elf64_Shdr{});
  const auto section = [&](std::uint32_t type, const std::string& contents, std::uint32_t link, std::uint64_t entry) {
    Elf64_Shdr shape = {};
    shape.sh_type = type;
    shape.sh_offset = at;
    shape.sh_size = contents.size();
    shape.sh_link = link;
    shape.sh_entsize = entry;
    append(bytes, shape);
    at += contents.size();
  };
  section(SHT_NOTE, notes, 0, 0);
  section(SHT_SYMTAB, symbols, 3, sizeof(Elf64_Sym));
  section(SHT_STRTAB, strings, 0, 0);
  return bytes + notes + symbols + strings;
}

std::string amd_metadata(const std::string& target) {
  const std::string arguments = std::string("\x93") + packed_argument("global_buffer", 0, 8) + packed_argument("by_value", 8, 4) +
                                packed_argument("hidden_global_offset_x", 16, 8);
  const std::string kernel = std::string("\x83") + packed(".name") + packed("work") + packed(".wavefront_size") + '\x40' +
                             packed(".args") + arguments;
  return std::string("\x82") + packed("amdhsa.kernels") + '\x91' + kernel + packed("amdhsa.target") +
         packed("amdgcn-amd-amdhsa--" + target);
}

TestImage good_image() {
  const std::string_view backend = gpu::vendor().backend;
  if (backend == "cuda") {
    return {"ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry work(.param .u64 data, .param .u32 n) { ret; }\n"};
  }
  if (backend == "hip") return {"hsaco", elf_file(kAmd, kGfx90a | kXnackOff, "", amd_metadata("gfx90a:sramecc+:xnack-"))};
  return {"mubin", elf_file(1, 0, "work")};
}

bsc_status OpenedStandin::load_image(const TestImage& image, bsc_plugin_module& module, const char* options) {
  bsc_plugin_image given = {};
  given.header = {sizeof given, BSC_STRUCT_IMAGE, nullptr};
  given.format = image.format.c_str();
  given.data = image.bytes.data();
  given.bytes = image.bytes.size();
  given.options = options;
  given.name = "image";
  return api->module->load(device, &given, &module, &error);
}

}  // namespace bascule::standin
