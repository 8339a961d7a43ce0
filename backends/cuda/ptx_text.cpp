// A scanner for the directives of a PTX module.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/ptx_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace bascule::gpu {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

// Words (with their dots) and single characters, without comments and strings.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { next(); }

  std::string_view current() const { return current_; }
  bool at_end() const { return current_.empty(); }
  std::string_view take() {
    const std::string_view taken = current_;
    next();
    return taken;
  }
  bool accept(std::string_view token) {
    if (current_ != token) return false;
    next();
    return true;
  }

 private:
  void skip_to(std::string_view end) {
    const std::size_t at = text_.find(end);
    text_.remove_prefix(at == std::string_view::npos ? text_.size() : at + end.size());
  }

  void skip() {
    for (;;) {
      while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0) text_.remove_prefix(1);
      if (text_.starts_with("//")) {
        skip_to("\n");
      } else if (text_.starts_with("/*")) {
        text_.remove_prefix(2);
        skip_to("*/");
      } else if (text_.starts_with('"')) {
        text_.remove_prefix(1);
        skip_to("\"");
      } else {
        return;
      }
    }
  }

  void next() {
    skip();
    std::size_t length = 0;
    while (length < text_.size() && is_word(text_[length])) ++length;
    if (length == 0 && !text_.empty()) length = 1;
    current_ = text_.substr(0, length);
    text_.remove_prefix(length);
  }

  std::string_view text_;
  std::string_view current_;
};

std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Bytes of ".u64"; 0 for a word that is no type of a parameter.
std::uint64_t bytes_of_type(std::string_view word) {
  if (word.size() < 3 || word.front() != '.') return 0;
  if (word == ".texref" || word == ".samplerref" || word == ".surfref") return 8;
  if (std::string_view("bsuf").find(word[1]) == std::string_view::npos) return 0;
  const std::uint64_t bits = number_of(word.substr(2));
  const bool digits = std::all_of(word.begin() + 2, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits && bits % 8 == 0 && bits <= 128 ? bits / 8 : 0;
}

// .param [.align N] .type [.ptr [.space] [.align N]] name [ "[" N "]" ]
bool read_parameter(Tokens& tokens, FunctionShape& kernel) {
  std::uint64_t alignment = 0;
  std::uint64_t bytes = 0;
  bool of_pointee = false;
  while (tokens.current().starts_with('.')) {
    const std::string_view word = tokens.take();
    if (word == ".align") {
      const std::uint64_t value = number_of(tokens.take());
      if (!of_pointee) alignment = value;
    } else if (word == ".ptr") {
      of_pointee = true;
    } else if (const std::uint64_t type = bytes_of_type(word); type != 0) {
      bytes = type;
    }
  }
  if (bytes == 0) return false;
  alignment = std::max({alignment, bytes, std::uint64_t{1}});
  tokens.take();  // the name
  while (tokens.accept("[")) {
    bytes *= number_of(tokens.take());
    if (!tokens.accept("]")) return false;
  }
  const std::uint64_t offset = (kernel.argument_bytes + alignment - 1) / alignment * alignment;
  kernel.parameters.push_back({offset, bytes});
  kernel.argument_bytes = offset + bytes;
  return true;
}

FunctionShape read_kernel(Tokens& tokens) {
  FunctionShape kernel;
  kernel.name = tokens.take();
  kernel.parameters_known = true;
  if (!tokens.accept("(")) return kernel;
  while (!tokens.at_end() && !tokens.accept(")")) {
    if (!read_parameter(tokens, kernel)) kernel.parameters_known = false;
    while (!tokens.at_end() && tokens.current() != ")" && !tokens.accept(",")) tokens.take();
  }
  return kernel;
}

void read_target(std::string_view word, PtxText& ptx) {
  ptx.target = word;
  if (!word.starts_with("sm_")) return;
  ptx.target_number = static_cast<int>(number_of(word.substr(3)));
  ptx.one_target = !word.empty() && word.back() == 'a';
}

}  // namespace

PtxText read_ptx(std::string_view text) {
  PtxText ptx;
  Tokens tokens(text);
  while (!tokens.at_end()) {
    const std::string_view word = tokens.take();
    if (word == ".version") {
      const std::string_view version = tokens.take();
      const std::size_t dot = std::min(version.find('.'), version.size());
      ptx.version = static_cast<int>(number_of(version.substr(0, dot)) * 10);
      if (dot < version.size()) ptx.version += static_cast<int>(number_of(version.substr(dot + 1)));
    } else if (word == ".target") {
      read_target(tokens.take(), ptx);
    } else if (word == ".entry") {
      ptx.kernels.push_back(read_kernel(tokens));
    }
  }
  // A declaration and its definition are one kernel.
  std::vector<FunctionShape> kernels;
  for (FunctionShape& kernel : ptx.kernels) {
    const auto same = [&](const FunctionShape& other) { return other.name == kernel.name; };
    if (std::none_of(kernels.begin(), kernels.end(), same)) kernels.push_back(std::move(kernel));
  }
  ptx.kernels = std::move(kernels);
  return ptx;
}

}  // namespace bascule::gpu
