// ISA 9.7.1: dot products of bytes, dp4a and dp2a.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {

Forms dot_forms() {
  Forms forms;
  const std::vector<Values> inputs = {Values::integer32, Values::integer32, Values::integer32};
  for (const bool a_signed : {false, true}) {
    for (const bool b_signed : {false, true}) {
      const std::string types = std::string(a_signed ? ".s32" : ".u32") + (b_signed ? ".s32" : ".u32");
      forms.push_back({"dp4a" + types + " $d, $a, $b, $c", inputs, {output(32)}, [=](const std::uint64_t* in, Expected* out) {
                         Signed128 total = static_cast<Signed128>(in[2]);
                         for (int i = 0; i < 4; ++i) total += value_of(in[0] >> (8 * i), 8, a_signed) * value_of(in[1] >> (8 * i), 8, b_signed);
                         out[0] = wrapped(total, 32);
                       }});
      for (const int first : {0, 2}) {
        forms.push_back({std::string("dp2a") + (first == 0 ? ".lo" : ".hi") + types + " $d, $a, $b, $c", inputs, {output(32)},
                         [=](const std::uint64_t* in, Expected* out) {
                           Signed128 total = static_cast<Signed128>(in[2]);
                           for (int i = 0; i < 2; ++i) {
                             total += value_of(in[0] >> (16 * i), 16, a_signed) * value_of(in[1] >> (8 * (first + i)), 8, b_signed);
                           }
                           out[0] = wrapped(total, 32);
                         }});
      }
    }
  }
  return forms;
}

}  // namespace bascule::ptx_models
