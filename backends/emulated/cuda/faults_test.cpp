// Lists of failures and delays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/faults.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace bascule::emulated;

TEST_CASE("a list of failures names calls, which of them, and results") {
  std::vector<Fault> faults;
  CHECK_FALSE(parse_failures("cuMemAlloc_v2:2=CUDA_ERROR_OUT_OF_MEMORY,kernel=CUDA_ERROR_ILLEGAL_ADDRESS,cuInit:*=CUDA_ERROR_NO_DEVICE,", faults));
  REQUIRE(faults.size() == 3);
  CHECK(faults[0].call == "cuMemAlloc_v2");
  CHECK(faults[0].which == 2);
  CHECK(faults[0].result == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(faults[1].which == 0);
  CHECK(faults[2].which == 0);
}

TEST_CASE("a list of delays has times with units") {
  std::vector<Fault> faults;
  CHECK_FALSE(parse_delays("a=5us,b:1=6ms,c=7s", faults));
  REQUIRE(faults.size() == 3);
  CHECK(faults[0].delay == std::chrono::microseconds(5));
  CHECK(faults[1].delay == std::chrono::milliseconds(6));
  CHECK(faults[2].delay == std::chrono::seconds(7));
}

TEST_CASE("what is wrong with a list is said") {
  std::vector<Fault> faults;
  for (const char* wrong : {"cuInit", "=CUDA_SUCCESS", "cuInit:0=CUDA_ERROR_NO_DEVICE", "cuInit:x=CUDA_ERROR_NO_DEVICE", "cuInit=CUDA_ERROR", "cuInit:=CUDA_SUCCESS"}) {
    const auto said = parse_failures(wrong, faults);
    REQUIRE_MESSAGE(said, wrong);
    CHECK_MESSAGE(said->find(wrong) != std::string::npos, *said);
  }
  for (const char* wrong : {"a=5", "a=ms", "a=-1ms", "a=5m", "a=99999999999s"}) CHECK_MESSAGE(parse_delays(wrong, faults), wrong);
  CHECK(faults.empty());
}

TEST_CASE("a call that the driver does not have is said, with its forms if it has other names") {
  const auto said = [](const char* text) {
    std::vector<Fault> faults;
    REQUIRE_FALSE(parse_failures(text, faults));
    return unknown_call(faults).value_or("");
  };
  CHECK(said("cuMemAlloc_v2=CUDA_ERROR_OUT_OF_MEMORY,kernel=CUDA_ERROR_ILLEGAL_ADDRESS,cuMemAllocAsync=CUDA_ERROR_OUT_OF_MEMORY").empty());
  CHECK(said("copy=CUDA_ERROR_OUT_OF_MEMORY,cuMemAlloc=CUDA_ERROR_OUT_OF_MEMORY").find("'cuMemAlloc' is exported as cuMemAlloc_v2") != std::string::npos);
  CHECK(said("cuMemAlloc_v22=CUDA_ERROR_OUT_OF_MEMORY").find("'cuMemAlloc_v22' is no function") != std::string::npos);
}

TEST_CASE("every result has a name of its own, and back") {
  std::set<std::string> names;
  for (int code = 0; code < 1000; ++code) {
    const char* const name = name_of_result(static_cast<CUresult>(code));
    if (name == nullptr) continue;
    CHECK(names.insert(name).second);
    CHECK(result_of_name(name) == static_cast<CUresult>(code));
  }
  CHECK(names.size() == 101);
}
