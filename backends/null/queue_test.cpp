// Delays and ordered failures: what the conformance suite cannot ask of every plugin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/queue.hpp"

#include <doctest/doctest.h>

#include <string>

#include "backends/null/test_instance.hpp"

namespace bascule::null_backend {

TEST_CASE("a submission with an execute delay completes no earlier than that, and submit does not wait for it") {
  TestInstance null({{"execute_delay", "50ms"}});
  std::uint64_t value = 0;
  const Time start = now();
  REQUIRE(null.submit_empty(&value) == BSC_OK);
  CHECK(wait_for_value(null.queue, value, 0, &null.error) == BSC_TIMED_OUT);
  CHECK(null.error.retryable == 1);
  CHECK(wait_for_value(null.queue, value, BSC_WAIT_FOREVER, &null.error) == BSC_OK);
  CHECK(now() - start >= 50'000'000);
}

TEST_CASE("execute delays of one queue add up, those of two queues run side by side") {
  TestInstance null({{"execute_delay", "20ms"}});
  std::uint64_t value = 0;
  const Time start = now();
  for (int i = 0; i < 3; ++i) REQUIRE(null.submit_empty(&value, BSC_SUBMIT_TIMES) == BSC_OK);
  CHECK(value == 3);
  CHECK(wait_for_value(null.queue, 3, BSC_WAIT_FOREVER, &null.error) == BSC_OK);
  CHECK(now() - start >= 60'000'000);
  bsc_plugin_times times = {{sizeof times, BSC_STRUCT_TIMES, nullptr}, 0, 0, 0, 0};
  REQUIRE(submission_times(null.queue, 3, &times, &null.error) == BSC_OK);
  CHECK(times.ended - times.started == 20'000'000);
  CHECK(times.started - times.submitted <= 40'000'000);
}

TEST_CASE("a submit delay blocks the caller") {
  TestInstance null({{"submit_delay", "20ms"}});
  std::uint64_t value = 0;
  const Time start = now();
  CHECK(null.submit_empty(&value) == BSC_OK);
  CHECK(now() - start >= 20'000'000);
}

TEST_CASE("the n-th call of an entry fails as ordered, the others succeed") {
  TestInstance null({{"fail", "memory.allocate:2:OUT_OF_MEMORY,queue.submit:1:BSC_INTERNAL"}});
  bsc_plugin_memory memory = nullptr;
  CHECK(null.allocate(1, &memory) == BSC_OK);
  CHECK(null.allocate(1, &memory) == BSC_OUT_OF_MEMORY);
  CHECK(std::string(null.error.message).find("memory.allocate:2:OUT_OF_MEMORY") != std::string::npos);
  CHECK(null.error.retryable == 1);
  CHECK(null.allocate(1, &memory) == BSC_OK);
  std::uint64_t value = 0;
  CHECK(null.submit_empty(&value) == BSC_INTERNAL);
  CHECK(null.submit_empty(&value) == BSC_OK);
  CHECK(value == 1);
}

TEST_CASE("work that is ordered to fail does so asynchronously and names its interval") {
  TestInstance null({{"fail", "execute:2:LAUNCH_FAILED"}, {"execute_delay", "20ms"}});
  std::uint64_t value = 0;
  for (int i = 0; i < 3; ++i) CHECK(null.submit_empty(&value) == BSC_OK);
  CHECK(wait_for_value(null.queue, 1, BSC_WAIT_FOREVER, &null.error) == BSC_OK);
  CHECK(wait_for_value(null.queue, 3, BSC_WAIT_FOREVER, &null.error) == BSC_LAUNCH_FAILED);
  CHECK(null.error.last_completed == 1);
  CHECK(null.error.first_incomplete == 2);
  CHECK(null.submit_empty(&value) == BSC_LAUNCH_FAILED);
  CHECK(wait_for_value(null.queue, 1, 0, &null.error) == BSC_OK);
  CHECK(release_queue(null.queue, &null.error) == BSC_OK);
}

TEST_CASE("a lost device refuses everything but being released") {
  TestInstance null({{"fail", "queue.submit:1:DEVICE_LOST"}});
  bsc_plugin_memory memory = nullptr;
  REQUIRE(null.allocate(16, &memory) == BSC_OK);
  std::uint64_t value = 0;
  CHECK(null.submit_empty(&value) == BSC_DEVICE_LOST);
  CHECK(null.submit_empty(&value) == BSC_DEVICE_LOST);
  bsc_plugin_memory another = nullptr;
  CHECK(null.allocate(16, &another) == BSC_DEVICE_LOST);
  CHECK(release_memory(memory, &null.error) == BSC_OK);
  CHECK(release_queue(null.queue, &null.error) == BSC_OK);
}

TEST_CASE("opening fails as ordered with a backend state") {
  TestInstance null({{"fail", "instance.open:1:DRIVER_MISSING"}});
  CHECK(null.status == BSC_DRIVER_MISSING);
}

TEST_CASE("an order that cannot be read is refused with what is allowed") {
  for (const char* const bad : {"x", "memory.allocate:0:INTERNAL", "memory.allocate:1:NO_SUCH", "nothing:1:INTERNAL",
                                "memory.allocate:1:OK", "memory.allocate:-1:INTERNAL"}) {
    TestInstance null({{"fail", bad}});
    CHECK(null.status == BSC_INVALID_CONFIG);
    CHECK(std::string(null.error.message).find(bad) != std::string::npos);
    CHECK(std::string(null.error.message).find("memory.allocate") != std::string::npos);
  }
}

TEST_CASE("terabytes can be allocated, beyond memory_bytes nothing can") {
  TestInstance null({{"memory_bytes", "2199023255552"}});
  bsc_plugin_memory memory = nullptr;
  CHECK(null.allocate(std::uint64_t{1} << 40, &memory) == BSC_OK);
  CHECK(null.allocate(std::uint64_t{1} << 40, &memory) == BSC_OK);
  bsc_plugin_memory refused = nullptr;
  CHECK(null.allocate(1, &refused) == BSC_OUT_OF_MEMORY);
  CHECK(release_memory(memory, &null.error) == BSC_OK);
  CHECK(null.allocate(1, &memory) == BSC_OK);
}

}  // namespace bascule::null_backend
