// Every spelling of ld, ldu and st: whatever a name says about caches, order and scope, a load gives what lies in memory and a
// store leaves it there, and both fault where the plain ones do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "corpus.hpp"
#include "spellings.hpp"

namespace {

using namespace bascule::test::corpus;

constexpr unsigned kCell = 32;         // bytes of a lane that a load reads or a store writes
constexpr unsigned kAccesses = 64;     // of a kernel
constexpr std::uint32_t kAll = ~0u;    // runs all accesses of the kernel
constexpr std::uint64_t kFar = std::uint64_t{1} << 46;  // beyond all memory, wherever the cells lie

struct Access {
  bool load = false;
  std::string name;     // up to the type
  std::string address;  // a register with the lane's cell, or "given"
  std::string type;
  unsigned count = 1;
  unsigned width = 32;  // bits of the register
  bool policy = false;

  [[nodiscard]] unsigned bits() const {
    if (type == "b128") return 128;
    return static_cast<unsigned>(std::stoul(type.substr(1)));
  }
  [[nodiscard]] unsigned bytes() const { return bits() / 8 * count; }
};

const Words kTypes = {".b8", ".b16", ".b32", ".b64", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".f32", ".f64", ".b128"};
const Words kVectors = {"", ".v2", ".v4", ".v8"};
const Words kHint = {"", ".L2::cache_hint"}, kPrefetch = {"", ".L2::64B", ".L2::128B", ".L2::256B"};
const Words kPriority1 = {"", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate"};
const Words kPriority2 = {"", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"};
const Words kScopes = {".cta", ".cluster", ".gpu", ".sys"};
const Words kShared = {"", ".global", ".shared", ".shared::cta", ".shared::cluster"};
const Words kGlobal = {"", ".global"};

bool has(const Words& words, const std::string& prefix) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.starts_with(prefix); });
}
bool has_word(const Words& words, const std::string& word) { return is_any_of(word, words); }

std::string space_of(const Words& words) {
  for (const char* space : {".global", ".shared", ".shared::cta", ".shared::cluster", ".local", ".const", ".param"}) {
    if (has_word(words, space)) return space;
  }
  return "";
}

/// What the ISA says of the words together.
bool valid(const Words& words) {
  const std::string& type = words.back();
  const bool global = space_of(words).empty() || space_of(words) == ".global";
  const bool four = has_word(words, ".v4"), eight = has_word(words, ".v8");
  const bool bits32 = type.ends_with("32"), bits64 = type.ends_with("64");
  const bool wide = global && ((eight && bits32) || (four && bits64));
  if (type == ".b128" && has(words, ".v")) return false;
  if (eight && !wide) return false;
  if (four && bits64 && !wide) return false;
  const bool priority = has(words, ".L1::") || has(words, ".L2::");
  if (has(words, ".L2::evict") && !wide) return false;
  return !priority || global;
}

void add(std::vector<Access>& accesses, bool load, const std::vector<Words>& groups) {
  unsigned turn = 0;
  for (const Words& words : spellings(groups, 2, valid)) {
    Access access;
    access.load = load;
    access.type = words.back().substr(1);
    access.name = joined(words);
    access.policy = has_word(words, ".L2::cache_hint");
    access.count = has_word(words, ".v2") ? 2 : has_word(words, ".v4") ? 4 : has_word(words, ".v8") ? 8 : 1;
    const std::string space = space_of(words);
    const bool hints = has(words, ".L1::") || has(words, ".L2::") || has(words, ".mmio") || has(words, "ldu");
    access.address = space == ".global" ? "%global" : space == ".const" ? "%const" : space == ".local" ? "%local" : space == ".param" ? "given"
                     : !space.empty() ? "%shared" : hints || turn % 2 == 0 ? "%global" : "%generic";
    const unsigned bits = std::max(16u, access.bits());
    access.width = access.type[0] == 'f' ? bits : std::min(128u, std::max(bits, 16u << turn % 3));
    ++turn;
    accesses.push_back(access);
  }
}

std::vector<Access> loads() {
  const Words all = {"", ".global", ".shared", ".shared::cta", ".shared::cluster", ".local", ".const", ".param"};
  const Words plain(kTypes.begin(), kTypes.end() - 1);
  std::vector<Access> accesses;
  add(accesses, true, {{"ld"}, {"", ".weak"}, all, {"", ".ca", ".cg", ".cs", ".lu", ".cv"}, kHint, kPrefetch, kVectors, kTypes});
  add(accesses, true, {{"ld"}, {"", ".weak"}, kGlobal, kPriority1, kPriority2, kHint, kPrefetch, kVectors, kTypes});
  add(accesses, true, {{"ld.volatile"}, kShared, kPrefetch, kVectors, kTypes});
  add(accesses, true, {{"ld"}, {".relaxed", ".acquire"}, kScopes, kShared, kPriority1, kPriority2, kHint, kPrefetch, kVectors, kTypes});
  add(accesses, true, {{"ld"}, {".mmio"}, {".relaxed.sys"}, kGlobal, plain});
  add(accesses, true, {{"ld"}, {".global"}, {"", ".ca", ".cg", ".cs"}, {".nc"}, kHint, kPrefetch, kVectors, kTypes});
  add(accesses, true, {{"ld"}, {".global"}, {".nc"}, kPriority1, kPriority2, kHint, kPrefetch, kVectors, kTypes});
  add(accesses, true, {{"ldu"}, kGlobal, {"", ".v2", ".v4"}, kTypes});
  return accesses;
}

std::vector<Access> stores() {
  const Words all = {"", ".global", ".shared", ".shared::cta", ".shared::cluster", ".local"};
  const Words plain(kTypes.begin(), kTypes.end() - 1);
  std::vector<Access> accesses;
  add(accesses, false, {{"st"}, {"", ".weak"}, all, {"", ".wb", ".cg", ".cs", ".wt"}, kHint, kVectors, kTypes});
  add(accesses, false, {{"st"}, {"", ".weak"}, kGlobal, kPriority1, kPriority2, kHint, kVectors, kTypes});
  add(accesses, false, {{"st.volatile"}, kShared, kVectors, kTypes});
  add(accesses, false, {{"st"}, {".relaxed", ".release"}, kScopes, kShared, kPriority1, kPriority2, kHint, kVectors, kTypes});
  add(accesses, false, {{"st"}, {".mmio"}, {".relaxed.sys"}, kGlobal, plain});
  return accesses;
}

std::string register_list(unsigned count) {
  std::string text = count == 1 ? "" : "{";
  for (unsigned k = 0; k < count; ++k) text += (k == 0 ? "%v" : ", %v") + std::to_string(k);
  return text + (count == 1 ? "" : "}");
}

/// The instruction with its 64 bytes of `out` (a load) or of `in` (a store), one 64-bit word an element.
std::string instruction(const Access& access) {
  const unsigned slots = access.type == "b128" ? 2 : access.count;
  const std::string bits = std::to_string(access.width), at = access.address == "given" ? "given+64" : access.address;
  const std::string kind = access.type[0] == 'f' ? ".f" : ".b", space = access.address == "%generic" || access.address == "given" ? "" : "." + access.address.substr(1);
  std::string text = "  .reg " + kind + bits + " %v<8>; .reg .b64 %x<8>;\n";
  const std::string policy = access.policy ? ", %policy" : "", values = register_list(access.count);
  if (access.load) {
    text += "  " + access.name + " " + values + ", [" + at + "]" + policy + ";\n";
    if (access.width == 128) text += "  mov.b128 {%x0, %x1}, %v0;\n";
    for (unsigned k = 0; k < slots; ++k) {
      const std::string slot = "[%out+" + std::to_string(8 * k) + "], ";
      text += access.width == 128 ? "  st.global.b64 " + slot + "%x" + std::to_string(k) + ";\n"
                                  : "  st.global.b" + bits + " " + slot + "%v" + std::to_string(k) + ";\n";
    }
    return text;
  }
  for (unsigned k = 0; k < slots; ++k) {
    const std::string n = std::to_string(k), slot = "[%values+" + std::to_string(8 * k) + "]";
    text += access.width == 128 ? "  ld.global.b64 %x" + n + ", " + slot + ";\n" : "  ld.global.b" + bits + " %v" + n + ", " + slot + ";\n";
  }
  if (access.width == 128) text += "  mov.b128 %v0, {%x0, %x1};\n";
  // Cells hold ones before; what is there then goes out.
  for (unsigned k = 0; k < 4; ++k) text += "  st" + space + ".b64 [" + access.address + "_here+" + std::to_string(8 * k) + "], -1;\n";
  text += "  " + access.name + " [" + at + "], " + values + policy + ";\n";
  for (unsigned k = 0; k < 4; ++k) {
    const std::string offset = std::to_string(8 * k);
    text += "  ld" + space + ".b64 %x0, [" + access.address + "_here+" + offset + "]; st.global.b64 [%out+" + offset + "], %x0;\n";
  }
  return text;
}

/// %X_here is the lane's cell in a space, %X the same moved by `shift`.
std::string kernel(const std::string& name, const Access* accesses, std::size_t count) {
  std::string text = ".visible .entry " + name + R"((.param .align 16 .b8 given[128], .param .u64 in, .param .u64 values, .param .u64 out,
  .param .u64 shift, .param .u32 which)
{
  .reg .b64 %global, %generic, %const, %local, %shared, %global_here, %generic_here, %const_here, %local_here, %shared_here;
  .reg .b64 %values, %out, %shift, %step, %x, %policy; .reg .b32 %lane, %which; .reg .pred %skip;
  .shared .align 32 .b8 cells[1024]; .local .align 32 .b8 own[32];
  ld.param.u64 %global_here, [in]; ld.param.u64 %values, [values]; ld.param.u64 %out, [out]; ld.param.u64 %shift, [shift]; ld.param.u32 %which, [which];
  createpolicy.fractional.L2::evict_last.b64 %policy;
  mov.u32 %lane, %laneid; mul.wide.u32 %step, %lane, 32; add.u64 %global_here, %global_here, %step;
  mov.u64 %const_here, fixed; add.u64 %const_here, %const_here, %step; mov.u64 %local_here, own;
  mov.u64 %shared_here, cells; add.u64 %shared_here, %shared_here, %step; cvta.shared.u64 %generic_here, %shared_here;
  add.u64 %step, %step, %step; add.u64 %values, %values, %step; add.u64 %out, %out, %step;
)";
  for (unsigned k = 0; k < 4; ++k) {
    const std::string at = "_here+" + std::to_string(8 * k) + "]";
    text += "  ld.global.b64 %x, [%global" + at + "; st.shared.b64 [%shared" + at + ", %x; st.local.b64 [%local" + at + ", %x;\n";
  }
  for (const char* space : {"global", "generic", "const", "local", "shared"}) {
    text += std::string("  add.u64 %") + space + ", %" + space + "_here, %shift;\n";
  }
  for (std::size_t i = 0; i < count; ++i) {
    text += "{\n  setp.ne.u32 %skip, %which, " + std::to_string(i) + "; setp.ne.and.u32 %skip, %which, 0xffffffff, %skip; @%skip bra next;\n" +
            instruction(accesses[i]) + "next:\n  add.u64 %out, %out, 2048;\n}\n";
  }
  return text + "  ret;\n}\n";
}

std::uint8_t fixed_byte(unsigned i) { return static_cast<std::uint8_t>(i * 37 + 11); }

std::string module_of(const std::vector<Access>& accesses) {
  std::string text = ".version 8.8\n.target sm_100f\n.address_size 64\n.const .align 32 .b8 fixed[1024] = {";
  for (unsigned i = 0; i < 1024; ++i) text += (i == 0 ? "" : ", ") + std::to_string(fixed_byte(i));
  text += "};\n";
  for (std::size_t first = 0; first < accesses.size(); first += kAccesses) {
    text += kernel("accesses" + std::to_string(first), accesses.data() + first, std::min<std::size_t>(kAccesses, accesses.size() - first));
  }
  return text;
}

struct Data {
  std::array<std::uint8_t, 128> given{};  // a parameter
  Buffer<std::uint8_t> cells = Buffer<std::uint8_t>(32 * kCell);
  Buffer<std::uint64_t> values = Buffer<std::uint64_t>(32 * 8);
  Buffer<std::uint64_t> out;

  explicit Data(std::mt19937_64& random) {
    for (std::uint8_t& byte : given) byte = static_cast<std::uint8_t>(random());
    for (std::uint8_t& byte : cells) byte = static_cast<std::uint8_t>(random());
    for (std::uint64_t& value : values) value = random();
  }
  [[nodiscard]] Arguments arguments(std::uint64_t shift, std::uint32_t which) const {
    return Arguments(given, cells, values, out, shift, which);
  }
  [[nodiscard]] std::uint8_t byte(const Access& access, unsigned lane, unsigned i) const {
    if (access.address == "given") return given[64 + i];
    return access.address == "%const" ? fixed_byte(lane * kCell + i) : cells[lane * kCell + i];
  }
};

/// Element k as it lies in a register, as far as a 64-bit word of `out` takes it.
std::uint64_t loaded(const Access& access, const Data& data, unsigned lane, unsigned k) {
  const unsigned bytes = std::min(8u, access.bits() / 8);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{data.byte(access, lane, k * bytes + i)} << (8 * i);
  const bool negative = access.type[0] == 's' && bytes < 8 && (value >> (8 * bytes - 1) & 1) != 0;
  if (negative) value |= ~std::uint64_t{0} << (8 * bytes);
  return access.width >= 64 ? value : value & ((std::uint64_t{1} << access.width) - 1);
}

/// Word k of a cell that held ones.
std::uint64_t stored(const Access& access, const Data& data, unsigned lane, unsigned k) {
  const unsigned element = std::min(8u, access.bits() / 8);
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned at = 8 * k + i;
    const std::uint64_t byte = at < access.bytes() ? data.values[lane * 8 + at / element] >> (8 * (at % element)) & 255 : 255;
    word |= byte << (8 * i);
  }
  return word;
}

void check(const Access& access, const Data& data, const std::uint64_t* out) {
  CAPTURE(access.name);
  CAPTURE(access.address);
  const unsigned words = !access.load ? 4 : access.type == "b128" ? 2 : access.count;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned k = 0; k < words; ++k) {
      const std::uint64_t want = access.load ? loaded(access, data, lane, k) : stored(access, data, lane, k);
      if (out[lane * 8 + k] != want) FAIL_CHECK("lane " << lane << ", word " << k << " is " << out[lane * 8 + k] << ", expected " << want);
    }
  }
}

void check_values(const std::vector<Access>& accesses, std::uint64_t stream) {
  everywhere_text(module_of(accesses), "memory.ptx", [&](Program& program) {
    auto random = random_source(stream);
    for (std::size_t first = 0; first < accesses.size(); first += kAccesses) {
      Data data(random);
      const std::size_t count = std::min<std::size_t>(kAccesses, accesses.size() - first);
      data.out.assign(count * 32 * 8, 0);
      program.run("accesses" + std::to_string(first), {}, data.arguments(0, kAll));
      for (std::size_t i = 0; i < count; ++i) check(accesses[first + i], data, data.out.data() + i * 32 * 8);
    }
  });
}

/// Each access by itself at an address that is no multiple of its size, and at one beyond its memory.
void check_faults(const std::vector<Access>& accesses, std::uint64_t stream) {
  const std::string text = module_of(accesses);
  for (const Setting& setting : {settings().front(), settings().back()}) {
    CAPTURE(setting.name);
    Program program(text, "memory.ptx", setting);
    auto random = random_source(stream);
    Data data(random);
    data.out.assign(kAccesses * 32 * 8, 0);
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const Access& access = accesses[i];
      CAPTURE(access.name);
      if (access.address == "given") continue;  // a fixed address
      const std::string name = "accesses" + std::to_string(i / kAccesses * kAccesses);
      const auto which = static_cast<std::uint32_t>(i % kAccesses);
      if (access.bytes() > 1) {
        const std::string message = program.fault(name, {}, data.arguments(1, which));
        CHECK_MESSAGE(message.find("misaligned") != std::string::npos, message);
      }
      const bool host = access.address == "%global" || access.address == "%generic";
      if (host && !program.sanitized()) continue;  // it may be somebody's memory
      const std::string message = program.fault(name, {}, data.arguments(kFar, which));
      CHECK_MESSAGE(message.find("out_of_bounds") != std::string::npos, message);
    }
  }
}

TEST_CASE("each spelling of ld and ldu gives what lies in memory") { check_values(loads(), 190); }
TEST_CASE("each spelling of st leaves in memory what it is given") { check_values(stores(), 191); }
TEST_CASE("each spelling of ld and ldu faults where the plain one does") { check_faults(loads(), 192); }
TEST_CASE("each spelling of st faults where the plain one does") { check_faults(stores(), 193); }

}  // namespace
