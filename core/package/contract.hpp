// A contract: what every variant of a kernel must do, as far as a machine can check it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/package/element_type.hpp"
#include "core/package/expression.hpp"

namespace bascule::core {

// Places of names in the array of values that expressions are evaluated with. Parameter i has slot kFirstParameterSlot + i:
// an integer scalar's value, or a buffer's length in elements.
enum : std::uint32_t {
  kSlotWorkItems = 0,
  kSlotComputeUnits = 1,
  kSlotMaxBlockThreads = 2,
  kSlotSubGroup = 3,
  kFirstParameterSlot = 4
};
inline constexpr std::size_t kMaxParameters = 64;
inline constexpr std::size_t kMaxSlots = kFirstParameterSlot + kMaxParameters;

enum class ParameterKind : std::uint8_t { scalar, buffer };
enum class Access : std::uint8_t { in, out, inout };

struct Parameter {
  std::string name;
  std::string doc;
  ParameterKind kind = ParameterKind::scalar;
  ElementType type = ElementType::u64;
  Access access = Access::in;  // buffers
  bool has_length = false;     // buffers: `length` is checked at each launch
  Expression length;           // least number of elements
  std::optional<double> minimum, maximum;  // what values it is meant for; `check` makes its inputs from them
};

struct Requirement {
  Expression expression;
  std::string message;
};

// How close a variant's results come to the reference; rules R1..R6 are those of docs/kernel-guide.md.
struct Tolerance {
  std::string rule;  // "" if the contract states none
  double ulps = 0;
  double absolute = 0;
  double relative = 0;
};

struct Math {
  std::string precision;    // "f32", ...; "" if the contract states none
  std::string contraction;  // "off" or "on"
  std::string denormals;    // "keep" or "flush"
};

struct Contract {
  std::string name;
  std::uint32_t version_major = 1;
  std::uint32_t version_minor = 0;
  std::string doc;
  std::vector<Parameter> parameters;
  std::vector<Requirement> requirements;
  std::string nan;          // "propagate", "blas", "none", "unspecified"
  std::string determinism;  // "none", "run", "threads"
  Math math;
  Tolerance tolerance;
};

}  // namespace bascule::core
