// ISA 9.7.2, extended precision: the carry is set by one instruction and read by the next one, and a chain of several words.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {
namespace {

using Unsigned128 = unsigned __int128;

struct Carried {
  std::uint64_t value;
  std::uint64_t carry;
};

Carried sum(int width, std::uint64_t a, std::uint64_t b, std::uint64_t carry) {
  const Unsigned128 full = static_cast<Unsigned128>(a) + b + carry;
  return {static_cast<std::uint64_t>(full) & low_bits(width), static_cast<std::uint64_t>(full >> width) & 1};
}

Carried difference(int width, std::uint64_t a, std::uint64_t b, std::uint64_t borrow) {
  const bool borrows = static_cast<Unsigned128>(b) + borrow > a;
  return {(a - b - borrow) & low_bits(width), borrows ? 1u : 0u};
}

std::uint64_t part_of_product(const IntegerType& type, bool high, std::uint64_t a, std::uint64_t b) {
  const Unsigned128 full = type.is_signed ? static_cast<Unsigned128>(type.value(a) * type.value(b))
                                          : static_cast<Unsigned128>(a) * static_cast<Unsigned128>(b);
  return static_cast<std::uint64_t>(high ? full >> type.width : full) & low_bits(type.width);
}

void add_pair(Forms& forms, const IntegerType& type) {
  const Values values = integers(type.width);
  const std::string name = type.name;
  const int width = type.width;
  const std::vector<Output> two = {output(width), output(width)};
  const std::string temporary = width == 32 ? "%t0" : "%w0";
  const std::string all_ones = "-1";
  // The flag's input is the predicate $c, made an integer of 0 or 1 first.
  const std::string flag = "selp.b" + std::to_string(width) + " " + temporary + ", 1, 0, $c; ";
  const std::string set_carry = flag + "add.cc." + name + " " + temporary + ", " + temporary + ", " + all_ones + "; ";
  const std::string set_borrow = flag + "sub.cc." + name + " " + temporary + ", 0, " + temporary + "; ";
  const std::string read_carry = "; addc." + name + " $e, 0, 0";
  const std::string read_borrow = "; subc." + name + " $e, 0, 0";
  const auto push = [&](const std::string& code, std::vector<Values> inputs, Model model, bool immediate = true) {
    Form form{code, std::move(inputs), two, std::move(model)};
    form.may_be_immediate = immediate;
    forms.push_back(form);
  };
  push("add.cc." + name + " $d, $a, $b" + read_carry, {values, values}, [width](const std::uint64_t* in, Expected* out) {
    const Carried result = sum(width, in[0], in[1], 0);
    out[0] = result.value;
    out[1] = result.carry;
  });
  push(set_carry + "addc.cc." + name + " $d, $a, $b" + read_carry, {values, values, Values::predicate},
       [width](const std::uint64_t* in, Expected* out) {
         const Carried result = sum(width, in[0], in[1], in[2]);
         out[0] = result.value;
         out[1] = result.carry;
       }, false);
  // addc without .cc leaves the flag as it was.
  push(set_carry + "addc." + name + " $d, $a, $b" + read_carry, {values, values, Values::predicate},
       [width](const std::uint64_t* in, Expected* out) {
         out[0] = sum(width, in[0], in[1], in[2]).value;
         out[1] = in[2];
       }, false);
  push("sub.cc." + name + " $d, $a, $b" + read_borrow, {values, values}, [width](const std::uint64_t* in, Expected* out) {
    const Carried result = difference(width, in[0], in[1], 0);
    out[0] = result.value;
    out[1] = (0 - result.carry) & low_bits(width);
  });
  push(set_borrow + "subc.cc." + name + " $d, $a, $b" + read_borrow, {values, values, Values::predicate},
       [width](const std::uint64_t* in, Expected* out) {
         const Carried result = difference(width, in[0], in[1], in[2]);
         out[0] = result.value;
         out[1] = (0 - result.carry) & low_bits(width);
       }, false);
  push(set_borrow + "subc." + name + " $d, $a, $b" + read_borrow, {values, values, Values::predicate},
       [width](const std::uint64_t* in, Expected* out) {
         out[0] = difference(width, in[0], in[1], in[2]).value;
         out[1] = (0 - in[2]) & low_bits(width);
       }, false);
  for (const bool high : {false, true}) {
    const std::string half = high ? ".hi" : ".lo";
    push("mad" + half + ".cc." + name + " $d, $a, $b, $c" + read_carry, {values, values, values},
         [type, high](const std::uint64_t* in, Expected* out) {
           const Carried result = sum(type.width, part_of_product(type, high, in[0], in[1]), in[2], 0);
           out[0] = result.value;
           out[1] = result.carry;
         });
    const std::string with_flag = "selp.b" + std::to_string(width) + " " + temporary + ", 1, 0, $f; add.cc." + name + " " +
                                  temporary + ", " + temporary + ", " + all_ones + "; ";
    push(with_flag + "madc" + half + ".cc." + name + " $d, $a, $b, $c" + read_carry,
         {values, values, values, Values::predicate}, [type, high](const std::uint64_t* in, Expected* out) {
           const Carried result = sum(type.width, part_of_product(type, high, in[0], in[1]), in[2], in[3]);
           out[0] = result.value;
           out[1] = result.carry;
         }, false);
    push(with_flag + "madc" + half + "." + name + " $d, $a, $b, $c" + read_carry, {values, values, values, Values::predicate},
         [type, high](const std::uint64_t* in, Expected* out) {
           out[0] = sum(type.width, part_of_product(type, high, in[0], in[1]), in[2], in[3]).value;
           out[1] = in[3];
         }, false);
  }
}

}  // namespace

Forms extended_forms() {
  Forms forms;
  for (const IntegerType& type : {kIntegerTypes[1], kIntegerTypes[2], kIntegerTypes[4], kIntegerTypes[5]}) add_pair(forms, type);
  // 64-bit product from 32-bit words: the upper word is a sum with three carries.
  Form product{"mul.lo.u32 $d, $a, $c; mul.hi.u32 %t0, $a, $c; mad.lo.cc.u32 %t0, $a, $f, %t0; madc.hi.u32 %t1, $a, $f, 0; "
               "mad.lo.cc.u32 $e, $b, $c, %t0; addc.u32 %t1, %t1, 0",
               {Values::integer32, Values::integer32, Values::integer32, Values::integer32},
               {output(32), output(32)},
               [](const std::uint64_t* in, Expected* out) {
                 const std::uint64_t full = (in[0] | in[1] << 32) * (in[2] | in[3] << 32);
                 out[0] = full & low_bits(32);
                 out[1] = full >> 32;
               }};
  product.may_be_immediate = false;
  forms.push_back(product);
  return forms;
}

}  // namespace bascule::ptx_models
