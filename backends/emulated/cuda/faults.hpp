// Failures and delays at will, as the environment asks for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/emulated/cuda/include/cuda_results.h"

namespace bascule::emulated {

/// The code of a name such as "CUDA_ERROR_OUT_OF_MEMORY"; nothing for an unknown one.
std::optional<CUresult> result_of_name(std::string_view name);
/// nullptr for a number that is no result.
const char* name_of_result(CUresult result);

/// One list of BASCULE_EMULATED_FAIL or ..._DELAY, parsed: CALL[:WHICH]=WHAT, separated by commas. WHICH is a number, counted
/// from 1, or *; left out, it is each. CALL is an entry's name, or `kernel`, `copy`, `fill` for work when it runs.
struct Fault {
  std::string call;
  std::uint64_t which = 0;  // 0: each
  CUresult result = CUDA_SUCCESS;
  std::chrono::nanoseconds delay{0};
  std::uint64_t seen = 0;
};

/// Adds the faults of `text` to the list; an explanation of what is wrong with it, or nothing.
std::optional<std::string> parse_failures(std::string_view text, std::vector<Fault>& faults);
std::optional<std::string> parse_delays(std::string_view text, std::vector<Fault>& faults);

/// What is wrong with the first call that the driver does not have, by which nothing would ever fail; nothing if it has all.
std::optional<std::string> unknown_call(std::span<const Fault> faults);

/// The process's faults. Thread-safe.
class Faults {
 public:
  /// Read from the environment when first asked for.
  static Faults& get();

  /// What is wrong with the environment's text; "" if nothing.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  /// Waits where a delay was asked for; the result that the call is to have instead of its own, or success.
  CUresult meet(std::string_view call);

 private:
  Faults();

  std::mutex mutex_;
  std::vector<Fault> faults_;
  std::string complaint_;
};

}  // namespace bascule::emulated
