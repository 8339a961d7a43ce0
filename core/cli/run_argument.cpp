// The ARG words of `bascule run`: see run_argument.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_argument.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include "failure.hpp"
#include "npy.hpp"

namespace bascule::cli {
namespace {

constexpr const char* kForms =
    "an argument is TYPE:VALUE, in:TYPE:PATH.npy[+OFFSET], in:TYPE:=v,v,..., out:TYPE:COUNT:PATH.npy (- prints), "
    "inout:TYPE:PATH.npy:OUT.npy or bytes:HEX";

[[noreturn]] void refuse(const std::string& word, const std::string& what, const std::string& remedy = kForms) {
  throw Failure(ExitCode::kUsage, "argument '" + word + "': " + what, remedy);
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Splits at the first ':'; the whole text and nothing if there is none.
std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

ElementType require_type(const std::string& word, std::string_view name) {
  const auto type = element_type_from_name(name);
  if (!type) refuse(word, "unknown type '" + std::string(name) + "'", "the types are " + element_type_names());
  return *type;
}

std::uint64_t require_bytes(const std::string& word, ElementType type, std::uint64_t count) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, size_of(type), &bytes)) refuse(word, "its size is beyond 2^64 bytes", "ask for less");
  return bytes;
}

RunArgument from_file(ElementType type, const std::string& path) {
  NpyArray array = read_npy(path, type);
  RunArgument argument;
  argument.kind = RunArgument::Kind::buffer;
  argument.type = type;
  argument.buffer_bytes = array.data.size();
  argument.data = std::move(array.data);
  argument.shape = std::move(array.shape);
  return argument;
}

RunArgument parse_in(const std::string& word, ElementType type, std::string_view source) {
  if (source.starts_with('=')) {
    RunArgument argument;
    argument.kind = RunArgument::Kind::buffer;
    argument.type = type;
    std::string_view rest = source.substr(1);
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      append_value(type, rest.substr(0, comma), argument.data);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
      if (rest.empty()) refuse(word, "ends with a comma", "give a value after each comma");
    }
    argument.buffer_bytes = argument.data.size();
    argument.shape = {argument.data.size() / size_of(type)};
    return argument;
  }
  // "+DIGITS" after the last '+' is an offset; a '+' elsewhere belongs to the path.
  std::string_view path = source;
  std::uint64_t elements = 0;
  if (const std::size_t plus = source.rfind('+'); plus != std::string_view::npos) {
    if (const auto offset = parse_count(source.substr(plus + 1))) {
      elements = *offset;
      path = source.substr(0, plus);
    }
  }
  if (path.empty()) refuse(word, "names no file");
  RunArgument argument = from_file(type, std::string(path));
  argument.offset_bytes = require_bytes(word, type, elements);
  if (argument.offset_bytes > argument.buffer_bytes) {
    refuse(word, "offset " + std::to_string(elements) + " is beyond the file's " +
                     std::to_string(argument.buffer_bytes / size_of(type)) + " elements",
           "give an offset within the array");
  }
  return argument;
}

RunArgument parse_out(const std::string& word, ElementType type, std::string_view rest) {
  const auto [count_text, path] = split(rest);
  const auto count = parse_count(count_text);
  if (!count || !path || path->empty()) refuse(word, "needs a count of elements and a path");
  RunArgument argument;
  argument.kind = RunArgument::Kind::buffer;
  argument.type = type;
  argument.buffer_bytes = require_bytes(word, type, *count);
  argument.shape = {*count};
  argument.output = *path;
  argument.initialised = false;
  return argument;
}

RunArgument parse_inout(const std::string& word, ElementType type, std::string_view rest) {
  const auto [source, target] = split(rest);
  if (source.empty() || !target || target->empty()) refuse(word, "needs an input and an output path");
  RunArgument argument = from_file(type, std::string(source));
  argument.output = *target;
  return argument;
}

RunArgument parse_bytes(const std::string& word, std::string_view hex) {
  RunArgument argument;
  if (hex.empty() || hex.size() % 2 != 0) refuse(word, "needs an even, non-zero number of hexadecimal digits");
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    if (error != std::errc{} || end != hex.data() + i + 2) {
      refuse(word, "'" + std::string(hex.substr(i, 2)) + "' is not a byte in hexadecimal");
    }
    argument.data.push_back(static_cast<std::byte>(value));
  }
  return argument;
}

}  // namespace

RunArgument parse_run_argument(const std::string& word) {
  const auto [head, tail] = split(word);
  if (!tail) refuse(word, "has no ':'");
  if (head == "bytes") return parse_bytes(word, *tail);
  if (head == "in" || head == "out" || head == "inout") {
    const auto [type_name, rest] = split(*tail);
    const ElementType type = require_type(word, type_name);
    if (!rest) refuse(word, "is incomplete");
    if (head == "in") return parse_in(word, type, *rest);
    if (head == "out") return parse_out(word, type, *rest);
    return parse_inout(word, type, *rest);
  }
  RunArgument argument;
  argument.type = require_type(word, head);
  append_value(argument.type, *tail, argument.data);
  return argument;
}

void parse_dimensions(const std::string& option, const std::string& text, std::uint64_t (&out)[3]) {
  std::string_view rest = text;
  for (std::uint64_t& dimension : out) dimension = 1;
  for (int i = 0;; ++i) {
    const std::size_t comma = rest.find(',');
    const auto value = i < 3 ? parse_count(rest.substr(0, comma)) : std::nullopt;
    if (!value) {
      throw Failure(ExitCode::kUsage, option + " '" + text + "' is not X[,Y[,Z]]", "give one to three whole numbers, such as 128,4");
    }
    out[i] = *value;
    if (comma == std::string_view::npos) return;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace bascule::cli
