// `bascule check`: arguments for a kernel, made from its contract.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/package/contract.hpp"

namespace bascule::cli::check {

// One parameter's value: a scalar's bytes as the API takes them, or a buffer's elements.
struct Value {
  std::vector<std::byte> bytes;
  std::uint64_t count = 0;  // elements
};

struct Inputs {
  std::string label;               // "n = 257", "n = 257 with NaN and infinity"
  std::uint64_t work_items = 0;
  std::vector<Value> values;       // in the contract's order
};

// Sizes that every kernel is tried with, small ones and those around blocks and warps first.
std::vector<std::uint64_t> sizes();

// Arguments where integers that are no bounded values, and buffers of free length, are about `size`; each buffer has the
// least length that the contract asks for. Nothing, with the reason, if no such arguments satisfy the contract.
// `special`: some elements of what is read are NaN and infinite.
std::optional<Inputs> make_inputs(const core::Contract& contract, std::uint64_t size, bool special, std::mt19937_64& random, std::string& reason);

// True if the contract says what NaN and infinity in an input mean, and an input may hold them.
bool allows_special(const core::Contract& contract);

}  // namespace bascule::cli::check
