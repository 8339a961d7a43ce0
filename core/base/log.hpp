// Log: where warnings and notes go. Each instance has its own; nothing is registered process-wide, so two instances, or
// a host program that uses spdlog itself, never meet.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string_view>

namespace bascule::core {

// The numbers are those of bsc_log_sink and BSC_LOG_*.
enum class LogLevel { kTrace = 0, kDebug = 1, kInfo = 2, kWarning = 3, kError = 4, kOff = 5 };

// "trace", "debug", "info", "warning", "error", "off"
const char* log_level_name(LogLevel level);

// Called from any thread, with no lock held.
using LogSink = void (*)(void* user, int level, const char* message);

// Thread-safe. Messages are one line of text without a line break at the end.
class Log {
 public:
  // sink == nullptr: lines "bascule: warning: ..." on stderr.
  explicit Log(LogLevel level = LogLevel::kWarning, LogSink sink = nullptr, void* user = nullptr);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Whether write() would do anything: ask before building a message that costs something.
  bool enabled(LogLevel level) const;
  void set_level(LogLevel level);

  void write(LogLevel level, std::string_view message) const;
  void debug(std::string_view message) const { write(LogLevel::kDebug, message); }
  void info(std::string_view message) const { write(LogLevel::kInfo, message); }
  void warning(std::string_view message) const { write(LogLevel::kWarning, message); }
  void error(std::string_view message) const { write(LogLevel::kError, message); }

  // A warning that the whole process gives once, whatever the number of instances. `key` names the kind of warning.
  void warning_once(std::string_view key, std::string_view message) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bascule::core
