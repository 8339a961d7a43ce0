// The conversions of the device's printf are C's, but for %n, which is printed as it stands. The host's snprintf formats each
// value; the format string itself never reaches it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/device_format.hpp"

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace bascule::simt {
namespace {

constexpr int kWidestField = 4096;  // a guest's field width must not use up the host's memory

struct Conversion {
  std::string flags;
  int width = -1;
  int precision = -1;
  std::string length;  // h hh l ll j z t
  char type = 0;
};

class Reader {
 public:
  Reader(std::uint64_t arguments, const GuestReader& guest) : at_(arguments), guest_(guest) {}
  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    guest_.read(&value, at_, sizeof value);
    at_ += sizeof(T);
    ++taken;
    return value;
  }
  int taken = 0;

 private:
  std::uint64_t at_;
  const GuestReader& guest_;
};

int limited(int value) { return value > kWidestField ? kWidestField : value < -kWidestField ? -kWidestField : value; }

int number(std::string_view format, std::size_t& at) {
  int value = 0;
  while (at < format.size() && format[at] >= '0' && format[at] <= '9') value = limited(value * 10 + (format[at++] - '0'));
  return value;
}

/// From behind the '%'; false where the string ends before the conversion does.
bool parse(std::string_view format, std::size_t& at, Reader& reader, Conversion& result) {
  while (at < format.size() && std::string_view("-+ #0").find(format[at]) != std::string_view::npos) result.flags += format[at++];
  if (at < format.size() && format[at] == '*') {
    result.width = limited(reader.next<std::int32_t>());
    if (result.width < 0) {
      result.flags += '-';
      result.width = -result.width;
    }
    ++at;
  } else if (at < format.size() && format[at] >= '1' && format[at] <= '9') {
    result.width = number(format, at);
  }
  if (at < format.size() && format[at] == '.') {
    ++at;
    if (at < format.size() && format[at] == '*') {
      result.precision = limited(reader.next<std::int32_t>());
      ++at;
    } else {
      result.precision = number(format, at);
    }
  }
  while (at < format.size() && std::string_view("hlLjzt").find(format[at]) != std::string_view::npos) result.length += format[at++];
  if (at >= format.size()) return false;
  result.type = format[at++];
  return true;
}

template <class T>
std::string host_format(const Conversion& conversion, const char* length, T value) {
  std::string spec = "%" + conversion.flags;
  if (conversion.width >= 0) spec += std::to_string(conversion.width);
  if (conversion.precision >= 0) spec += "." + std::to_string(conversion.precision);
  spec += length;
  spec += conversion.type;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int bytes = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (bytes < 0) return {};
  std::string text(static_cast<std::size_t>(bytes) + 1, '\0');
  std::snprintf(text.data(), text.size(), spec.c_str(), value);
#pragma GCC diagnostic pop
  text.resize(static_cast<std::size_t>(bytes));
  return text;
}

bool is_long(const Conversion& conversion) {
  return !conversion.length.empty() && conversion.length.front() != 'h';
}

std::string signed_integer(const Conversion& conversion, Reader& reader) {
  if (is_long(conversion)) return host_format(conversion, "ll", static_cast<long long>(reader.next<std::int64_t>()));
  const auto value = reader.next<std::int32_t>();
  if (conversion.length == "h") return host_format(conversion, "", static_cast<int>(static_cast<std::int16_t>(value)));
  if (conversion.length == "hh") return host_format(conversion, "", static_cast<int>(static_cast<std::int8_t>(value)));
  return host_format(conversion, "", value);
}

std::string unsigned_integer(const Conversion& conversion, Reader& reader) {
  if (is_long(conversion)) return host_format(conversion, "ll", static_cast<unsigned long long>(reader.next<std::uint64_t>()));
  const auto value = reader.next<std::uint32_t>();
  if (conversion.length == "h") return host_format(conversion, "", static_cast<unsigned>(static_cast<std::uint16_t>(value)));
  if (conversion.length == "hh") return host_format(conversion, "", static_cast<unsigned>(static_cast<std::uint8_t>(value)));
  return host_format(conversion, "", value);
}

std::string convert(const Conversion& conversion, Reader& reader, const GuestReader& guest, std::string_view written) {
  switch (conversion.type) {
    case 'd':
    case 'i':
      return signed_integer(conversion, reader);
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return unsigned_integer(conversion, reader);
    case 'c':
      return host_format(conversion, "", static_cast<int>(reader.next<std::int32_t>()));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return host_format(conversion, "", reader.next<double>());
    case 'p':
      return host_format(conversion, "", reinterpret_cast<void*>(reader.next<std::uint64_t>()));
    case 's': {
      const auto address = reader.next<std::uint64_t>();
      const std::string text = address == 0 ? "(null)" : guest.string(address);
      return host_format(conversion, "", text.c_str());
    }
    case '%':
      return "%";
    default:
      return std::string(written);
  }
}

}  // namespace

Formatted format_for_device(const std::string& format, std::uint64_t arguments, const GuestReader& guest) {
  Formatted result;
  Reader reader(arguments, guest);
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      result.text += format[at++];
      continue;
    }
    const std::size_t start = at++;
    Conversion conversion;
    if (!parse(format, at, reader, conversion)) {
      result.text.append(format, start);
      break;
    }
    result.text += convert(conversion, reader, guest, std::string_view(format).substr(start, at - start));
  }
  result.arguments = reader.taken;
  return result;
}

}  // namespace bascule::simt
