// See faults.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/faults.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <thread>

namespace bascule::emulated {
namespace {

struct Named {
  CUresult result;
  const char* name;
};

constexpr auto kResults = std::to_array<Named>({
#define BASCULE_RESULT(name) {name, #name},
#include "backends/emulated/cuda/results.inc"
#undef BASCULE_RESULT
});

struct Call {
  std::string_view name, function;  // "cuMemAlloc", "cuMemAlloc_v2"
};

constexpr auto kCalls = std::to_array<Call>({
#define BASCULE_SYMBOL(name, since, function) {#name, #function},
#define BASCULE_SYMBOL_PER_THREAD(name, since, function, per_thread_since, per_thread) {#name, #function},
#include "backends/emulated/cuda/symbols.inc"
#undef BASCULE_SYMBOL
#undef BASCULE_SYMBOL_PER_THREAD
});

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::chrono::nanoseconds> duration(std::string_view text) {
  const std::size_t unit = text.find_first_not_of("0123456789");
  if (unit == std::string_view::npos) return std::nullopt;
  const auto value = number(text.substr(0, unit));
  if (!value || *value > 1000000000) return std::nullopt;
  const auto count = static_cast<std::int64_t>(*value);
  const std::string_view name = text.substr(unit);
  if (name == "us") return std::chrono::microseconds(count);
  if (name == "ms") return std::chrono::milliseconds(count);
  if (name == "s") return std::chrono::seconds(count);
  return std::nullopt;
}

template <class Read>
std::optional<std::string> parse(std::string_view text, std::vector<Fault>& faults, Read read) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) return fmt::format("'{}' has no '='; write CALL[:WHICH]=WHAT", item);
    const std::string_view left = item.substr(0, equals);
    Fault fault;
    fault.call = left.substr(0, left.find(':'));
    if (fault.call.empty()) return fmt::format("'{}' names no call", item);
    if (fault.call.size() != left.size()) {
      const std::string_view which = left.substr(fault.call.size() + 1);
      const auto value = number(which);
      if (which != "*" && (!value || *value == 0)) return fmt::format("'{}': '{}' is neither * nor a number from 1 on", item, which);
      fault.which = value.value_or(0);
    }
    if (const auto wrong = read(item.substr(equals + 1), fault)) return fmt::format("'{}': {}", item, *wrong);
    faults.push_back(std::move(fault));
  }
  return std::nullopt;
}

}  // namespace

std::optional<CUresult> result_of_name(std::string_view name) {
  for (const Named& named : kResults) {
    if (name == named.name) return named.result;
  }
  return std::nullopt;
}

const char* name_of_result(CUresult result) {
  for (const Named& named : kResults) {
    if (result == named.result) return named.name;
  }
  return nullptr;
}

std::optional<std::string> parse_failures(std::string_view text, std::vector<Fault>& faults) {
  return parse(text, faults, [](std::string_view what, Fault& fault) -> std::optional<std::string> {
    const auto result = result_of_name(what);
    if (!result) return fmt::format("'{}' is no result of the driver API, such as CUDA_ERROR_OUT_OF_MEMORY", what);
    fault.result = *result;
    return std::nullopt;
  });
}

std::optional<std::string> parse_delays(std::string_view text, std::vector<Fault>& faults) {
  return parse(text, faults, [](std::string_view what, Fault& fault) -> std::optional<std::string> {
    const auto delay = duration(what);
    if (!delay) return fmt::format("'{}' is no duration such as 20ms (us, ms, s)", what);
    fault.delay = *delay;
    return std::nullopt;
  });
}

std::optional<std::string> unknown_call(std::span<const Fault> faults) {
  for (const Fault& fault : faults) {
    const std::string_view asked = fault.call;
    if (asked == "kernel" || asked == "copy" || asked == "fill") continue;
    std::string forms;
    bool known = false;
    for (const Call& call : kCalls) {
      known |= call.function == asked;
      if (call.name == asked) forms += fmt::format("{}{}", forms.empty() ? "" : ", ", call.function);
    }
    if (known) continue;
    if (!forms.empty()) return fmt::format("'{}' is exported as {}", asked, forms);
    return fmt::format("'{}' is no function of the driver, nor kernel, copy or fill", asked);
  }
  return std::nullopt;
}

Faults::Faults() {
  const auto read = [&](const char* name, auto parse_list) {
    const char* const text = std::getenv(name);
    if (text == nullptr) return;
    auto wrong = parse_list(text, faults_);
    if (!wrong) wrong = unknown_call(faults_);
    if (wrong) complaint_ = fmt::format("{}: {}", name, *wrong);
  };
  read("BASCULE_EMULATED_FAIL", parse_failures);
  read("BASCULE_EMULATED_DELAY", parse_delays);
}

Faults& Faults::get() {
  static Faults& faults = *new Faults;  // lives as long as threads may call
  return faults;
}

CUresult Faults::meet(std::string_view call) {
  if (faults_.empty()) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  std::chrono::nanoseconds delay{0};
  {
    const std::lock_guard lock(mutex_);
    for (Fault& fault : faults_) {
      if (fault.call != call) continue;
      ++fault.seen;
      if (fault.which != 0 && fault.which != fault.seen) continue;
      delay += fault.delay;
      if (fault.result != CUDA_SUCCESS) result = fault.result;
    }
  }
  if (delay.count() != 0) std::this_thread::sleep_for(delay);
  return result;
}

}  // namespace bascule::emulated
