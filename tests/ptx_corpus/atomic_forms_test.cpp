// Every spelling of atom and red: what it returns, what it leaves in memory, and that it faults where the plain one does,
// whatever its name says about order, scope and caches. Lanes have cells of their own; contention is tested elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "corpus.hpp"
#include "spellings.hpp"

namespace {

using namespace bascule::test::corpus;

constexpr unsigned kUpdates = 64;    // of a kernel
constexpr std::uint32_t kAll = ~0u;  // runs all updates of the kernel
constexpr std::uint64_t kFar = std::uint64_t{1} << 46;  // beyond all memory, wherever the cells lie

struct Update {
  bool returns = false;
  std::string name, operation, type;
  std::string address;  // the register that holds the lane's cell
  unsigned count = 1;   // of the vector
  bool policy = false;

  [[nodiscard]] unsigned bits() const {  // of a register
    if (type.ends_with("x2")) return 32;
    return static_cast<unsigned>(std::stoul(type.substr(type.starts_with("bf") ? 2 : 1)));
  }
  [[nodiscard]] unsigned bytes() const { return bits() / 8 * count; }
  [[nodiscard]] bool half() const { return type.starts_with("f16") || type.starts_with("bf16"); }
  [[nodiscard]] bool real() const { return half() || type == "f32" || type == "f64"; }
  [[nodiscard]] unsigned element_bytes() const { return half() ? 2 : std::min(8u, bits() / 8); }
  [[nodiscard]] bool compares() const { return operation == "cas"; }
};

/// A lane's part of what goes in and comes out.
struct In {
  std::array<std::uint8_t, 32> cell, b, c;
};
struct Out {
  std::array<std::uint8_t, 32> old, cell;
};

const Words kOrders = {"", ".relaxed", ".acquire", ".release", ".acq_rel"}, kRedOrders = {"", ".relaxed", ".release"};
const Words kScopes = {"", ".cta", ".cluster", ".gpu", ".sys"};
const Words kSpaces = {"", ".global", ".shared", ".shared::cta", ".shared::cluster"}, kGlobal = {"", ".global"};
const Words kHint = {"", ".L2::cache_hint"};

struct Family {
  Words spaces, operations, vectors, types;
  bool returns_only = false;
};

std::vector<Family> families() {
  return {{kSpaces, {".and", ".or", ".xor"}, {""}, {".b32", ".b64"}},
          {kSpaces, {".exch"}, {""}, {".b32", ".b64", ".b128"}, true},
          {kSpaces, {".add"}, {""}, {".u32", ".u64", ".s32", ".f32", ".f64"}},
          {kSpaces, {".inc", ".dec"}, {""}, {".u32"}},
          {kSpaces, {".min", ".max"}, {""}, {".u32", ".u64", ".s32", ".s64"}},
          {kSpaces, {".cas"}, {""}, {".b16", ".b32", ".b64", ".b128"}, true},
          {kSpaces, {".exch"}, {""}, {".b128"}, true},
          {kSpaces, {".add.noftz"}, {""}, {".f16", ".f16x2", ".bf16", ".bf16x2"}},
          {kGlobal, {".add"}, {".v2", ".v4"}, {".f32"}},
          {kGlobal, {".add.noftz", ".min.noftz", ".max.noftz"}, {".v2", ".v4", ".v8"}, {".f16", ".bf16"}},
          {kGlobal, {".add.noftz", ".min.noftz", ".max.noftz"}, {".v2", ".v4"}, {".f16x2", ".bf16x2"}}};
}

std::vector<Update> updates(bool returns) {
  std::vector<Update> result;
  const auto valid = [](const Words& words) {
    return words[5].empty() || words[3].empty() || words[3] == ".global";  // hints for the L2 cache are for global memory
  };
  for (const Family& family : families()) {
    if (family.returns_only && !returns) continue;
    for (const Words& words : spellings({{returns ? "atom" : "red"}, returns ? kOrders : kRedOrders, kScopes, family.spaces,
                                         family.operations, kHint, family.vectors, family.types}, 2, valid)) {
      Update update;
      update.returns = returns;
      update.name = joined(words);
      update.operation = words[4].substr(1, words[4].find('.', 1) - 1);
      update.type = words[7].substr(1);
      update.count = words[6].empty() ? 1 : static_cast<unsigned>(words[6][2] - '0');
      update.policy = !words[5].empty();
      const bool generic = words[3].empty() && family.spaces.size() > 2 && words[5].empty() && result.size() % 2 != 0;
      update.address = generic ? "%generic" : words[3].empty() || words[3] == ".global" ? "%global" : "%shared";
      result.push_back(update);
    }
  }
  return result;
}

// ---- kernels -----------------------------------------------------------------------------------------------------------------

std::string registers(char name, unsigned count) {
  std::string text = count == 1 ? "" : "{";
  for (unsigned k = 0; k < count; ++k) text += std::string(k == 0 ? "%" : ", %") + name + std::to_string(k);
  return text + (count == 1 ? "" : "}");
}

/// Operands between memory and registers; those of 128 bits by their halves.
std::string moves(const Update& update, bool load, char name, const std::string& from, unsigned offset) {
  std::string text;
  const unsigned bytes = update.bits() / 8;
  const auto one = [&](const std::string& type, const std::string& value, unsigned at) {
    const std::string place = "[" + from + "+" + std::to_string(at) + "]";
    text += load ? "  ld.global" + type + " " + value + ", " + place + ";\n" : "  st.global" + type + " " + place + ", " + value + ";\n";
  };
  if (bytes == 16) {
    const std::string value = std::string("%") + name + "0";
    if (!load) text += "  mov.b128 {%x0, %x1}, " + value + ";\n";
    one(".b64", "%x0", offset);
    one(".b64", "%x1", offset + 8);
    if (load) text += "  mov.b128 " + value + ", {%x0, %x1};\n";
    return text;
  }
  for (unsigned k = 0; k < update.count; ++k) one(".b" + std::to_string(update.bits()), std::string("%") + name + std::to_string(k), offset + k * bytes);
  return text;
}

std::string instruction(const Update& update) {
  const std::string bits = std::to_string(update.bits());
  std::string text = "  .reg .b" + bits + " %b<8>, %c<8>, %d<8>; .reg .b64 %x<8>;\n";
  for (unsigned k = 0; k < 4; ++k) {
    const std::string offset = std::to_string(8 * k);
    text += "  ld.global.b64 %x0, [%in+" + offset + "]; st.b64 [" + update.address + "_here+" + offset + "], %x0;\n";
  }
  text += moves(update, true, 'b', "%in", 32);
  if (update.compares()) text += moves(update, true, 'c', "%in", 64);
  text += "  " + update.name + " " + (update.returns ? registers('d', update.count) + ", " : "") + "[" + update.address + "], " +
          registers('b', update.count) + (update.compares() ? ", %c0" : "") + (update.policy ? ", %policy" : "") + ";\n";
  if (update.returns) text += moves(update, false, 'd', "%out", 0);
  for (unsigned k = 0; k < 4; ++k) {
    const std::string offset = std::to_string(8 * k);
    text += "  ld.b64 %x0, [" + update.address + "_here+" + offset + "]; st.global.b64 [%out+" + std::to_string(32 + 8 * k) + "], %x0;\n";
  }
  return text;
}

/// %X_here is the lane's cell by a generic address, %X the same by the instruction's own, moved by `shift`.
std::string kernel(const std::string& name, const Update* updates, std::size_t count) {
  std::string text = ".visible .entry " + name + R"((.param .u64 in, .param .u64 out, .param .u64 cells, .param .u64 shift, .param .u32 which)
{
  .reg .b64 %in, %out, %global, %shared, %generic, %global_here, %shared_here, %generic_here, %shift, %step, %policy;
  .reg .b32 %lane, %which; .reg .pred %skip;
  .shared .align 32 .b8 window[1024];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %global_here, [cells]; ld.param.u64 %shift, [shift]; ld.param.u32 %which, [which];
  createpolicy.fractional.L2::evict_last.b64 %policy;
  mov.u32 %lane, %laneid; mul.wide.u32 %step, %lane, 32;
  add.u64 %global_here, %global_here, %step; add.u64 %global, %global_here, %shift;
  mov.u64 %shared, window; add.u64 %shared, %shared, %step; cvta.shared.u64 %shared_here, %shared; mov.u64 %generic_here, %shared_here;
  add.u64 %shared, %shared, %shift; add.u64 %generic, %generic_here, %shift;
  mul.wide.u32 %step, %lane, 96; add.u64 %in, %in, %step; mul.wide.u32 %step, %lane, 64; add.u64 %out, %out, %step;
)";
  for (std::size_t i = 0; i < count; ++i) {
    text += "{\n  setp.ne.u32 %skip, %which, " + std::to_string(i) + "; setp.ne.and.u32 %skip, %which, 0xffffffff, %skip; @%skip bra next;\n" +
            instruction(updates[i]) + "next:\n  add.u64 %in, %in, 3072; add.u64 %out, %out, 2048;\n}\n";
  }
  return text + "  ret;\n}\n";
}

std::string module_of(const std::vector<Update>& all) {
  std::string text = ".version 8.8\n.target sm_100f\n.address_size 64\n";
  for (std::size_t first = 0; first < all.size(); first += kUpdates) {
    text += kernel("updates" + std::to_string(first), all.data() + first, std::min<std::size_t>(kUpdates, all.size() - first));
  }
  return text;
}

// ---- what the ISA says -------------------------------------------------------------------------------------------------------

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

double decode(const std::string& type, std::uint64_t bits) {
  if (type == "f64") return from_bits<double>(bits);
  if (type == "f32") return static_cast<double>(from_bits<float>(bits));
  if (type.starts_with("bf16")) return static_cast<double>(from_bits<float>(bits << 16));
  return value_of(static_cast<std::uint16_t>(bits));
}
/// Exact for what is used here: small whole numbers.
std::uint64_t encode(const std::string& type, double value) {
  if (type == "f64") return to_bits(value);
  if (type == "f32") return to_bits(static_cast<float>(value));
  if (type.starts_with("bf16")) return to_bits(static_cast<float>(value)) >> 16;
  return half_of(value);
}

std::uint64_t updated(const Update& update, std::uint64_t old, std::uint64_t b) {
  const std::string& op = update.operation;
  if (op == "exch") return b;
  if (op == "and") return old & b;
  if (op == "or") return old | b;
  if (op == "xor") return old ^ b;
  if (op == "inc") return old >= b ? 0 : old + 1;
  if (op == "dec") return old == 0 || old > b ? b : old - 1;
  if (update.real()) {
    const double x = decode(update.type, old), y = decode(update.type, b);
    return encode(update.type, op == "add" ? x + y : op == "min" ? std::min(x, y) : std::max(x, y));
  }
  if (op == "add") return old + b;
  const unsigned above = 64 - update.bits();
  const bool less = update.type[0] == 's' ? static_cast<std::int64_t>(old << above) < static_cast<std::int64_t>(b << above) : old < b;
  return less == (op == "min") ? old : b;
}

std::uint64_t element(const std::array<std::uint8_t, 32>& bytes, unsigned size, unsigned k) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + std::size_t{k} * size, size);
  return value;
}

Out expected(const Update& update, const In& in) {
  Out out{{}, in.cell};
  const unsigned size = update.element_bytes();
  if (update.returns) std::copy_n(in.cell.begin(), update.bytes(), out.old.begin());
  if (update.compares()) {
    if (std::equal(in.cell.begin(), in.cell.begin() + update.bytes(), in.b.begin())) std::copy_n(in.c.begin(), update.bytes(), out.cell.begin());
    return out;
  }
  for (unsigned k = 0; k * size < update.bytes(); ++k) {
    const std::uint64_t value = updated(update, element(in.cell, size, k), element(in.b, size, k));
    std::memcpy(out.cell.data() + std::size_t{k} * size, &value, size);
  }
  return out;
}

void fill(const Update& update, In& in, std::mt19937_64& random) {
  for (auto* bytes : {&in.cell, &in.b, &in.c}) {
    for (std::uint8_t& byte : *bytes) byte = static_cast<std::uint8_t>(random());
    const unsigned size = update.element_bytes();
    for (unsigned k = 0; update.real() && (k + 1) * size <= 32; ++k) {
      const std::uint64_t bits = encode(update.type, 1 + static_cast<double>(random() % 60) - (random() % 2 == 0 ? 62 : 0));
      std::memcpy(bytes->data() + std::size_t{k} * size, &bits, size);
    }
  }
  const bool counts = update.operation == "inc" || update.operation == "dec";
  if (update.compares() && random() % 2 == 0) in.b = in.cell;
  if (counts && random() % 2 == 0) in.b[3] = 255;
  if (counts && random() % 4 == 0) in.cell = {};
}

void check_values(const std::vector<Update>& all, std::uint64_t stream) {
  everywhere_text(module_of(all), "atomic.ptx", [&](Program& program) {
    auto random = random_source(stream);
    for (std::size_t first = 0; first < all.size(); first += kUpdates) {
      const std::size_t count = std::min<std::size_t>(kUpdates, all.size() - first);
      Buffer<In> in(count * 32);
      Buffer<Out> out(count * 32, Out{});
      Buffer<std::uint8_t> cells(1024, 0);
      for (std::size_t i = 0; i < in.size(); ++i) fill(all[first + i / 32], in[i], random);
      program.run("updates" + std::to_string(first), {}, Arguments(in, out, cells, std::uint64_t{0}, kAll));
      for (std::size_t i = 0; i < in.size(); ++i) {
        const Update& update = all[first + i / 32];
        const Out want = expected(update, in[i]);
        if (out[i].old != want.old) FAIL_CHECK(update.name << " " << update.address << ": lane " << i % 32 << " gets another value");
        if (out[i].cell != want.cell) FAIL_CHECK(update.name << " " << update.address << ": lane " << i % 32 << " leaves another value");
      }
    }
  });
}

void check_faults(const std::vector<Update>& all) {
  const std::string text = module_of(all);
  const Buffer<In> in(kUpdates * 32, In{});
  const Buffer<Out> out(kUpdates * 32);
  const Buffer<std::uint8_t> cells(1024, 0);
  for (const Setting& setting : {settings().front(), settings().back()}) {
    CAPTURE(setting.name);
    Program program(text, "atomic.ptx", setting);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(all[i].name);
      const std::string name = "updates" + std::to_string(i / kUpdates * kUpdates);
      const auto fault = [&](std::uint64_t shift) {
        return program.fault(name, {}, Arguments(in, out, cells, shift, static_cast<std::uint32_t>(i % kUpdates)));
      };
      const std::string message = fault(1);
      CHECK_MESSAGE(message.find("misaligned") != std::string::npos, message);
      if (all[i].address != "%shared" && !program.sanitized()) continue;  // it may be somebody's memory
      const std::string outside = fault(kFar);
      CHECK_MESSAGE(outside.find("out_of_bounds") != std::string::npos, outside);
    }
  }
}

TEST_CASE("each spelling of atom returns what was there and leaves the new value") { check_values(updates(true), 200); }
TEST_CASE("each spelling of red leaves the new value") { check_values(updates(false), 201); }
TEST_CASE("each spelling of atom and red faults where the plain one does") {
  check_faults(updates(true));
  check_faults(updates(false));
}

}  // namespace
