// Tests of the case library: what bench and selftest rely on, above all that its judges can say no.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/cases.h>
#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/support/seed.hpp"

extern "C" const bsc_case_library* bascule_cases();

namespace {

std::vector<const bsc_case*> cases_of(const char* suite, std::uint64_t max_bytes = 16u << 20, double max_operations = 1e7) {
  std::vector<const bsc_case*> found;
  const bsc_case_request request = {sizeof request, suite, max_bytes, max_operations};
  const auto visit = [](void* user, const bsc_case* description) {
    static_cast<std::vector<const bsc_case*>*>(user)->push_back(description);
    return 1;
  };
  REQUIRE(bascule_cases()->enumerate(&request, visit, &found) == BSC_OK);
  return found;
}

// Inputs of one case, and outputs as the tools prepare them.
struct Prepared {
  explicit Prepared(const bsc_case& description, unsigned char fill) : description(description) {
    REQUIRE(description.create(&description, bascule::test::seed(), &data) == BSC_OK);
    const bsc_case_argument* list = nullptr;
    const std::uint64_t count = description.arguments(data, &list);
    arguments.assign(list, list + count);
    contents.resize(count);
    outputs.resize(count, nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      if (arguments[i].kind != BSC_CASE_OUT && arguments[i].kind != BSC_CASE_INOUT) continue;
      output_bytes += arguments[i].bytes;
      contents[i].assign(arguments[i].bytes + 1, fill);
      outputs[i] = contents[i].data();
    }
  }
  ~Prepared() { description.release(data); }
  bsc_case_verdict check() const {
    bsc_case_verdict verdict = {};
    verdict.size = sizeof verdict;
    REQUIRE(description.check(data, outputs.data(), &verdict) == BSC_OK);
    return verdict;
  }

  const bsc_case& description;
  bsc_case_data* data = nullptr;
  std::vector<bsc_case_argument> arguments;
  std::vector<std::vector<unsigned char>> contents;
  std::vector<const void*> outputs;
  std::uint64_t output_bytes = 0;
};

bool is_arg_max_of_nothing(const bsc_case& description) {
  return std::string(description.kernel) == "arg_max_f32" && std::string(description.shape) == "n=0";
}

// Inputs whose right answer is NaN everywhere judged, so that poison, which is a NaN, cannot be told from it.
bool answer_is_nan(const bsc_case& description) { return std::string(description.label).find("NaN") != std::string::npos; }

}  // namespace

TEST_CASE("an output that was never written fails every case") {
  for (const char* suite : {"selftest", "quick", "llm", "overhead"}) {
    for (const bsc_case* description : cases_of(suite)) {
      CAPTURE(std::string(description->label));
      const Prepared prepared(*description, 0xff);
      // The sentinel of an empty arg_max is all ones, as poison is: see the next test.
      if (prepared.output_bytes == 0 || is_arg_max_of_nothing(*description) || answer_is_nan(*description)) continue;
      const bsc_case_verdict verdict = prepared.check();
      CHECK(verdict.pass == 0);
      CHECK(std::strlen(verdict.message) > 0);
      CHECK(verdict.worst_ratio > 1);
    }
  }
}

TEST_CASE("an output of wrong numbers fails every case") {
  for (const bsc_case* description : cases_of("selftest")) {
    CAPTURE(std::string(description->label));
    const Prepared prepared(*description, 0x7e);  // 8.5e37 as a float: no right answer anywhere
    if (prepared.output_bytes == 0) continue;
    CHECK(prepared.check().pass == 0);
  }
}

TEST_CASE("labels are unique within a suite, and every case says what it is") {
  for (const char* suite : {"selftest", "quick", "llm", "stream", "overhead"}) {
    std::set<std::string> labels;
    for (const bsc_case* description : cases_of(suite, UINT64_MAX, 0)) {
      CAPTURE(std::string(description->label));
      CHECK(labels.insert(description->label).second);
      CHECK(std::strlen(description->shape) > 0);
      CHECK(std::strlen(description->number_format) > 0);
      CHECK(description->size == sizeof(bsc_case));
    }
    CHECK_FALSE(labels.empty());
  }
}

TEST_CASE("big shapes shrink to the limits and say so") {
  int shrunk = 0;
  for (const bsc_case* description : cases_of("llm", 32u << 20, 5e8)) {
    if (std::string(description->kernel) != "sgemm_f32") continue;
    CAPTURE(std::string(description->label));
    CHECK(description->device_bytes <= 32u << 20);
    CHECK(description->operations <= 5e8);
    shrunk += std::string(description->shrunk).find("shrunk") != std::string::npos;
  }
  CHECK(shrunk > 0);
  for (const bsc_case* description : cases_of("llm", UINT64_MAX, 0)) CHECK(std::string(description->shrunk).empty());
}

TEST_CASE("an unknown suite is NOT_FOUND") {
  const bsc_case_request request = {sizeof request, "nope", 0, 0};
  CHECK(bascule_cases()->enumerate(&request, [](void*, const bsc_case*) { return 1; }, nullptr) == BSC_NOT_FOUND);
}
