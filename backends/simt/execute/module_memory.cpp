// Variables of module scope: one piece of memory for the .const ones, one behind it for the rest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "backends/simt/execute/module.hpp"

namespace bascule::simt {
namespace {

// A red zone between variables, so that the sanitizer tells them apart.
constexpr std::uint64_t kGap = 64;

bool has_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

}  // namespace

ModuleMemory::ModuleMemory(const ptx::Module& module) : functions_(module.functions.size() * kFunctionStride + kFunctionStride) {
  const auto base = reinterpret_cast<std::uint64_t>(functions_.data());
  addresses_.functions = (base + kFunctionStride - 1) / kFunctionStride * kFunctionStride;
  place(module);
  const auto fill_all = [&](const std::vector<ptx::Variable>& variables, const std::vector<std::uint64_t>& places) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (places[i] != 0) fill(variables[i], places[i], module.variables, addresses_.variables);
    }
  };
  fill_all(module.variables, addresses_.variables);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    fill_all(module.functions[f].variables, addresses_.function_variables[f]);
  }
}

void ModuleMemory::place(const ptx::Module& module) {
  std::uint64_t end = 0;
  const auto place_all = [&](ptx::Space space, const std::vector<ptx::Variable>& variables, std::vector<std::uint64_t>& places) {
    places.resize(variables.size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const ptx::Variable& variable = variables[i];
      if (!has_memory(variable) || variable.space != space) continue;
      const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 16);
      end = (end + alignment - 1) / alignment * alignment;
      places[i] = end + 1;  // an offset still; 0 is none
      end += variable.bytes + kGap;
    }
  };
  addresses_.function_variables.resize(module.functions.size());
  std::uint64_t constants_end = 0;
  for (const ptx::Space space : {ptx::Space::constant, ptx::Space::global}) {
    place_all(space, module.variables, addresses_.variables);
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
      place_all(space, module.functions[f].variables, addresses_.function_variables[f]);
    }
    if (space == ptx::Space::constant) constants_end = end;
  }
  constexpr std::uint64_t kLargestAlignment = 4096;
  storage_.resize((end + kLargestAlignment) / sizeof(ConstantPool::Line) + 1);
  const auto start = reinterpret_cast<std::uint64_t>(storage_.data());
  const std::uint64_t base = (start + kLargestAlignment - 1) / kLargestAlignment * kLargestAlignment;
  constants_ = base;
  constant_bytes_ = constants_end;
  const auto settle = [&](const std::vector<ptx::Variable>& variables, std::vector<std::uint64_t>& places) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] == 0) continue;
      places[i] += base - 1;
      ranges_.push_back({places[i], variables[i].bytes, variables[i].name, variables[i].space == ptx::Space::constant});
    }
  };
  settle(module.variables, addresses_.variables);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    settle(module.functions[f].variables, addresses_.function_variables[f]);
  }
}

void ModuleMemory::fill(const ptx::Variable& variable, std::uint64_t address, const std::vector<ptx::Variable>& variables,
                        const std::vector<std::uint64_t>& places) {
  auto* const at = reinterpret_cast<std::byte*>(address);
  if (!variable.initial.empty()) std::memcpy(at, variable.initial.data(), std::min<std::size_t>(variable.initial.size(), variable.bytes));
  for (const ptx::Relocation& relocation : variable.relocations) {
    if (relocation.offset + relocation.bytes > variable.bytes || relocation.bytes > 8) continue;
    std::uint64_t value = relocation.function ? addresses_.functions + kFunctionStride * relocation.symbol
                                              : (relocation.symbol < variables.size() ? places[relocation.symbol] : 0);
    value += static_cast<std::uint64_t>(relocation.addend);
    value >>= relocation.shift;
    std::memcpy(at + relocation.offset, &value, relocation.bytes);
  }
}

std::uint64_t argument_bytes_of(const ptx::Function& function) {
  return function.parameters.empty() ? 0 : function.parameters.back().offset + function.parameters.back().bytes;
}

std::uint64_t max_threads_of(const ptx::Function& function) {
  constexpr std::uint64_t kMostThreads = 1024;
  const auto product = [](const ptx::Dimensions& d) {
    return std::uint64_t{std::max(d.x, 1u)} * std::max(d.y, 1u) * std::max(d.z, 1u);
  };
  if (function.required_threads.x != 0) return std::min(product(function.required_threads), kMostThreads);
  if (function.max_threads.x != 0) return std::min(product(function.max_threads), kMostThreads);
  return kMostThreads;
}

}  // namespace bascule::simt
