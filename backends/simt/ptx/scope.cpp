// Names of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/scope.hpp"

#include "backends/simt/ptx/words.hpp"

namespace bascule::simt::ptx {

const Binding* Names::find(std::string_view name) const {
  const auto found = bindings_.find(name);
  return found == bindings_.end() || found->second.empty() ? nullptr : &found->second.back();
}

std::optional<FoundRange> Names::find_range(std::string_view name) {
  constexpr std::size_t kMostDigits = 10;
  std::size_t digits = 0;
  while (digits < name.size() && digits < kMostDigits && name[name.size() - digits - 1] >= '0' &&
         name[name.size() - digits - 1] <= '9') {
    ++digits;
  }
  std::optional<FoundRange> best;
  for (; digits > 0; --digits) {  // %rd10 may be number 10 of %rd or number 0 of %rd1
    const std::string_view written = name.substr(name.size() - digits);
    if (digits > 1 && written[0] == '0') continue;
    const auto found = ranges_.find(name.substr(0, name.size() - digits));
    if (found == ranges_.end() || found->second.empty()) continue;
    std::uint64_t number = 0;
    for (const char c : written) number = number * 10 + static_cast<std::uint64_t>(c - '0');
    RegisterRange& range = found->second.back();
    if (number >= range.count || (best && best->range->depth >= range.depth)) continue;
    best = FoundRange{&range, static_cast<std::uint32_t>(number)};
  }
  return best;
}

const Binding* Names::bind(std::string_view name, Binding binding) {
  binding.depth = depth();
  std::vector<Binding>& bound = bindings_[name];
  if (!bound.empty() && bound.back().depth == binding.depth) return &bound.back();
  bound.push_back(binding);
  if (!blocks_.empty()) blocks_.back().names.push_back(name);
  return nullptr;
}

const RegisterRange* Names::bind_range(std::string_view base, RegisterRange range) {
  range.depth = depth();
  std::vector<RegisterRange>& bound = ranges_[base];
  if (!bound.empty() && bound.back().depth == range.depth) return &bound.back();
  bound.push_back(std::move(range));
  if (!blocks_.empty()) blocks_.back().bases.push_back(base);
  return nullptr;
}

void Names::enter() { blocks_.emplace_back(); }

void Names::leave() {
  for (const std::string_view name : blocks_.back().names) bindings_[name].pop_back();
  for (const std::string_view base : blocks_.back().bases) ranges_[base].pop_back();
  blocks_.pop_back();
}

std::string_view Names::suggest(std::string_view name) const {
  constexpr std::size_t kMost = 2000;  // a suggestion is not worth a long search
  if (bindings_.size() > kMost) return {};
  std::vector<std::string_view> known;
  for (const auto& [bound, stack] : bindings_) {
    if (!stack.empty()) known.push_back(bound);
  }
  return nearest(name, known);
}

}  // namespace bascule::simt::ptx
