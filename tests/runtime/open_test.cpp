// Opening instances: selection, configuration, threads, forks. Uses the null backend, which is never chosen unasked.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bascule/bascule.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace {

using bascule::Runtime;

bascule::Options with(std::vector<std::pair<std::string, std::string>> settings) {
  bascule::Options options;
  options.settings = std::move(settings);
  options.ignore_files = true;
  return options;
}

bascule::Options null_backend() { return with({{"backends", "null"}}); }

// The error of an open that must fail.
bascule::Error refused(const bascule::Options& options) {
  try {
    (void)Runtime::open(options);
  } catch (const bascule::Error& error) {
    return error;
  }
  FAIL("the runtime opened");
  return bascule::Error(BSC_OK, "");
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A variable for the length of a scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, old_.c_str(), 1);
    }
  }

 private:
  const char* name_;
  std::string old_;
};

struct LogLines {
  std::mutex mutex;
  std::vector<std::string> lines;
  static void sink(void* user, int, const char* message) {
    auto& self = *static_cast<LogLines*>(user);
    const std::lock_guard lock(self.mutex);
    self.lines.emplace_back(message);
  }
};

}  // namespace

TEST_CASE("what was chosen and why can be asked: selection, backends, configuration with origins") {
  const auto runtime = Runtime::open(null_backend());
  CHECK(runtime.selection().find("null:0") == 0);
  CHECK(contains(runtime.selection(), "setting"));
  const auto backends = runtime.backends();
  REQUIRE(!backends.empty());
  CHECK(backends.front().name == "null");
  CHECK(backends.front().state == BSC_OK);
  CHECK(backends.front().selected);
  CHECK(contains(backends.front().path, "libbascule_null.so"));
  const auto cuda = std::find_if(backends.begin(), backends.end(), [](const auto& b) { return b.name == "cuda"; });
  REQUIRE(cuda != backends.end());
  CHECK_FALSE(cuda->selected);
  const auto values = runtime.config();
  const auto named = std::find_if(values.begin(), values.end(), [](const auto& v) { return v.key == "backends"; });
  REQUIRE(named != values.end());
  CHECK(named->value == "null");
  CHECK(named->origin == "setting");
}

TEST_CASE("with fallback off no other backend is opened: only the listed ones appear, in order") {
  const auto runtime = Runtime::open(null_backend());
  for (const auto& device : runtime.devices()) CHECK(std::string(device.info().backend) == "null");
  for (const auto& backend : runtime.backends()) CHECK(backend.selected == (backend.name == "null"));
}

TEST_CASE("a listed backend that is absent is skipped with its reason; alone it is an error") {
  const auto runtime = Runtime::open(with({{"backends", "level_zero,null"}}));
  CHECK(runtime.device().id() == "null:0");
  CHECK(contains(runtime.selection(), "level_zero: PLUGIN_MISSING"));
  const bascule::Error error = refused(with({{"backends", "level_zero"}}));
  CHECK(error.status() == BSC_PLUGIN_MISSING);
  CHECK(contains(error.message(), "level_zero"));
  CHECK(*error.remedy() != 0);
}

TEST_CASE("naming a backend that does not exist lists the valid names") {
  const bascule::Error error = refused(with({{"backends", "cudaa"}}));
  CHECK(error.status() == BSC_INVALID_CONFIG);
  CHECK(contains(error.what(), "cuda"));
}

TEST_CASE("an unknown key is an error that names the nearest one") {
  const bascule::Error error = refused(with({{"bakends", "null"}}));
  CHECK(error.status() == BSC_INVALID_CONFIG);
  CHECK(contains(error.what(), "backends"));
  bascule::Options text = null_backend();
  text.config_text = "\n[cache]\nenabledd = true\n";
  CHECK(contains(refused(text).what(), ":3:"));
}

TEST_CASE("the same program is switched by a setting, a variable, the file of BASCULE_CONFIG and the user's file") {
  const bascule::test::TemporaryDirectory directory;
  const std::string file = directory.write("config/bascule/bascule.toml", "backends = [\"null\"]\n");
  {
    const Variable variable("BASCULE_BACKENDS", "null");
    CHECK(Runtime::open().device().id() == "null:0");
  }
  {
    const Variable variable("BASCULE_CONFIG", file);
    CHECK(Runtime::open().device().id() == "null:0");
  }
  {
    const Variable variable("XDG_CONFIG_HOME", directory / "config");
    CHECK(Runtime::open().device().id() == "null:0");
  }
}

TEST_CASE("an empty variable is an unset one") {
  const Variable empty("BASCULE_BACKENDS", "");
  const Variable device("BASCULE_DEVICE", "");
  CHECK(Runtime::open(null_backend()).device().id() == "null:0");
}

TEST_CASE("a device that is not there is an error with the list and the setting's origin") {
  for (const std::string selector : {"null:99", "cuda:0", "uuid:00000000-0000-0000-0000-0000000000ff"}) {
    CAPTURE(selector);
    const bascule::Error error = refused(with({{"backends", "null"}, {"device", selector}}));
    CHECK(contains(error.message(), "null:0"));
    CHECK(contains(error.message(), "setting"));
  }
}

TEST_CASE("an option for a backend that is not open is reported, not dropped") {
  LogLines log;
  bascule::Options options = with({{"backends", "null"}, {"backend.cuda.streams", "3"}});
  options.log_sink = LogLines::sink;
  options.log_user = &log;
  try {
    const auto runtime = Runtime::open(options);
    CHECK(std::any_of(log.lines.begin(), log.lines.end(),
                      [](const std::string& line) { return contains(line, "backend.cuda.streams"); }));
  } catch (const bascule::Error& error) {
    CHECK(contains(error.what(), "backend.cuda.streams"));
  }
}

TEST_CASE("instances may be created and used by many threads at once, and are independent") {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const auto runtime = Runtime::open(null_backend());
        const auto queue = runtime.device().create_queue();
        const auto buffer = runtime.device().allocate<float>(64);
        queue.fill(buffer, 1.f);
        queue.wait();
        ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 40);
}

TEST_CASE("listing devices in the parent does not spoil a child: it opens an instance of its own") {
  const auto runtime = Runtime::open(null_backend());
  CHECK(!runtime.devices().empty());
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(30);
    int result = 1;
    try {
      (void)runtime.device().create_queue();
    } catch (const bascule::Error& error) {
      if (error.status() == BSC_FORKED) {
        try {
          const auto own = Runtime::open(null_backend());
          const auto queue = own.device().create_queue();
          queue.fill(own.device().allocate<float>(4), 1.f);
          queue.wait();
          result = 0;
        } catch (const bascule::Error&) {
          result = 2;
        }
      }
    }
    _exit(result);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a process whose working directory is gone opens instances all the same") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int result = 1;
    {
      const bascule::test::TemporaryDirectory directory;
      if (chdir(directory.path().c_str()) != 0) _exit(3);
    }
    try {
      result = Runtime::open(null_backend()).device().id() == "null:0" ? 0 : 2;
    } catch (const bascule::Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(result);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("queries answer in JSON, and an unknown one says which there are") {
  CHECK(contains(bascule::query("doctor", null_backend()), "\"cuda\""));
  CHECK(contains(bascule::query("cache", null_backend()), "\"entries\""));
  try {
    (void)bascule::query("weather", null_backend());
    FAIL("no error");
  } catch (const bascule::Error& error) {
    CHECK(error.status() == BSC_INVALID_ARGUMENT);
    CHECK(contains(error.remedy(), "doctor"));
  }
}

TEST_CASE("clearing the caches counts what was removed and works on an empty or missing directory") {
  const bascule::test::TemporaryDirectory directory;
  auto options = with({{"backends", "null"}, {"cache.directory", directory / "cache"}});
  CHECK(bascule::clear_caches(options) == 0);
}
