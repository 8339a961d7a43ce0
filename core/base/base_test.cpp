// Tests of status names, hashes, the log and the JSON writer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bascule/bascule.h"
#include "core/base/hash.hpp"
#include "core/base/json_writer.hpp"
#include "core/base/log.hpp"
#include "core/base/status.hpp"

using namespace bascule::core;

TEST_CASE("every status has a name that leads back to it") {
  int known = 0;
  for (bsc_status status = -1; status < 100; ++status) {
    const std::string name = bsc_status_name(status);
    if (name == "UNKNOWN_STATUS") continue;
    ++known;
    bsc_status back = -1;
    REQUIRE(status_from_name(name, &back));
    CHECK(back == status);
  }
  CHECK(known == 30);
  CHECK(std::string(bsc_status_name(BSC_NO_BACKEND)) == "NO_BACKEND");
  bsc_status untouched = 77;
  CHECK_FALSE(status_from_name("UNKNOWN_STATUS", &untouched));
  CHECK(untouched == 77);
}

TEST_CASE("a hash is that of XXH3-128 and prints as 32 digits") {
  CHECK(hash128("").hex() == "99aa06d3014798d86001c324468d497f");  // XXH3-128 of nothing, by its specification
  CHECK(hash128("abc") == hash128(std::string("abc")));
  CHECK(hash128("abc") != hash128("abd"));
}

TEST_CASE("fields are hashed with their lengths") {
  CHECK(Hasher().add("ab").add("c").finish() != Hasher().add("a").add("bc").finish());
  CHECK(Hasher().add("a").finish() != Hasher().add("a").add("").finish());
  CHECK(Hasher().add("a").add("b").finish() == Hasher().add("a").add("b").finish());
}

namespace {
struct Lines {
  std::vector<std::pair<int, std::string>> lines;
  static void sink(void* user, int level, const char* message) {
    static_cast<Lines*>(user)->lines.emplace_back(level, message);
  }
};
}  // namespace

TEST_CASE("the user's sink gets level and message, from the level on") {
  Lines lines;
  Log log(LogLevel::kWarning, &Lines::sink, &lines);
  log.info("not this");
  log.warning("this {} stays as it is");
  log.error("and this");
  CHECK(lines.lines == std::vector<std::pair<int, std::string>>{{3, "this {} stays as it is"}, {4, "and this"}});
  log.set_level(LogLevel::kOff);
  log.error("not this");
  CHECK(lines.lines.size() == 2);
  CHECK_FALSE(log.enabled(LogLevel::kError));
  CHECK_FALSE(log.enabled(LogLevel::kOff));
}

TEST_CASE("two logs do not know each other") {
  Lines first, second;
  Log a(LogLevel::kInfo, &Lines::sink, &first);
  const Log b(LogLevel::kError, &Lines::sink, &second);
  a.info("one");
  b.info("two");
  CHECK(first.lines.size() == 1);
  CHECK(second.lines.empty());
}

TEST_CASE("a sink may log itself, and one that throws does no harm") {
  struct Reentrant {
    Log* log = nullptr;
    int calls = 0;
  } state;
  Log log(
      LogLevel::kInfo,
      [](void* user, int, const char*) {
        auto* reentrant = static_cast<Reentrant*>(user);
        if (++reentrant->calls == 1) reentrant->log->info("again");
        throw std::runtime_error("from the sink");
      },
      &state);
  state.log = &log;
  log.info("once");
  CHECK(state.calls == 2);
}

TEST_CASE("a warning given once is given once per process, over all logs") {
  Lines first, second;
  const Log a(LogLevel::kWarning, &Lines::sink, &first);
  const Log b(LogLevel::kWarning, &Lines::sink, &second);
  a.warning_once("base_test", "one");
  a.warning_once("base_test", "two");
  b.warning_once("base_test", "three");
  b.warning_once("base_test other", "four");
  CHECK(first.lines.size() == 1);
  CHECK(second.lines.size() == 1);
}

TEST_CASE("the JSON writer places commas and escapes") {
  JsonWriter json(0);
  json.begin_object().member("a", 1).key("b").begin_array().value("x\"\n\x01").value(true).null().value(0.5);
  json.value(std::nan(""))
      .value(UINT64_MAX)
      .begin_object()
      .end_object()
      .end_array()
      .member("c", "\xff\xc3\xa9")
      .end_object();
  CHECK(json.take() == R"({"a":1, "b":["x\"\n\u0001", true, null, 0.5, null, 18446744073709551615, {}], "c":"���"})");
  JsonWriter indented;
  indented.begin_object()
      .key("list")
      .begin_array()
      .value(1)
      .end_array()
      .key("empty")
      .begin_array()
      .end_array()
      .end_object();
  CHECK(indented.take() == "{\n  \"list\": [\n    1\n  ],\n  \"empty\": []\n}\n");
}
