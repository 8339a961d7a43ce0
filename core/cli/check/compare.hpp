// `bascule check`: results against a reference, by the contract's tolerance.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "core/package/contract.hpp"
#include "inputs.hpp"

namespace bascule::cli::check {

// "" if every buffer that the kernel writes agrees; else parameter, index, both values and what was allowed.
//   integers: equal. Floats: NaN and infinities in the same places; else |got - expected| <= ulps * ulp(expected) + absolute +
//   relative * |expected| with the contract's numbers; R4 without numbers: equal; no numbers otherwise: 16 unit roundoffs of
//   the largest expected value in the buffer.
std::string compare(const core::Contract& contract, const std::vector<Value>& got, const std::vector<Value>& expected);

}  // namespace bascule::cli::check
