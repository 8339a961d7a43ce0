// Short PTX programs for tests: one instruction on given operands, or a whole module, on every x86-64 level of the machine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/ptx_models/engine.hpp"
#include "tests/ptx_models/form.hpp"

namespace bascule::ptx_models {

struct Operand {
  Values values;
  std::uint64_t bits;
};
inline Operand b16(std::uint64_t bits) { return {Values::integer16, bits}; }
inline Operand b32(std::uint64_t bits) { return {Values::integer32, bits}; }
inline Operand b64(std::uint64_t bits) { return {Values::integer64, bits}; }
inline Operand pred(bool bit) { return {Values::predicate, bit ? 1u : 0u}; }

/// Output $d (and $e) of instructions written as in Form::code. Fails the test where levels disagree or something is refused.
std::vector<std::uint64_t> results_of(const std::string& code, std::initializer_list<Operand> inputs, std::initializer_list<int> widths,
                                      unsigned target = 80);
std::uint64_t result_of(const std::string& code, std::initializer_list<Operand> inputs, int width = 32, unsigned target = 80);

struct Run {
  Launch launch;
  std::size_t words = 256;                     // of 32 bits, zero before
  std::vector<std::uint64_t> input = {};       // copied for each run
  std::vector<std::uint8_t> more_arguments = {};  // bytes that follow the two addresses
  unsigned target = 80;
  std::uint64_t seed = 0;
  bool sanitize = false;
  std::uint64_t watchdog_ns = 60'000'000'000u;
};

/// Runs kernel `k(.param .u64 out, .param .u64 in)` of a module without its header on each level; all must leave the same words.
std::vector<std::uint32_t> run_program(const std::string& text, const Run& run);

/// A launch's outcome on one level, for programs that must fail, and the words that it left; none where it was not loaded.
struct Failure {
  bsc_status status;
  std::string message;
  std::vector<std::uint32_t> words = {};
};
Failure failure_of(const std::string& text, const Run& run);

}  // namespace bascule::ptx_models
