// Comparing buffers element by element.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.hpp"

#include <cmath>
#include <cstring>

#include "core/cli/element_type.hpp"

namespace bascule::cli::check {
namespace {

using core::ElementType;

template <class T>
T load(const std::byte* bits) {
  T value;
  std::memcpy(&value, bits, sizeof value);
  return value;
}

// Of the float formats that have one; digits counts the leading one.
struct FloatFormat {
  double (*value)(const std::byte*);
  int digits;
  int smallest_exponent;  // of normal numbers
};

const FloatFormat* format_of(ElementType type) {
  static const FloatFormat kF16 = {[](const std::byte* bits) { return f16_to_double(load<std::uint16_t>(bits)); }, 11, -14};
  static const FloatFormat kBf16 = {[](const std::byte* bits) { return bf16_to_double(load<std::uint16_t>(bits)); }, 8, -126};
  static const FloatFormat kF32 = {[](const std::byte* bits) { return static_cast<double>(load<float>(bits)); }, 24, -126};
  static const FloatFormat kF64 = {[](const std::byte* bits) { return load<double>(bits); }, 53, -1022};
  switch (type) {
    case ElementType::f16: return &kF16;
    case ElementType::bf16: return &kBf16;
    case ElementType::f32: return &kF32;
    case ElementType::f64: return &kF64;
    default: return nullptr;
  }
}

double ulp(double value, const FloatFormat& format) {
  int exponent = format.smallest_exponent + 1;
  if (value != 0) exponent = std::max(std::ilogb(value) + 1, exponent);
  return std::ldexp(1.0, exponent - format.digits);
}

class Comparison {
 public:
  Comparison(const core::Parameter& parameter, const core::Tolerance& tolerance, const Value& got, const Value& expected)
      : parameter_(parameter), tolerance_(tolerance), got_(got), expected_(expected), bytes_(core::element_bytes(parameter.type)), format_(format_of(parameter.type)) {}

  std::string run() {
    if (format_ != nullptr) measure();
    for (std::uint64_t i = 0; i < expected_.count; ++i) {
      const std::byte* const got = got_.bytes.data() + i * bytes_;
      const std::byte* const expected = expected_.bytes.data() + i * bytes_;
      if (std::memcmp(got, expected, bytes_) == 0) continue;
      if (format_ == nullptr) return explain(i, "");
      const double value = format_->value(got), wanted = format_->value(expected);
      if (std::isnan(value) && std::isnan(wanted)) continue;
      if (value == wanted) continue;
      if (!std::isfinite(value) || !std::isfinite(wanted)) return explain(i, "");
      const double allowed = allowed_at(wanted);
      if (std::fabs(value - wanted) > allowed) {
        char text[64];
        std::snprintf(text, sizeof text, "; %.3g apart, %.3g allowed", std::fabs(value - wanted), allowed);
        return explain(i, text);
      }
    }
    return {};
  }

 private:
  void measure() {
    for (std::uint64_t i = 0; i < expected_.count; ++i) {
      const double value = std::fabs(format_->value(expected_.bytes.data() + i * bytes_));
      if (std::isfinite(value)) largest_ = std::max(largest_, value);
    }
  }
  double allowed_at(double expected) const {
    const bool stated = tolerance_.ulps > 0 || tolerance_.absolute > 0 || tolerance_.relative > 0;
    if (!stated && tolerance_.rule == "R4") return 0;
    if (!stated) return 16 * std::ldexp(largest_, -format_->digits);
    return tolerance_.ulps * ulp(expected, *format_) + tolerance_.absolute + tolerance_.relative * std::fabs(expected);
  }
  std::string shown(const Value& value, std::uint64_t index) const {
    const auto type = element_type_from_name(core::element_type_name(parameter_.type));
    return type ? format_element(*type, value.bytes.data() + index * bytes_) : std::to_string(std::to_integer<int>(value.bytes[index * bytes_]));
  }
  std::string explain(std::uint64_t index, const std::string& more) const {
    return parameter_.name + "[" + std::to_string(index) + "] is " + shown(got_, index) + ", expected " + shown(expected_, index) + more;
  }

  const core::Parameter& parameter_;
  const core::Tolerance& tolerance_;
  const Value& got_;
  const Value& expected_;
  const std::size_t bytes_;
  const FloatFormat* const format_;
  double largest_ = 0;
};

}  // namespace

std::string compare(const core::Contract& contract, const std::vector<Value>& got, const std::vector<Value>& expected) {
  for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
    const core::Parameter& parameter = contract.parameters[i];
    if (parameter.kind != core::ParameterKind::buffer || parameter.access == core::Access::in) continue;
    std::string difference = Comparison(parameter, contract.tolerance, got[i], expected[i]).run();
    if (!difference.empty()) return difference;
  }
  return {};
}

}  // namespace bascule::cli::check
