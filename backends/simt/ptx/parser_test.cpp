// The typed form that the parser makes of kernels, functions, variables and operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/parser.hpp"

#include <doctest/doctest.h>
#include <bit>
#include <cstddef>

#include "backends/simt/ptx/test_parsing.hpp"
#include "backends/simt/ptx/test_wellformed.hpp"

namespace bascule::simt::ptx {
namespace {

constexpr std::string_view kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

Parsed parse_module(std::string_view text) { return parse(std::string(kHeader) + std::string(text), "test.ptx"); }

std::string errors_of_module(std::string_view text) { return errors_of(parse_module(text)); }

// The value of the constant that a mov.u64 reads.
std::uint64_t constant(std::string_view expression) {
  const Parsed parsed = parse_statements("mov.u64 %rd1, " + std::string(expression) + ";");
  const Function& kernel = kernel_of(parsed);
  return kernel.operand(kernel.instructions[0], 1).bits;
}

std::uint64_t element(const Variable& variable, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes && at + i < variable.initial.size(); ++i) {
    value |= std::uint64_t{std::to_integer<unsigned>(variable.initial[at + i])} << (8 * i);
  }
  return value;
}

}  // namespace

TEST_CASE("a kernel has its parameters at their places in the argument blob, its directives and its instructions") {
  const Parsed parsed = parse_module(R"(
.visible .entry axpy(.param .u32 n, .param .u64 .ptr .global .align 16 x, .param .align 8 .b8 s[12], .param .f32 a)
.maxntid 256, 2
.minnctapersm 3
.maxnreg 64
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [n];
  setp.ge.s32 %p1, %r1, 7;
  @!%p1 bra $L_end;
  ld.param.b32 %r2, [s+8];
$L_end:
  ret;
}
)");
  REQUIRE(errors_of(parsed) == "");
  const Module& module = *parsed.module;
  CHECK(module.version == 90);
  CHECK(module.target == "sm_90");
  CHECK(malformation(module) == "");
  const Function& kernel = kernel_of(parsed);
  CHECK(kernel.linkage == Linkage::visible);
  REQUIRE(kernel.parameters.size() == 4);
  CHECK(kernel.parameters[1].offset == 8);
  CHECK(kernel.parameters[1].pointer_space == Space::global);
  CHECK(kernel.parameters[1].pointer_alignment == 16);
  CHECK(kernel.parameters[2].offset == 16);
  CHECK(kernel.parameters[2].bytes == 12);
  CHECK(kernel.parameters[3].offset == 28);
  CHECK(kernel.max_threads.x == 256);
  CHECK(kernel.max_threads.y == 2);
  CHECK(kernel.max_threads.z == 1);
  CHECK(kernel.min_blocks == 3);
  CHECK(kernel.max_registers == 64);
  REQUIRE(kernel.instructions.size() == 5);
  const Instruction& branch = kernel.instructions[2];
  CHECK(branch.guarded);
  CHECK(branch.guard_negated);
  CHECK(kernel.operand(branch, 0).kind == Operand::Kind::label);
  CHECK(kernel.operand(branch, 0).index == 4);
  CHECK(kernel.labels == std::vector<std::uint32_t>{4});
  const Operand& address = kernel.operand(kernel.instructions[3], 1);
  CHECK(address.kind == Operand::Kind::address);
  CHECK(address.base_kind == Operand::Kind::symbol);
  CHECK(address.local_symbol);
  CHECK(kernel.variables[address.index].name == "s");
  CHECK(address.offset == 8);
  CHECK(kernel.instructions[1].location.line == 13);
  CHECK(kernel.instructions[1].location.column == 3);
}

TEST_CASE("optional operands keep their places") {
  const Parsed parsed = parse_statements(
      "setp.eq.s32 %p1, %r1, 2; setp.eq.and.s32 %p1|%p2, %r1, 2, !%p3; bar.red.popc.u32 %r1, 0, %p1; "
      "ld.global.b32 %r1, [%rd1]; shfl.sync.idx.b32 %r1, %r2, 1, 31, -1;");
  const Function& kernel = kernel_of(parsed);
  const auto kind = [&](std::size_t instruction, std::size_t position) {
    return kernel.operand(kernel.instructions[instruction], position).kind;
  };
  CHECK(kernel.instructions[0].operand_count == 4);
  CHECK(kernel.instructions[0].destinations == 2);
  CHECK(kind(0, 1) == Operand::Kind::none);
  CHECK(kind(0, 3) == Operand::Kind::immediate);
  CHECK(kind(1, 1) == Operand::Kind::reg);
  CHECK(kernel.operand(kernel.instructions[1], 4).negated);
  CHECK(kind(2, 2) == Operand::Kind::none);
  CHECK(kind(2, 3) == Operand::Kind::reg);
  CHECK(kind(3, 2) == Operand::Kind::none);
  CHECK(kind(4, 1) == Operand::Kind::none);
}

TEST_CASE("constants are in the type in which they are read") {
  const Parsed parsed = parse_statements(
      "add.u32 %r1, %r2, -1; add.s32 %r1, %r2, 0xffffffff; mov.f32 %f1, 1.0; mov.f64 %d1, 0f3F800000; "
      "st.global.u8 [%rd1], 300; mov.b32 %r1, 0f40000000; and.pred %p1, %p2, 7;");
  const Function& kernel = kernel_of(parsed);
  const auto bits = [&](std::size_t instruction, std::size_t position) {
    return kernel.operand(kernel.instructions[instruction], position).bits;
  };
  CHECK(bits(0, 2) == 0xffffffffu);
  CHECK(bits(1, 2) == ~std::uint64_t{0});
  CHECK(bits(2, 1) == 0x3f800000u);
  CHECK(bits(3, 1) == std::bit_cast<std::uint64_t>(1.0));
  CHECK(bits(4, 1) == 44);
  CHECK(bits(5, 1) == 0x40000000u);
  CHECK(bits(6, 2) == 1);
}

TEST_CASE("constant expressions follow the ISA's rules for signs") {
  CHECK(constant("-(3+4)*2") == static_cast<std::uint64_t>(-14));
  CHECK(constant("7/2") == 3);
  CHECK(constant("-7/2") == static_cast<std::uint64_t>(-3));
  CHECK(constant("-1 / 2U") == 0x7fffffffffffffffu);
  CHECK(constant("-1 % 16") == 15);
  CHECK(constant("-8 >> 1") == static_cast<std::uint64_t>(-4));
  CHECK(constant("0x8000000000000000 >> 63") == 1);
  CHECK(constant("(.u64)-1 > 0") == 1);
  CHECK(constant("-1 > 0U") == 1);
  CHECK(constant("-1 > 0") == 0);
  CHECK(constant("1 < 2 ? 5 : 6") == 5);
  CHECK(constant("!5 + ~0 + 1") == 0);
  CHECK(constant("1 << 4 ^ 3 & 6") == 18);
  CHECK(constant("WARP_SZ * 2") == 64);
  CHECK(errors_in("mov.u64 %rd1, 1/0;").find("division by zero") != std::string::npos);
  CHECK(errors_in("mov.u64 %rd1, 1 + 2.0;").find("mix") != std::string::npos);
  CHECK(errors_in("mov.f32 %f1, -0f3F800000;").find("takes no operators") != std::string::npos);
  CHECK(errors_in("mov.u64 %rd1, " + std::string(5000, '(') + "1;").find("nested too deeply") != std::string::npos);
  CHECK(errors_in("mov.u64 %rd1, " + std::string(5000, '-') + "1;").find("nested too deeply") != std::string::npos);
}

TEST_CASE("registers, labels and variables belong to their block; inner ones hide outer ones") {
  const Parsed parsed = parse_statements(R"(
mov.b32 %r1, 1;
{ .reg .b32 x; L: mov.b32 x, %r1; bra L; }
{ .reg .f32 x; .reg .b64 %r1; L: mov.f32 x, 1.0; mov.b64 %r1, 2; bra L; { bra L; bra M; L: } }
mov.b32 %r1, 3;
M: bra N; N:)");
  REQUIRE(errors_of(parsed) == "");
  const Function& kernel = kernel_of(parsed);
  const auto target = [&](std::size_t instruction) {
    return kernel.operand(kernel.instructions[instruction], 0).index;
  };
  CHECK(target(2) == 1);
  CHECK(target(5) == 3);
  CHECK(target(6) == 8);  // the label of the innermost block, which stands below
  CHECK(target(7) == 9);
  CHECK(target(9) == 10);
  CHECK(kernel.operand(kernel.instructions[0], 0).index == kernel.operand(kernel.instructions[8], 0).index);
  CHECK(kernel.operand(kernel.instructions[0], 0).index != kernel.operand(kernel.instructions[4], 0).index);
  CHECK(errors_in("{ .reg .b32 x; } mov.b32 x, 1;").find("'x' is not declared") != std::string::npos);
  CHECK(errors_in("L: L:").find("already declared") != std::string::npos);
  CHECK(errors_in("{ L: } bra L;").find("no label 'L'") != std::string::npos);
  CHECK(errors_in(".reg .b32 x; .reg .f32 x;").find("already declared") != std::string::npos);
}

TEST_CASE("ranges of registers make only those that are used") {
  const Parsed parsed = parse_statements(
      ".reg .b32 %big<4000000000>, %a<5>; .reg .b64 %a1<2>; mov.b32 %big3999999999, 1; mov.b64 %a10, 2; "
      "mov.b32 %a4, 1;");
  REQUIRE(errors_of(parsed) == "");
  CHECK(kernel_of(parsed).registers.size() == 3);
  CHECK(errors_in(".reg .b32 %x<4>; mov.b32 %x4, 1;").find("'%x4' is not declared") != std::string::npos);
  CHECK(errors_in(".reg .b32 %x<4>; mov.b32 %x01, 1;").find("'%x01' is not declared") != std::string::npos);
}

TEST_CASE("a vector register is as many registers") {
  const Parsed parsed = parse_statements(".reg .v4 .f32 v; ld.global.v4.f32 v, [%rd1]; add.f32 v.x, v.y, v.w;");
  REQUIRE(errors_of(parsed) == "");
  const Function& kernel = kernel_of(parsed);
  const Operand& vector = kernel.operand(kernel.instructions[0], 0);
  REQUIRE(vector.kind == Operand::Kind::vector);
  REQUIRE(vector.count == 4);
  CHECK(kernel.elements[vector.index + 3].index == kernel.operand(kernel.instructions[1], 2).index);
  CHECK(errors_in(".reg .v2 .f32 v; add.f32 v.x, v.y, v.z;").find("no such component") != std::string::npos);
}

TEST_CASE("variables have their sizes and initial values") {
  const Parsed parsed = parse_module(R"(
.global .align 4 .u16 a[2][3] = {{1, 2}, {4}};
.global .f64 d[] = {1.5, -2};
.global .f64 e[2] = {1.5, 0d4000000000000000};
.global .v2 .s8 v[2] = {{-1, 2}, {3, 4}};
.visible .const .b32 one = 1+2*3;
.global .u64 p[3] = {a, generic(a)+4, f};
.global .b8 bytes[2] = {0xFF(a), 0xFF00(generic(a))};
.extern .shared .align 16 .b8 dynamic[];
.func f { ret; }
)");
  CHECK(errors_of(parsed).find("initial value is an integer") != std::string::npos);  // of d
  const Parsed right = parse_module(R"(
.func f { ret; }
.global .align 4 .u16 a[2][3] = {{1, 2}, {4}};
.global .f64 e[] = {1.5, 0d4000000000000000};
.global .v2 .s8 v[2] = {{-1, 2}, {3, 4}};
.visible .const .b32 one = 1+2*3;
.global .u64 p[3] = {a, generic(a)+4, f};
.global .b8 bytes[2] = {0xFF(a), 0xFF00(generic(a))};
.extern .shared .align 16 .b8 dynamic[];
)");
  REQUIRE(errors_of(right) == "");
  const auto& variables = right.module->variables;
  REQUIRE(variables.size() == 7);
  CHECK(variables[0].bytes == 12);
  CHECK(element(variables[0], 0, 2) == 1);
  CHECK(element(variables[0], 2, 2) == 2);
  CHECK(element(variables[0], 6, 2) == 4);
  CHECK(variables[1].bytes == 16);
  CHECK(element(variables[1], 8, 8) == std::bit_cast<std::uint64_t>(2.0));
  CHECK(element(variables[2], 0, 4) == 0x040302ffu);
  CHECK(element(variables[3], 0, 4) == 7);
  CHECK(variables[3].linkage == Linkage::visible);
  REQUIRE(variables[4].relocations.size() == 3);
  CHECK(variables[4].relocations[1].generic);
  CHECK(variables[4].relocations[1].addend == 4);
  CHECK(variables[4].relocations[1].offset == 8);
  CHECK(variables[4].relocations[2].function);
  REQUIRE(variables[5].relocations.size() == 2);
  CHECK(variables[5].relocations[1].shift == 8);
  CHECK(variables[5].relocations[1].bytes == 1);
  CHECK(variables[6].bytes == 0);
  CHECK(variables[6].space == Space::shared);
  CHECK(malformation(*right.module) == "");
}

TEST_CASE("calls name functions, pointers with prototypes or lists, and results and arguments of all kinds") {
  const Parsed parsed = parse_module(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.reg .f32 y) square(.reg .f32 x) { mul.f32 y, x, x; ret; }
.func plain .noreturn;
.func late(.param .b32 a);
.entry k() {
  .reg .f32 %f<3>; .reg .b64 %rd<3>; .reg .b32 %r<3>; .param .b32 out; .param .align 8 .b8 in[8]; .param .b64 in2;
  call.uni (out), vprintf, (in, in2);
  call (%f1), square, (%f2);
  call (%f1), square, (1.5);
  call plain;
  proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);
  call (out), %rd1, (in, in2), proto;
  list: .calltargets square;
  call (%f1), %rd1, (%f2), list;
  mov.u64 %rd1, late;
  ret;
}
.func late(.param .b32 a) { ret; }
)");
  REQUIRE(errors_of(parsed) == "");
  const Function& kernel = kernel_of(parsed);
  REQUIRE(kernel.calls.size() == 6);
  CHECK(kernel.calls[0].uniform);
  CHECK(*kernel.calls[0].function == 0);
  CHECK(kernel.calls[0].arguments[0].kind == Operand::Kind::symbol);
  CHECK(kernel.calls[1].results[0].kind == Operand::Kind::reg);
  CHECK(kernel.calls[2].arguments[0].kind == Operand::Kind::immediate);
  CHECK(kernel.calls[4].prototype.has_value());
  CHECK(kernel.calls[5].targets == std::vector<std::uint32_t>{1});
  const Function& square = parsed.module->functions[1];
  CHECK(square.result_registers.size() == 1);
  CHECK(square.parameter_registers.size() == 1);
  CHECK(parsed.module->functions[2].noreturn);
  CHECK(parsed.module->functions[3].defined);
  CHECK(malformation(*parsed.module) == "");

  CHECK(errors_of_module(".func f(.reg .b32 a); .entry k() { call f; ret; }").find("gives 0 argument") !=
        std::string::npos);
  CHECK(errors_of_module(".entry j() { ret; } .entry k() { call j; ret; }").find("kernel") != std::string::npos);
  CHECK(errors_of_module(".entry k() { call nothing; ret; }").find("not declared as a function") != std::string::npos);
  CHECK(errors_of_module(".func f { ret; } .func f { ret; }").find("already has a body") != std::string::npos);
}

TEST_CASE("arguments of calls that are constants are in the parameter's type") {
  const Parsed parsed =
      parse_module(".func f(.reg .f32 x, .reg .u32 n) { ret; } .entry k() { call f, (1.5, -1); ret; }");
  REQUIRE(errors_of(parsed) == "");
  const Call& call = kernel_of(parsed).calls[0];
  CHECK(call.arguments[0].bits == 0x3fc00000u);
  CHECK(call.arguments[1].bits == 0xffffffffu);
}

TEST_CASE("branches through lists, aliases, and source lines") {
  const Parsed parsed = parse_module(R"(
.func shown;
.func real(.param .b32 a) { ret; }
.alias shown, real;
.entry k() {
  .reg .b32 %r<3>; .param .b32 in;
  .loc 1 12 3
  targets: .branchtargets A, B, A;
  brx.idx %r1, targets;
  A: mov.b32 %r1, 1;
  .loc 1 20 5, function_name $L__info_string0, inlined_at 1 12 3
  B: ret;
}
.file 1 "kernel.cu", 1700000000, 4242
.section .debug_str { $L__info_string0: .b8 95, 90, 0 }
)");
  REQUIRE(errors_of(parsed) == "");
  const Function& kernel = kernel_of(parsed);
  REQUIRE(kernel.branch_lists.size() == 1);
  CHECK(kernel.branch_lists[0] == std::vector<std::uint32_t>{1, 2, 1});
  CHECK(kernel.instructions[0].side == 0);
  CHECK(kernel.instructions[2].source.line == 20);
  CHECK(kernel.instructions[0].source.line == 12);
}

TEST_CASE("the file of a source line is known although .file may follow the functions") {
  const Parsed parsed = parse_module(".entry k() {\n.loc 1 7 3\nret;\n}\n.file 1 \"kernel.cu\"\n");
  REQUIRE(errors_of(parsed) == "");
  CHECK(kernel_of(parsed).instructions[0].source.file == 1);
  CHECK(parsed.module->files[1] == "kernel.cu");
}

TEST_CASE("a newer version or an unknown target is refused by name") {
  CHECK(errors_of(parse(".version 9.9\n.target sm_90\n", "t"))
            .find("newer than this engine, which knows PTX up to 9.1") != std::string::npos);
  CHECK(errors_of(parse(".version 5.7\n.target sm_50\n", "t")).find("there is no PTX 5.7") != std::string::npos);
  CHECK(errors_of(parse(".version 9.0\n.target sm_200\n", "t")).find("unknown target 'sm_200'") != std::string::npos);
  CHECK(errors_of(parse(".version 9.0\n.target sm_80a\n", "t")).find("unknown target 'sm_80a'") != std::string::npos);
  CHECK(errors_of(parse(".version 9.0\n.target sm_80\n.address_size 32\n", "t")).find("32-bit addresses") !=
        std::string::npos);
  CHECK(errors_of(parse("", "t")).find("the text is empty") != std::string::npos);
  CHECK(errors_of(parse("\x7f"
                        "ELF",
                        "t"))
            .find("not PTX") != std::string::npos);
}

TEST_CASE("several errors are found in one pass, and no more than can be read") {
  const Parsed parsed =
      parse_statements("addd.s32 %r1, %r2, %r3;\nmov.b32 %r1, %x;\nadd.s32 %r1, %r2, %r3\nmul.lo.s32 %r1, %r2;\nret;");
  CHECK(parsed.module == nullptr);
  CHECK(parsed.diagnostics.size() == 4);
  std::string many;
  for (int i = 0; i < 200; ++i) many += "bad" + std::to_string(i) + " %r1;\n";
  CHECK(parse_statements(many).diagnostics.size() == kMaxDiagnostics);
}

TEST_CASE("hostile texts end in an error, in bounded time and memory") {
  CHECK(errors_in(std::string(100000, '{')).find("nested more than") != std::string::npos);
  CHECK_FALSE(errors_in(std::string(100000, '}')).empty());
  CHECK(errors_in("mov.b32 %r1, " + std::string(1 << 20, 'a') + ";").find("a word of") != std::string::npos);
  std::string name = "add";
  for (int i = 0; i < 200000; ++i) name += ".s32";
  CHECK_FALSE(errors_in(name + " %r1, %r2, %r3;").empty());
  CHECK(errors_of_module(".global .b8 a[4000000000000];").find("2^40") != std::string::npos);
  CHECK(errors_of_module(".global .b8 a[1000000][1000000][1000000];").find("too large") != std::string::npos);
  CHECK(errors_of_module(".global .b8 a[2][1000000000] = {{0}, {1}};").find("256 MiB") != std::string::npos);
  CHECK(errors_of_module(".reg .b32 r;").find("belong into a function") != std::string::npos);
  CHECK(errors_of_module(".file 4000000000 \"x\"\n").find("at most 65535") != std::string::npos);
  CHECK(errors_of_module(".entry k() { ").find("never closed") != std::string::npos);
  CHECK(errors_in("mov.b64 %rd1, {" + std::string(100000, ',')).find("operand was expected") != std::string::npos);
}

}  // namespace bascule::simt::ptx
