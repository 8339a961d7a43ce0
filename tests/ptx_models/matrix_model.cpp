// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/matrix_model.hpp"

#include <doctest/doctest.h>

#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/sweep.hpp"

namespace bascule::ptx_models {
namespace {

std::string transfer(const char* operation, const char* name, int count, int width, int& offset) {
  std::string text;
  for (int i = 0; i < count; ++i, offset += 8) {
    const std::string reg = "%" + std::string(name) + std::to_string(i), at = "[%p+" + std::to_string(offset) + "]";
    const std::string head = std::string(operation) + ".global.b" + std::to_string(width) + " ";
    text += head + (operation[0] == 'l' ? reg + ", " + at : at + ", " + reg) + ";\n";
  }
  return text;
}

/// The register of C that the i-th one of D is.
int place_in_accumulator(Destination destination, int i, int count) {
  switch (destination) {
    case Destination::reversed_accumulator: return count - 1 - i;
    case Destination::rotated_accumulator: return (i + count - 1) % count;
    default: return i;
  }
}

std::string accumulator_vector(Destination destination, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%c" : ", %c") + std::to_string(place_in_accumulator(destination, i, count));
  return text + "}";
}

std::string kernel_text(const std::string& instruction, unsigned target, const Fragment& a, const Fragment& b, const Fragment& c, int registers_of_d,
                        Destination destination) {
  int offset = 0, out_offset = 0;
  std::string loads = transfer("ld", "a", a.registers, a.width, offset);
  loads += transfer("ld", "b", b.registers, b.width, offset);
  loads += transfer("ld", "c", c.registers, c.width, offset);
  const bool own = destination == Destination::own;
  if (own) {
    for (int i = 0; i < registers_of_d; ++i) {
      loads += "mov.b" + std::to_string(c.width) + " %d" + std::to_string(i) + (c.width == 64 ? ", 0x5a5a5a5a5a5a5a5a;\n" : ", 0x5a5a5a5a;\n");
    }
  }
  const char* const results = own ? "d" : "c";
  const std::string d = own ? vector_of("d", registers_of_d) : accumulator_vector(destination, c.registers);
  return module_header(target) + ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b64 %p, %o;\n.reg .b32 %t;\n.reg .pred %q;\n" +
         registers_of("a", a.registers, a.width) + registers_of("b", b.registers, b.width) + registers_of("c", c.registers, c.width) +
         registers_of("d", registers_of_d, c.width) + "mov.u32 %t, %tid.x;\nld.param.u64 %p, [in];\nmul.wide.u32 %o, %t, " + std::to_string(offset) +
         ";\nadd.u64 %p, %p, %o;\n" + loads + "shr.u32 %t, %t, 5;\nsetp.ne.u32 %q, %t, 1;\n@%q " + instruction + " " + d + ", " +
         vector_of("a", a.registers) + ", " + vector_of("b", b.registers) + ", " + vector_of("c", c.registers) +
         ";\nmov.u32 %t, %tid.x;\nld.param.u64 %p, [out];\nmul.wide.u32 %o, %t, " + std::to_string(8 * registers_of_d) + ";\nadd.u64 %p, %p, %o;\n" +
         transfer("st", results, registers_of_d, c.width, out_offset) + "ret;\n}\n";
}

}  // namespace

std::vector<std::uint64_t> multiplied(const std::string& instruction, unsigned target, std::uint32_t level, const Fragment& a, const Fragment& b,
                                      const Fragment& c, int registers_of_d, Destination destination) {
  const std::size_t threads = a.words.size() / static_cast<std::size_t>(a.registers);
  std::vector<std::uint64_t> in;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    for (const Fragment* one : {&a, &b, &c}) {
      const auto begin = one->words.begin() + static_cast<std::ptrdiff_t>(thread) * one->registers;
      in.insert(in.end(), begin, begin + one->registers);
    }
  }
  Module module(kernel_text(instruction, target, a, b, c, registers_of_d, destination), options_for_level(level));
  REQUIRE_MESSAGE(module.loaded(), instruction << ": " << module.error());
  std::vector<std::uint64_t> out(threads * static_cast<std::size_t>(registers_of_d));
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(out.data()), reinterpret_cast<std::uint64_t>(in.data())};
  Launch launch;
  launch.block = threads;
  const bsc_status status = module.launch("k", launch, arguments, sizeof arguments);
  REQUIRE_MESSAGE(status == BSC_OK, module.error());
  if (destination == Destination::own) return out;
  // The second warp keeps C as it is; what the others have is put into D's order.
  const std::size_t registers = static_cast<std::size_t>(registers_of_d);
  const std::vector<std::uint64_t> stored = out;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    for (int i = 0; i < registers_of_d && thread / 32 != 1; ++i) {
      out[thread * registers + static_cast<std::size_t>(i)] =
          stored[thread * registers + static_cast<std::size_t>(place_in_accumulator(destination, i, registers_of_d))];
    }
  }
  return out;
}

}  // namespace bascule::ptx_models
