// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/ptx_version.hpp"

#include <charconv>
#include <string_view>

namespace bascule::core {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";

void skip_past(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
}

void skip_space_and_comments(std::string_view& text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.starts_with("//")) {
      skip_past(text, "\n");
    } else if (text.starts_with("/*")) {
      text.remove_prefix(2);
      skip_past(text, "*/");
    } else {
      return;
    }
  }
}

}  // namespace

int stated_ptx_version(std::span<const std::byte> image) {
  constexpr std::string_view kDirective = ".version";
  constexpr int kLargest = 1000;
  std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  skip_space_and_comments(text);
  if (!text.starts_with(kDirective)) return 0;
  text.remove_prefix(kDirective.size());
  skip_space_and_comments(text);
  int major = 0;
  int minor = 0;
  const char* const end = text.data() + text.size();
  const auto [dot, wrong_major] = std::from_chars(text.data(), end, major);
  if (wrong_major != std::errc() || dot == end || *dot != '.' || major < 0 || major > kLargest) return 0;
  const auto [rest, wrong_minor] = std::from_chars(dot + 1, end, minor);
  return wrong_minor != std::errc() || minor < 0 || minor > 9 ? 0 : major * 10 + minor;
}

}  // namespace bascule::core
