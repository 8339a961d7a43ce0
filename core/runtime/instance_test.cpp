// Instances: devices, selectors, what a fork leaves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/runtime/testing/fake_instance.hpp"

using namespace bascule::testing;

namespace {

std::string id_of(bsc_device* device) {
  bsc_device_info info{};
  info.size = sizeof info;
  bsc_device_get_info(device, &info);
  return info.id;
}

}  // namespace

TEST_CASE("the device's id, uuid and pci address find the device again") {
  FakeOptions options;
  options.devices = 2;
  FakePlugin plugin(options);
  bsc_instance* instance = make_instance({{"fake", &plugin}});
  REQUIRE(bsc_instance_device_count(instance) == 2);
  for (std::uint64_t i = 0; i < 2; ++i) {
    bsc_device* device = bsc_instance_device(instance, i);
    bsc_device_info info{};
    info.size = sizeof info;
    bsc_device_get_info(device, &info);
    for (const std::string& selector :
         {std::string(info.id), std::string("uuid:") + info.uuid, std::string("pci:") + info.pci}) {
      CAPTURE(selector);
      bsc_device* found = nullptr;
      REQUIRE(bsc_instance_find_device(instance, selector.c_str(), &found, nullptr) == BSC_OK);
      CHECK(found == device);
    }
  }
  bsc_device* found = nullptr;
  REQUIRE(bsc_instance_find_device(instance, "fake", &found, nullptr) == BSC_OK);
  CHECK(id_of(found) == "fake:0");
  CHECK(bsc_instance_device(instance, 2) == nullptr);
  bsc_instance_release(instance);
}

TEST_CASE("an out-of-range index, a malformed or an unknown selector is an error that lists what there is") {
  FakeOptions options;
  options.devices = 2;
  FakePlugin plugin(options);
  bsc_instance* instance = make_instance({{"fake", &plugin}});
  for (const std::string selector : {"fake:2", "fake:2147483648", "cuda", "cuda:0", "emulated:sm_90a",
                                     "uuid:ffffffff-ffff-ffff-ffff-ffffffffffff", "pci:0000:ff:00.0"}) {
    CAPTURE(selector);
    bsc_device* device = nullptr;
    ErrorHolder error;
    CHECK(bsc_instance_find_device(instance, selector.c_str(), &device, &error) != BSC_OK);
    CHECK_MESSAGE(error.mentions("fake:0"), error.message());
    CHECK_MESSAGE(error.mentions("fake:1"), error.message());
    CHECK(device == nullptr);
  }
  for (const std::string selector : {"fake:-1", "fake:abc", "fake:1x", "fake:", "uuid:xyz", "fake 0"}) {
    CAPTURE(selector);
    bsc_device* device = nullptr;
    ErrorHolder error;
    REQUIRE(bsc_instance_find_device(instance, selector.c_str(), &device, &error) == BSC_INVALID_CONFIG);
    CHECK(error.mentions("column"));
  }
  bsc_instance_release(instance);
}

TEST_CASE("the default device is the first of the first backend, or the one that `device` names") {
  FakeOptions options;
  options.devices = 2;
  FakePlugin one, two(options);
  bsc_instance* first = make_instance({{"one", &one}, {"two", &two}});
  CHECK(id_of(bsc_instance_default_device(first)) == "one:0");
  CHECK(std::string(bsc_instance_selection(first)).find("one:0") == 0);
  bsc_instance* named = make_instance({{"one", &one}, {"two", &two}}, "two:1");
  CHECK(id_of(bsc_instance_default_device(named)) == "two:1");
  bsc_instance_release(first);
  bsc_instance_release(named);
}

TEST_CASE("capabilities are found by name; an unknown name is NOT_FOUND") {
  Fixture fixture;
  std::int64_t value = 0;
  const char* unit = nullptr;
  REQUIRE(bsc_device_capability(fixture.device, "local_memory", &value, &unit) == BSC_OK);
  CHECK(value == 65536);
  CHECK(std::string(unit) == "bytes");
  CHECK(bsc_device_capability(fixture.device, "levitation", &value, nullptr) == BSC_NOT_FOUND);
  CHECK(std::string(bsc_device_capability_name(fixture.device, 0)) == "fp64");
  CHECK(bsc_device_capability_name(fixture.device, 3) == nullptr);
  CHECK(std::string(bsc_device_format(fixture.device, 0)) == "host");
  CHECK(bsc_device_format(fixture.device, 1) == nullptr);
}

// The child reports through its exit status: 0, or the number of the first check that failed.
#define CHILD_CHECK(condition)                   \
  do {                                           \
    if (!(condition)) _exit(__LINE__ % 250 + 1); \
  } while (false)

TEST_CASE("using an instance in a forked child gives FORKED at once, and releasing there does nothing") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.filled({1, 2});
  bsc_event* event = nullptr;
  fixture.plugin.hold();  // a child that waited would hang
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 8, "a", 1, &event, nullptr) == BSC_OK);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    bsc_error* error = nullptr;
    CHILD_CHECK(bsc_queue_wait(fixture.queue, BSC_FOREVER, &error) == BSC_FORKED);
    CHILD_CHECK(*bsc_error_remedy(error) != 0);
    CHILD_CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_FORKED);
    CHILD_CHECK(bsc_event_done(event) == 0);
    CHILD_CHECK(bsc_queue_fill(fixture.queue, buffer, 0, 8, "b", 1, nullptr, nullptr) == BSC_FORKED);
    bsc_buffer* other = nullptr;
    CHILD_CHECK(bsc_buffer_create(fixture.device, 8, 0, &other, nullptr) == BSC_FORKED);
    bsc_event_release(event);
    bsc_buffer_release(buffer);
    bsc_queue_release(fixture.queue);
    bsc_instance_release(fixture.instance);
    CHILD_CHECK(fixture.plugin.live_memory == 2);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  fixture.plugin.let_go();
  CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_OK);
  bsc_event_release(event);
  bsc_buffer_release(buffer);
}

TEST_CASE("a forked child can create and use an instance of its own") {
  Fixture fixture;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    FakePlugin plugin;
    bsc_instance* instance = make_instance({{"fake", &plugin}});
    bsc_queue* queue = nullptr;
    bsc_buffer* buffer = nullptr;
    bsc_device* device = bsc_instance_default_device(instance);
    CHILD_CHECK(bsc_queue_create(device, nullptr, &queue, nullptr) == BSC_OK);
    CHILD_CHECK(bsc_buffer_create(device, 64, 0, &buffer, nullptr) == BSC_OK);
    CHILD_CHECK(bsc_queue_fill(queue, buffer, 0, 64, "a", 1, nullptr, nullptr) == BSC_OK);
    CHILD_CHECK(bsc_queue_wait(queue, BSC_FOREVER, nullptr) == BSC_OK);
    bsc_buffer_release(buffer);
    bsc_queue_release(queue);
    bsc_instance_release(instance);
    CHILD_CHECK(plugin.live_memory == 0);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
