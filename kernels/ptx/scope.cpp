// Looking names up and putting their values into a text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/ptx/scope.hpp"

#include "kernels/ptx/expression.hpp"

namespace bascule::ptx {
namespace {

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name_part(text[at])) ++at;
  return at;
}

// The place of the bracket that closes the one at `at`.
std::size_t closing(std::string_view text, std::size_t at, char open, char close, const Place& place) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i;
  }
  fail(place, std::string("'") + open + "' is never closed");
}

}  // namespace

bool names_register(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (end_of_name(text, at + name.size()) == at + name.size()) return true;
  }
  return false;
}

void Scopes::push(bool of_macro, const Place* call) {
  scopes_.emplace_back();
  scopes_.back().of_macro = of_macro;
  if (call != nullptr) scopes_.back().call = *call;
}

void Scopes::declare(const std::string& name, std::vector<std::int64_t> dimensions, const Place& place) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (!scope->of_macro) continue;
    for (const auto& [parameter, text] : scope->parameters) {
      if (!names_register(text, name)) continue;
      fail(scope->call, "the argument '" + text + "' names " + name + ", which the macro declares for itself in " + place.shown(), "rename one of the two");
    }
    break;
  }
  scopes_.back().arrays[name] = std::move(dimensions);
}

// The innermost scope's answer, up to the macro's own; then the file's.
template <class Find>
auto Scopes::look_up(Find find) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = find(*scope)) return found;
    if (scope->of_macro) break;
  }
  return find(scopes_.front());
}

std::optional<std::int64_t> Scopes::integer(std::string_view name) const {
  return look_up([name](const Scope& scope) -> std::optional<std::int64_t> {
    const auto found = scope.integers.find(name);
    return found == scope.integers.end() ? std::nullopt : std::optional(found->second);
  });
}

const std::string* Scopes::parameter(std::string_view name) const {
  return look_up([name](const Scope& scope) -> const std::string* {
    const auto found = scope.parameters.find(name);
    return found == scope.parameters.end() ? nullptr : &found->second;
  });
}

const std::vector<std::int64_t>* Scopes::array(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->arrays.find(name);
    if (found != scope->arrays.end()) return found->second.empty() ? nullptr : &found->second;
  }
  return nullptr;
}

std::int64_t Scopes::evaluate_text(std::string_view text, const Place& place) const {
  const std::string plain = substitute(text, place);
  return evaluate(plain, place, [&](std::string_view name) -> std::optional<std::int64_t> {
    if (const auto value = integer(name)) return value;
    if (const std::string* argument = parameter(name)) return evaluate(*argument, place, [](std::string_view) { return std::nullopt; });
    return std::nullopt;
  });
}

std::string Scopes::substitute(std::string_view text, const Place& place) const {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      result += text[i];
      continue;
    }
    const Place at = place.at(i);
    if (i + 1 < text.size() && text[i + 1] == '(') {
      const std::size_t end = closing(text, i + 1, '(', ')', at);
      result += std::to_string(evaluate_text(text.substr(i + 2, end - i - 2), place.at(i + 2)));
      i = end;
      continue;
    }
    const std::size_t end = end_of_name(text, i + 1);
    const std::string_view name = text.substr(i + 1, end - i - 1);
    if (const std::string* argument = parameter(name)) {
      result += *argument;
    } else if (const auto value = integer(name)) {
      result += std::to_string(*value);
    } else {
      fail(at, "'$" + std::string(name) + "' is neither a parameter nor a compile-time integer here");
    }
    i = end - 1;
  }
  return result;
}

// %acc[i][0..4] is %acc20, %acc21, %acc22, %acc23.
std::string Scopes::index_arrays(const std::string& text, const Place& place, bool whole) const {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '%') {
      result += text[i++];
      continue;
    }
    const std::size_t end = end_of_name(text, i + 1);
    const std::string name = text.substr(i, end - i);
    const std::vector<std::int64_t>* dimensions = array(name);
    i = end;
    if (dimensions == nullptr) {
      if (end < text.size() && text[end] == '[') fail(place, name + " is no register array here");
      result += name;
      continue;
    }
    if (whole && (end >= text.size() || text[end] != '[')) {
      result += name;
      continue;
    }
    std::int64_t first = 0, count = 1;
    for (std::size_t dimension = 0; dimension < dimensions->size(); ++dimension) {
      const std::int64_t size = (*dimensions)[dimension];
      if (i >= text.size() || text[i] != '[') fail(place, name + " has " + std::to_string(dimensions->size()) + " dimensions, which all need an index");
      const std::size_t close = closing(text, i, '[', ']', place);
      const std::string_view inside = std::string_view(text).substr(i + 1, close - i - 1);
      const std::size_t dots = inside.find("..");
      const bool range = dots != std::string_view::npos;
      if (range && dimension + 1 != dimensions->size()) fail(place, name + ": only the last index can be a range");
      const std::int64_t begin = evaluate_text(inside.substr(0, dots), place);
      const std::int64_t past = range ? evaluate_text(inside.substr(dots + 2), place) : begin + 1;
      if (begin < 0 || past <= begin || past > size) {
        fail(place, name + ": index " + std::string(inside) + " is outside of 0 .. " + std::to_string(size));
      }
      first = first * size + begin;
      count = past - begin;
      i = close + 1;
    }
    for (std::int64_t k = 0; k < count; ++k) result += (k == 0 ? "" : ", ") + name + std::to_string(first + k);
  }
  return result;
}

}  // namespace bascule::ptx
