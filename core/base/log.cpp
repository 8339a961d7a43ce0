// Log on top of spdlog: logger and sinks are plain objects here, spdlog's registry is never used.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/log.hpp"

#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <mutex>
#include <set>
#include <string>

namespace bascule::core {
namespace {

static_assert(static_cast<int>(LogLevel::kTrace) == SPDLOG_LEVEL_TRACE);
static_assert(static_cast<int>(LogLevel::kError) == SPDLOG_LEVEL_ERROR);

spdlog::level::level_enum to_spdlog(LogLevel level) {
  return level == LogLevel::kOff ? spdlog::level::off : static_cast<spdlog::level::level_enum>(level);
}

// Hands messages to the user's function. It has no mutex: the function may call back into the API.
class UserSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  UserSink(LogSink sink, void* user) : sink_(sink), user_(user) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string text(message.payload.data(), message.payload.size());
    sink_(user_, static_cast<int>(message.level), text.c_str());
  }
  void flush_() override {}

  LogSink sink_;
  void* user_;
};

std::shared_ptr<spdlog::sinks::sink> make_sink(LogSink sink, void* user) {
  if (sink != nullptr) return std::make_shared<UserSink>(sink, user);
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

}  // namespace

struct Log::Implementation {
  explicit Implementation(std::shared_ptr<spdlog::sinks::sink> sink) : logger("bascule", std::move(sink)) {}
  mutable spdlog::logger logger;
};

const char* log_level_name(LogLevel level) {
  static constexpr const char* kNames[] = {"trace", "debug", "info", "warning", "error", "off"};
  return kNames[static_cast<int>(level)];
}

Log::Log(LogLevel level, LogSink sink, void* user)
    : implementation_(std::make_unique<Implementation>(make_sink(sink, user))) {
  implementation_->logger.set_pattern("bascule: %l: %v");
  // A sink that throws must not make the library print by spdlog's default handler.
  implementation_->logger.set_error_handler([](const std::string&) {});
  set_level(level);
}

Log::~Log() = default;

bool Log::enabled(LogLevel level) const {
  return level != LogLevel::kOff && implementation_->logger.should_log(to_spdlog(level));
}

void Log::set_level(LogLevel level) { implementation_->logger.set_level(to_spdlog(level)); }

void Log::write(LogLevel level, std::string_view message) const {
  if (!enabled(level)) return;
  implementation_->logger.log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

void Log::warning_once(std::string_view key, std::string_view message) const {
  struct Given {
    std::mutex mutex;
    std::set<std::string, std::less<>> keys;
  };
  static Given* const given =
      new Given;  // lives as long as the process: a destructor at exit could run before a last warning
  if (!enabled(LogLevel::kWarning)) return;
  {
    const std::lock_guard lock(given->mutex);
    if (!given->keys.emplace(key).second) return;
  }
  warning(message);
}

}  // namespace bascule::core
