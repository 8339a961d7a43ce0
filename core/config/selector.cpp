// Selector: see selector.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/config/selector.hpp"

#include <algorithm>
#include <array>

#include "core/base/text.hpp"

namespace bascule::core {
namespace {

constexpr std::uint64_t kMostIndex = 65535;  // no machine has more devices, and larger numbers are slips

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool is_architecture(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

Error refused(std::string_view whole, std::size_t column, std::string what) {
  return {BSC_INVALID_CONFIG,
          "device selector " + quoted(whole) + ", column " + std::to_string(column + 1) + ": " + std::move(what),
          "Write " + std::string(kSelectorForm) + "."};
}

Result<Selector> parse_index(std::string_view text, std::string_view backend, std::string_view index) {
  const std::size_t column = backend.size() + 1;
  if (index.empty()) return refused(text, column, "an index is missing");
  std::uint64_t value = 0;
  const bool digits = std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return refused(text, column, quoted(index) + " is not an index");
  if (!parse_u64(index, &value) || value > kMostIndex) {
    return refused(text, column, std::string(index) + " is beyond the largest index, " + std::to_string(kMostIndex));
  }
  return Selector{Selector::Kind::kIndex, std::string(backend), value, ""};
}

// Hexadecimal of at most `digits`, padded with zeros on the left; "" if it is none.
std::string padded_hex(std::string_view text, std::size_t digits) {
  if (text.empty() || text.size() > digits || !std::all_of(text.begin(), text.end(), is_hex)) return "";
  return std::string(digits - text.size(), '0') + std::string(text);
}

}  // namespace

bool is_backend_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string normalized_uuid(std::string_view text) {
  std::string digits = to_lower(text);
  std::erase(digits, '-');
  return digits.size() == 32 && std::all_of(digits.begin(), digits.end(), is_hex) ? digits : "";
}

std::string normalized_pci(std::string_view text) {
  const std::string lower = to_lower(text);
  const std::size_t point = lower.find('.');
  const std::string function = point == std::string::npos ? "0" : padded_hex(lower.substr(point + 1), 1);
  std::vector<std::string> parts = split(lower.substr(0, point), ':');
  if (parts.size() == 2) parts.insert(parts.begin(), "0000");
  if (parts.size() != 3 || function.empty()) return "";
  constexpr std::array<std::size_t, 3> kDigits{4, 2, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    if (parts[i] = padded_hex(parts[i], kDigits[i]); parts[i].empty()) return "";
  }
  return join(parts, ":") + "." + function;
}

Result<Selector> parse_selector(std::string_view text) {
  if (text.empty()) return Selector{};
  const std::size_t colon = text.find(':');
  const std::string_view head = text.substr(0, colon);
  const std::string_view tail = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  const bool special = head == "uuid" || head == "pci" || head == "emulated";
  if (special && tail.empty())
    return refused(text, text.size(), "something must follow " + quoted(std::string(head) + ":"));

  if (head == "uuid") {
    const std::string value = normalized_uuid(tail);
    if (value.empty()) return refused(text, 5, quoted(tail) + " is not a UUID of 32 hexadecimal digits");
    return Selector{Selector::Kind::kUuid, "", 0, value};
  }
  if (head == "pci") {
    const std::string value = normalized_pci(tail);
    if (value.empty()) return refused(text, 4, quoted(tail) + " is not a PCI address such as 0000:65:00.0");
    return Selector{Selector::Kind::kPci, "", 0, value};
  }
  if (head == "emulated") {
    if (!is_architecture(tail)) return refused(text, 9, quoted(tail) + " is not an architecture such as sm_90a");
    return Selector{Selector::Kind::kEmulated, "", 0, std::string(tail)};
  }
  if (!is_backend_name(head)) {
    const auto bad =
        std::find_if(head.begin(), head.end(), [](char c) { return !is_backend_name(std::string_view(&c, 1)); });
    return refused(text, static_cast<std::size_t>(bad - head.begin()),
                   head.empty() ? "a backend's name is missing"
                                : quoted(head) + " is not a backend's name (lower-case letters, digits and _)");
  }
  if (colon != std::string_view::npos) return parse_index(text, head, tail);
  return Selector{Selector::Kind::kBackend, std::string(head), 0, ""};
}

}  // namespace bascule::core
