// What the plugin says of a machine without driver, with a stub, an old or a broken one, without devices or without permission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/common/gpu/driver.hpp"
#include "tests/standin_gpu/fixture.hpp"

using namespace bascule::standin;
using bascule::gpu::vendor;
using bascule::opencl::test::Opened;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Removed at the end.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/bascule-standin-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

class Variable {
 public:
  Variable(std::string variable, const std::string& value) : name_(std::move(variable)) {
    if (const char* const former = std::getenv(name_.c_str())) former_ = former;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() {
    if (former_.empty()) {
      unsetenv(name_.c_str());
    } else {
      setenv(name_.c_str(), former_.c_str(), 1);
    }
  }

 private:
  std::string name_;
  std::string former_;
};

// Runs `body` in a child without privileges; its result is the exit status.
template <class Body>
int in_unprivileged_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0)) _exit(99);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("no library at the configured path is DRIVER_MISSING with the path, the linker's words and the key to set") {
  Opened opened({}, "/nonexistent/libdriver.so.1");
  CHECK(opened.status == BSC_DRIVER_MISSING);
  CHECK(contains(opened.message(), "/nonexistent/libdriver.so.1"));
  CHECK(contains(opened.message(), "No such file"));
  CHECK(contains(opened.message(), std::string("backend.") + vendor().backend + ".driver"));
}

TEST_CASE("a file that is no library is BROKEN, a library without the driver's functions TOO_OLD, naming some") {
  const Folder folder;
  const std::string text = folder.path + "/" + vendor().libraries[0];
  std::ofstream(text) << "not a library";
  Opened broken({}, text.c_str());
  CHECK(broken.status == BSC_BROKEN);
  CHECK(contains(broken.message(), text));

  Opened old({}, "/lib/x86_64-linux-gnu/libm.so.6");
  CHECK(old.status == BSC_TOO_OLD);
  CHECK(contains(old.message(), name_of("initialise")));
  CHECK(contains(old.message(), "libm"));
}

TEST_CASE("what initialising the driver says is the backend's state, with the library, the code and a remedy") {
  struct Case {
    int code;
    bsc_status status;
  };
  std::vector<Case> cases = {{100, BSC_NO_DEVICE}, {101, BSC_NO_DEVICE}, {999, BSC_BROKEN}, {304, BSC_BROKEN}, {77777, BSC_BROKEN},
                             {35, BSC_TOO_OLD}};
  if (std::string_view(vendor().backend) != "hip") {
    cases.push_back({34, BSC_STUB});
    cases.push_back({3, BSC_FORKED});
  }
  if (std::string_view(vendor().backend) == "cuda") {
    cases.push_back({803, BSC_BROKEN});
    cases.push_back({804, BSC_TOO_OLD});
    cases.push_back({800, BSC_NO_PERMISSION});
  }
  for (const Case& item : cases) {
    const Fresh standin;
    standin->failures[name_of("initialise")] = {0, item.code};
    OpenedStandin opened;
    CAPTURE(item.code);
    CAPTURE(opened.message());
    CHECK(opened.status == item.status);
    CHECK(opened.error.vendor_code == item.code);
    CHECK(std::string(opened.error.call) == name_of("initialise"));
    CHECK(contains(opened.message(), BSC_STANDIN_LIBRARY));
    CHECK(opened.message().size() > std::string(BSC_STANDIN_LIBRARY).size() + 40);
  }
}

TEST_CASE("a stub's message tells stub and driver apart and names the folder to take away") {
  if (std::string_view(vendor().backend) == "hip") return;  // ROCm has no stubs
  const Fresh standin;
  standin->failures[name_of("initialise")] = {0, 34};
  OpenedStandin opened;
  CHECK(contains(opened.message(), "stubs"));
  CHECK(contains(opened.message(), "not the driver"));
}

TEST_CASE("a driver older than the oldest that is supported is TOO_OLD with both versions") {
  const Fresh standin;
  standin->version = vendor().oldest_version - 1000;
  OpenedStandin opened;
  CHECK(opened.status == BSC_TOO_OLD);
  CHECK(contains(opened.message(), vendor().version_text(standin->version)));
  CHECK(contains(opened.message(), vendor().version_text(vendor().oldest_version)));
}

TEST_CASE("no device is NO_DEVICE, and a variable that hides devices is named with its value") {
  const Fresh standin;
  standin->devices.clear();
  {
    OpenedStandin opened;
    CHECK(opened.status == BSC_NO_DEVICE);
    CHECK_FALSE(contains(opened.message(), vendor().visibility[0]));
  }
  const Variable hidden(vendor().visibility[0], "7");
  OpenedStandin opened;
  CHECK(opened.status == BSC_NO_DEVICE);
  CHECK(contains(opened.message(), std::string(vendor().visibility[0]) + " is set to \"7\""));
}

TEST_CASE("a device file that the user may not open is found; one that is absent is none") {
  const Folder folder;
  const std::string file = folder.path + "/device";
  std::ofstream(file) << "x";
  chmod(folder.path.c_str(), 0755);
  chmod(file.c_str(), 0600);
  const char* const files[] = {"/nonexistent/device", file.c_str()};
  CHECK(bascule::gpu::forbidden_file(files).empty());
  if (geteuid() != 0) return;  // only root can become somebody else
  CHECK(in_unprivileged_child([&] { return bascule::gpu::forbidden_file(files) == file ? 0 : 1; }) == 0);
}

TEST_CASE("a device that cannot be read hides no other, and all of them are BROKEN with the driver's code") {
  const std::string name = name_of("device_name");
  {
    const Fresh standin;
    standin->failures[name] = {0, 999, 1};
    OpenedStandin opened;
    REQUIRE(opened.status == BSC_OK);
    CHECK(opened.devices.size() == 1);
    CHECK(contains(opened.host.log, name));
  }
  const Fresh standin;
  standin->failures[name] = {0, 999};
  OpenedStandin opened;
  CHECK(opened.status == BSC_BROKEN);
  CHECK(std::string(opened.error.call) == name);
  CHECK(opened.error.vendor_code == 999);
}

TEST_CASE("devices are counted and described without a context on any of them") {
  const Fresh standin;
  OpenedStandin opened;
  REQUIRE(opened.devices.size() == 2);
  const auto info = opened.info();
  CHECK(std::string(info.name) == standin->devices[0].name);
  CHECK(std::string(info.pci) == "0000:65:00.0");
  CHECK(std::string(info.uuid) == "a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0");
  CHECK(info.emulated == 0);
  CHECK(info.memory_bytes == standin->devices[0].memory_bytes);
  CHECK(info.compute_units == 8);
  CHECK(standin->objects == 0);
}

TEST_CASE("another version of the library on the loader's path is a warning that names both") {
  const Fresh standin;
  const Folder folder;
  const std::string other = folder.path + "/" + vendor().libraries[vendor().libraries.size() - 1];
  std::filesystem::copy_file(BSC_STANDIN_LIBRARY, other);
  const Variable path("LD_LIBRARY_PATH", folder.path);
  OpenedStandin opened;
  REQUIRE(opened.status == BSC_OK);
  CHECK(contains(opened.host.log, other));
  CHECK(contains(opened.host.log, std::filesystem::canonical(BSC_STANDIN_LIBRARY).string()));
  CHECK(contains(opened.host.log, "another version"));
}

TEST_CASE("a forked child is told so by every call that would reach the driver, and releases nothing") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const pid_t child = fork();
  if (child == 0) {
    int wrong = 0;
    bsc_plugin_memory_description description = {};
    description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    bsc_plugin_memory another = nullptr;
    bsc_plugin_queue other_queue = nullptr;
    bsc_plugin_memory_state state = {};
    state.header = {sizeof state, BSC_STRUCT_MEMORY_STATE, nullptr};
    std::uint64_t value = 0;
    bsc_plugin_instance instance = nullptr;
    bsc_plugin_open_info info = {};
    info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
    info.driver_path = BSC_STANDIN_LIBRARY;
    const int calls = static_cast<int>(standin->calls.size());
    wrong += opened.api->memory->allocate(opened.device, &description, &another, nullptr) != BSC_FORKED;
    wrong += opened.api->queue->create(opened.device, nullptr, &other_queue, nullptr) != BSC_FORKED;
    wrong += opened.api->device->memory_state(opened.device, &state, nullptr) != BSC_FORKED;
    wrong += opened.api->event->wait(queue, 0, 0, nullptr) != BSC_FORKED;
    wrong += opened.api->event->completed(queue, &value, nullptr) != BSC_FORKED;
    wrong += opened.submit(queue, {}) != BSC_FORKED;
    wrong += opened.api->memory->release(memory, nullptr) != BSC_OK;
    wrong += opened.api->queue->release(queue, nullptr) != BSC_OK;
    wrong += opened.api->instance->close(opened.instance, nullptr) != BSC_FORKED;
    wrong += opened.api->instance->open(&info, &instance, nullptr) != BSC_FORKED;
    wrong += static_cast<int>(standin->calls.size()) != calls;
    _exit(wrong);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(opened.finish(queue) == BSC_OK);
}
