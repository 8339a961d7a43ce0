// Sizes first, by trying integers until the contract's conditions hold; then data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/cli/element_type.hpp"

namespace bascule::cli::check {
namespace {

using core::Contract;
using core::Parameter;
using core::ParameterKind;

constexpr int kAttempts = 400;
constexpr std::uint64_t kMaxElements = 1 << 22;  // of one buffer
constexpr double kUsual = 2;                     // floats lie in [-2, 2] unless the contract says otherwise

using Slots = std::array<std::uint64_t, core::kMaxSlots>;

bool is_integer_scalar(const Parameter& parameter) { return parameter.kind == ParameterKind::scalar && core::is_integer(parameter.type); }

void append(std::vector<std::byte>& out, const void* value, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(value);
  out.insert(out.end(), first, first + bytes);
}

template <class T>
void append_as(std::vector<std::byte>& out, double value) {
  const T converted = static_cast<T>(value);
  append(out, &converted, sizeof converted);
}

// As an element of a buffer.
void append_element(core::ElementType type, double value, std::vector<std::byte>& out) {
  using core::ElementType;
  switch (type) {
    case ElementType::i8: return append_as<std::int8_t>(out, value);
    case ElementType::i16: return append_as<std::int16_t>(out, value);
    case ElementType::u16: return append_as<std::uint16_t>(out, value);
    case ElementType::i32: return append_as<std::int32_t>(out, value);
    case ElementType::u32: return append_as<std::uint32_t>(out, value);
    case ElementType::i64: return append_as<std::int64_t>(out, value);
    case ElementType::u64: return append_as<std::uint64_t>(out, value);
    case ElementType::f32: return append_as<float>(out, value);
    case ElementType::f64: return append_as<double>(out, value);
    case ElementType::f16: {
      const std::uint16_t bits = round_to_f16(value);
      return append(out, &bits, sizeof bits);
    }
    case ElementType::bf16: {
      const std::uint16_t bits = round_to_bf16(value);
      return append(out, &bits, sizeof bits);
    }
    default: return append_as<std::uint8_t>(out, value);  // u8, and formats of 8 bits: their bits
  }
}

double random_value(const Parameter& parameter, std::mt19937_64& random) {
  const bool integer = core::is_integer(parameter.type);
  const bool bits = !integer && core::element_bytes(parameter.type) == 1;
  double low = integer || bits ? (core::is_signed_integer(parameter.type) ? -100 : 0) : -kUsual;
  double high = bits ? 119 : integer ? 100 : kUsual;  // 119: below the NaNs of every 8-bit format
  if (parameter.minimum) low = *parameter.minimum, high = std::max(high, low);
  if (parameter.maximum) high = *parameter.maximum, low = std::min(low, high);
  if (integer || bits) return static_cast<double>(std::uniform_int_distribution<std::int64_t>(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high))(random));
  return low == high ? low : std::uniform_real_distribution<double>(low, high)(random);
}

// An integer that may be a size: the size itself, one near it, or a small one.
std::uint64_t random_size(std::uint64_t size, int attempt, std::mt19937_64& random) {
  if (attempt == 0) return size;
  const std::uint64_t choices[] = {size, size, size + 1, size + 7, size * 2, size == 0 ? 0 : size - 1, 1, 2, 3, 17, 0, 64};
  return choices[std::uniform_int_distribution<std::size_t>(0, std::size(choices) - 1)(random)];
}

std::uint64_t largest_of(core::ElementType type) { return std::min<std::uint64_t>(core::integer_maximum(type), std::numeric_limits<std::int64_t>::max()); }

void choose_integers(const Contract& contract, std::uint64_t size, int attempt, Slots& slots, std::mt19937_64& random) {
  for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    if (!is_integer_scalar(parameter)) continue;
    std::uint64_t value = std::min(random_size(size, attempt, random), largest_of(parameter.type));
    if (parameter.minimum || parameter.maximum) value = static_cast<std::uint64_t>(std::max(0.0, random_value(parameter, random)));
    slots[core::kFirstParameterSlot + i] = value;
  }
}

// Lengths may name lengths, so they are computed until nothing changes.
bool compute_lengths(const Contract& contract, std::uint64_t size, Slots& slots, std::string& reason) {
  for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    if (parameter.kind == ParameterKind::buffer) slots[core::kFirstParameterSlot + i] = parameter.has_length ? 0 : size;
  }
  for (std::size_t round = 0; round <= contract.parameters.size(); ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
      const Parameter& parameter = contract.parameters[i];
      if (parameter.kind != ParameterKind::buffer || !parameter.has_length) continue;
      std::uint64_t length = 0;
      if (!parameter.length.evaluate(slots.data(), length) || length > kMaxElements) {
        reason = "the length of " + parameter.name + " is too large, or cannot be computed";
        return false;
      }
      changed = changed || slots[core::kFirstParameterSlot + i] != length;
      slots[core::kFirstParameterSlot + i] = length;
    }
    if (!changed) return true;
  }
  reason = "the lengths of its buffers depend on each other in a circle";
  return false;
}

bool meets_requirements(const Contract& contract, const Slots& slots, std::string& reason) {
  for (const core::Requirement& requirement : contract.requirements) {
    std::uint64_t holds = 0;
    if (requirement.expression.evaluate(slots.data(), holds) && holds != 0) continue;
    reason = requirement.message;
    return false;
  }
  return true;
}

// An empty shape where a size was wanted tests nothing.
bool is_large_enough(const Contract& contract, std::uint64_t size, const Slots& slots) {
  if (size == 0) return true;
  return std::all_of(contract.parameters.begin(), contract.parameters.end(), [&](const Parameter& parameter) {
    const std::size_t slot = core::kFirstParameterSlot + static_cast<std::size_t>(&parameter - contract.parameters.data());
    return parameter.kind != ParameterKind::buffer || slots[slot] > 0;
  });
}

bool reads(const Parameter& parameter) { return parameter.kind == ParameterKind::buffer && parameter.access != core::Access::out; }
bool is_float(const Parameter& parameter) { return !core::is_integer(parameter.type) && core::element_bytes(parameter.type) > 1; }

Value make_value(const Parameter& parameter, std::uint64_t slot, bool special, std::mt19937_64& random) {
  Value value;
  if (is_integer_scalar(parameter)) {
    value.count = 1;
    append(value.bytes, &slot, core::scalar_bytes(parameter.type));
    return value;
  }
  if (parameter.kind == ParameterKind::scalar) {
    value.count = 1;
    const double number = random_value(parameter, random);
    core::scalar_bytes(parameter.type) == 8 ? append_as<double>(value.bytes, number) : append_as<float>(value.bytes, number);
    return value;
  }
  value.count = slot;
  if (!reads(parameter)) {
    value.bytes.assign(slot * core::element_bytes(parameter.type), std::byte{0xff});  // NaN in every float format
    return value;
  }
  constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0.0, -0.0};
  for (std::uint64_t i = 0; i < slot; ++i) {
    const bool strange = special && is_float(parameter) && random() % 16 == 0;
    append_element(parameter.type, strange ? kSpecial[random() % std::size(kSpecial)] : random_value(parameter, random), value.bytes);
  }
  return value;
}

}  // namespace

std::vector<std::uint64_t> sizes() { return {0, 1, 2, 31, 33, 64, 255, 257, 1000, 4099}; }

bool allows_special(const Contract& contract) {
  return contract.nan == "propagate" && std::any_of(contract.parameters.begin(), contract.parameters.end(), [](const Parameter& parameter) {
    return reads(parameter) && is_float(parameter) && !parameter.minimum && !parameter.maximum;
  });
}

std::optional<Inputs> make_inputs(const Contract& contract, std::uint64_t size, bool special, std::mt19937_64& random, std::string& reason) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Slots slots{};
    choose_integers(contract, size, attempt, slots, random);
    if (!compute_lengths(contract, size, slots, reason) || !meets_requirements(contract, slots, reason) || !is_large_enough(contract, size, slots)) continue;
    Inputs inputs;
    inputs.label = "size " + std::to_string(size) + (special ? " with NaN and infinity" : "");
    for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
      const Parameter& parameter = contract.parameters[i];
      const std::uint64_t slot = slots[core::kFirstParameterSlot + i];
      inputs.values.push_back(make_value(parameter, slot, special, random));
      if (parameter.kind == ParameterKind::buffer && parameter.access != core::Access::in) inputs.work_items = std::max(inputs.work_items, slot);
    }
    return inputs;
  }
  if (reason.empty()) reason = "some buffer is always empty";
  return std::nullopt;
}

}  // namespace bascule::cli::check
