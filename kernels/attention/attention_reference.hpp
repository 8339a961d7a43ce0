// Float64 reference of attention.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../common/tolerance.hpp"

namespace bascule::kernels {

// How many keys a query sees: all, or where causal those up to query + keys - queries, so that the last query sees all.
std::uint64_t attention_keys_seen(bool causal, std::uint64_t query, std::uint64_t queries, std::uint64_t keys);

// One query over `seen` keys: q has head_dim numbers, k and v seen x head_dim. Allowed (R2): twice the error of a plain
// implementation that has scores and sums in f32 and rounds its weights and its result to a format of unit roundoff `output`:
// each weight is wrong by its score's error, which R1 bounds, and its own rounding.
std::vector<reference_value> attention_reference_row(std::span<const double> q, std::span<const double> k, std::span<const double> v, std::uint64_t seen,
                                                     double scale, double output);

}  // namespace bascule::kernels
