// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/program.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "tests/ptx_models/bits.hpp"
#include "tests/ptx_models/sweep.hpp"

namespace bascule::ptx_models {
namespace {

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

std::vector<std::uint8_t> arguments_of(const void* out, const void* in, const std::vector<std::uint8_t>& more) {
  const std::uint64_t addresses[] = {address(out), address(in)};
  std::vector<std::uint8_t> bytes(sizeof addresses + more.size());
  std::memcpy(bytes.data(), addresses, sizeof addresses);
  for (std::size_t i = 0; i < more.size(); ++i) bytes[sizeof addresses + i] = more[i];
  return bytes;
}

bsc_simt_options options_of(const Run& run, std::uint32_t level) {
  bsc_simt_options options = options_for_level(level);
  options.seed = run.seed;
  options.sanitize = run.sanitize ? 1 : 0;
  options.watchdog_ns = run.watchdog_ns;
  options.workers = static_cast<std::uint32_t>(run.launch.workers);
  return options;
}

}  // namespace

std::vector<std::uint64_t> results_of(const std::string& code, std::initializer_list<Operand> inputs, std::initializer_list<int> widths,
                                      unsigned target) {
  Form form{code, {}, {}, {}};
  std::vector<std::uint64_t> in;
  for (const Operand& operand : inputs) {
    form.inputs.push_back(operand.values);
    in.push_back(operand.bits);
  }
  for (const int width : widths) form.outputs.push_back(output(width));
  in.push_back(1);  // the guard of the second run
  form.may_be_immediate = false;
  const std::string text = module_header(target) + kernel_of(form, "k", 0).text;
  std::vector<std::uint64_t> first;
  for (const std::uint32_t level : cpu_levels()) {
    Module module(text, options_for_level(level));
    REQUIRE_MESSAGE(module.loaded(), code << ": " << module.error());
    std::vector<std::uint64_t> out(4), cells(4);
    const struct {
      std::uint64_t in, out, cells;
      std::uint32_t count;
    } arguments = {address(in.data()), address(out.data()), address(cells.data()), 1};
    const bsc_status status = module.launch("k", {}, &arguments, 28);
    REQUIRE_MESSAGE(status == BSC_OK, code << ": " << module.error());
    const std::size_t outputs = form.outputs.size();
    std::vector<std::uint64_t> results;
    for (std::size_t i = 0; i < outputs; ++i) {
      const std::uint64_t mask = low_bits(form.outputs[i].width);
      results.push_back(out[i] & mask);
      if (form.outputs[i].width != 8) CHECK_MESSAGE((out[outputs + i] & mask) == (out[i] & mask), code << ": guarded and plain differ");
    }
    if (first.empty()) first = results;
    CHECK_MESSAGE(first == results, code << ": levels disagree");
  }
  return first;
}

std::uint64_t result_of(const std::string& code, std::initializer_list<Operand> inputs, int width, unsigned target) {
  return results_of(code, inputs, {width}, target).front();
}

std::vector<std::uint32_t> run_program(const std::string& text, const Run& run) {
  std::vector<std::uint32_t> first;
  for (const std::uint32_t level : cpu_levels()) {
    Module module(module_header(run.target) + text, options_of(run, level));
    REQUIRE_MESSAGE(module.loaded(), module.error());
    std::vector<std::uint64_t> input = run.input;
    input.resize(input.size() + 1);
    std::vector<std::uint32_t> out(run.words);
    const auto arguments = arguments_of(out.data(), input.data(), run.more_arguments);
    const bsc_status status = module.launch("k", run.launch, arguments.data(), arguments.size());
    REQUIRE_MESSAGE(status == BSC_OK, module.error());
    if (first.empty()) first = out;
    CHECK_MESSAGE(first == out, "levels disagree");
  }
  return first;
}

Failure failure_of(const std::string& text, const Run& run) {
  Module module(module_header(run.target) + text, options_of(run, cpu_levels().front()));
  if (!module.loaded()) return {BSC_INVALID_ARGUMENT, module.error()};
  std::vector<std::uint64_t> input = run.input;
  input.resize(input.size() + 1);
  std::vector<std::uint32_t> out(run.words);
  const auto arguments = arguments_of(out.data(), input.data(), run.more_arguments);
  const bsc_status status = module.launch("k", run.launch, arguments.data(), arguments.size());
  return {status, module.error(), out};
}

}  // namespace bascule::ptx_models
