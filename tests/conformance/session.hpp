// An opened instance and the objects made from it, released in the right order however a case ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/case.hpp"
#include "tests/conformance/check.hpp"
#include "tests/conformance/commands.hpp"

namespace bascule::conformance {

// The services that a host gives, with a count of what was taken and not given back.
class Services {
 public:
  Services();
  const bsc_host_services* get() const { return &table_; }
  std::int64_t live_allocations() const { return live_; }
  std::uint64_t calls_with_wrong_context() const { return wrong_context_; }
  std::uint64_t calls_after_close() const { return after_close_; }
  void mark_closed() { closed_ = true; }

 private:
  static Services* self(void* context);
  static void log(void* context, std::uint32_t level, const char* message);
  static void* allocate(void* context, std::uint64_t bytes, std::uint64_t alignment);
  static void deallocate(void* context, void* pointer);
  static bsc_status cache_get(void* context, const bsc_plugin_cache_key*, void**, std::uint64_t*);
  static void cache_put(void* context, const bsc_plugin_cache_key*, const void*, std::uint64_t);

  bsc_host_services table_ = {};
  std::atomic<std::int64_t> live_{0};
  std::atomic<bool> closed_{false};
  std::atomic<std::uint64_t> after_close_{0};
  inline static std::atomic<std::uint64_t> wrong_context_{0};
};

class Session {
 public:
  // Opens an instance with the command line's options and `extra`, which win. Fails the case when that fails.
  explicit Session(Context& context, const OptionList& extra = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void close();  // fails the case when that fails
  // After a close by the case itself.
  void forget() { instance = nullptr; }

  bool computes() const;
  // Skips the case on a backend that computes nothing.
  void needs_results() const;
  // The value of a capability; -1 where the device does not know it.
  std::int64_t capability(std::string_view name) const;
  bool has_format(std::string_view format) const;

  Context& context;
  const bsc_plugin_api& api;
  Services services;
  bsc_plugin_instance instance = nullptr;
  std::vector<bsc_plugin_device> devices;
  bsc_plugin_device device = nullptr;  // the first
  bsc_plugin_device_info info = {};
};

// Opens an instance without checking the outcome.
bsc_status open_plain(Context& context, const Services& services, const OptionList& extra, bsc_plugin_instance* out,
                      Error& error);

class Memory {
 public:
  Memory(Session& session, std::uint64_t bytes, std::uint32_t type = BSC_MEMORY_DEVICE, std::uint64_t alignment = 0);
  Memory(Session& session, bsc_plugin_device device, std::uint64_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  operator bsc_plugin_memory() const { return handle; }  // NOLINT: a handle in all but name

  void release();  // fails the case when that fails

  Session& session;
  bsc_plugin_memory handle = nullptr;
};

class Queue {
 public:
  explicit Queue(Session& session, bsc_plugin_device device = nullptr);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  operator bsc_plugin_queue() const { return handle; }  // NOLINT: a handle in all but name

  bsc_status try_submit(const Commands& commands, std::uint64_t* value, Error& error, std::uint64_t flags = 0);
  std::uint64_t submit(const Commands& commands, std::uint64_t flags = 0,
                       std::source_location where = std::source_location::current());
  bsc_status try_wait(std::uint64_t value, std::uint64_t timeout_ns, Error& error);
  void wait(std::uint64_t value, std::source_location where = std::source_location::current());
  // submit and wait
  void run(const Commands& commands, std::source_location where = std::source_location::current());
  // The highest completed value: from event.completed or, where the plugin has none, by waiting with timeout 0.
  std::uint64_t completed(std::uint64_t submitted);
  void release();

  Session& session;
  bsc_plugin_queue handle = nullptr;
};

// Expects a submission to be refused and the queue to go on as if it had not been.
void expect_submission_refused(Queue& queue, const Commands& commands, std::initializer_list<bsc_status> allowed,
                               std::string_view what, std::source_location where = std::source_location::current());

}  // namespace bascule::conformance
