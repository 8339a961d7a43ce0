// Errors as a host of any age receives them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/error.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

#include "backends/common/object.hpp"

namespace {

using namespace bascule::backend;

bsc_plugin_error fresh_error() {
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  return error;
}

struct FakeTable {
  int (*exDoThing)(int) = nullptr;
};

bsc_status call_it(int result, bsc_plugin_error* error) {
  FakeTable table;
  table.exDoThing = [](int value) { return value; };
  const auto check = [&](int code, const char* call) {
    return code == 0 ? bsc_status{BSC_OK}
                     : fill_vendor_error(error, BSC_LAUNCH_FAILED, call, {code, "EX_BAD"}, "it failed");
  };
  BSC_VENDOR_RETURN_IF_ERROR(check, table, exDoThing, result);
  return BSC_OK;
}

}  // namespace

TEST_CASE("an error of the plugin's own is handed on whole, and cut to what the receiver has room for") {
  bsc_plugin_error own = bascule::backend::own_error();
  bascule::backend::set_error(&own, BSC_OUT_OF_MEMORY, "cuMemAlloc", {2, "CUDA_ERROR_OUT_OF_MEMORY"}, "no room");
  bascule::backend::set_error_interval(&own, 3, 5);
  bsc_plugin_error received = {};
  received.header = {sizeof received, BSC_STRUCT_ERROR, nullptr};
  CHECK(bascule::backend::copy_error(&received, own) == BSC_OUT_OF_MEMORY);
  CHECK(received.code == BSC_OUT_OF_MEMORY);
  CHECK(received.retryable == 1);
  CHECK(received.vendor_code == 2);
  CHECK(std::string(received.vendor_name) == "CUDA_ERROR_OUT_OF_MEMORY");
  CHECK(std::string(received.call) == "cuMemAlloc");
  CHECK(std::string(received.message) == "no room");
  CHECK(received.last_completed == 3);
  CHECK(received.first_incomplete == 5);
  CHECK(bascule::backend::copy_error(nullptr, own) == BSC_OUT_OF_MEMORY);
}

TEST_CASE("an error carries status, call, vendor code and message") {
  bsc_plugin_error error = fresh_error();
  error.last_completed = 7;
  CHECK(fill_vendor_error(&error, BSC_OUT_OF_MEMORY, "exAllocate", {-4, "EX_NO_MEMORY"}, "asked for {} bytes", 12) ==
        BSC_OUT_OF_MEMORY);
  CHECK(error.code == BSC_OUT_OF_MEMORY);
  CHECK(error.retryable == 1);
  CHECK(error.vendor_code == -4);
  CHECK(std::string(error.vendor_name) == "EX_NO_MEMORY");
  CHECK(std::string(error.call) == "exAllocate");
  CHECK(std::string(error.message) == "asked for 12 bytes");
  CHECK(error.last_completed == 0);
}

TEST_CASE("no byte is written beyond the size of an older host's error struct") {
  for (std::uint32_t size = sizeof(bsc_struct); size < sizeof(bsc_plugin_error); size += 13) {
    bsc_plugin_error error;
    std::memset(&error, 0x5A, sizeof error);
    error.header = {size, BSC_STRUCT_ERROR, nullptr};
    fill_error(&error, BSC_INTERNAL, "call", "message");
    set_error_interval(&error, 1, 2);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&error);
    for (std::size_t at = size; at < sizeof error; ++at) REQUIRE(bytes[at] == 0x5A);
  }
}

TEST_CASE("a long message is cut, terminated and marked, never inside a character") {
  bsc_plugin_error error = fresh_error();
  std::string text;
  while (text.size() < 2 * sizeof error.message) text += "\xE2\x82\xAC";
  fill_error(&error, BSC_BUILD_FAILED, "exBuild", "{}", text);
  const std::string message = error.message;
  CHECK(message.size() < sizeof error.message);
  CHECK(message.ends_with("..."));
  CHECK((message.size() - 3) % 3 == 0);
}

TEST_CASE("a caller that wants no error gets the status alone") {
  CHECK(fill_error(nullptr, BSC_NOT_FOUND, "call", "{}", 1) == BSC_NOT_FOUND);
}

TEST_CASE("a failing vendor call is named by the macro that makes it") {
  bsc_plugin_error error = fresh_error();
  CHECK(call_it(0, &error) == BSC_OK);
  CHECK(call_it(3, &error) == BSC_LAUNCH_FAILED);
  CHECK(std::string(error.call) == "exDoThing");
  CHECK(error.vendor_code == 3);
}

TEST_CASE("no exception leaves a guarded body") {
  bsc_plugin_error error = fresh_error();
  CHECK(guarded(&error, "x", []() -> bsc_status { throw std::bad_alloc(); }) == BSC_OUT_OF_MEMORY);
  CHECK(guarded(&error, "x", []() -> bsc_status { throw std::runtime_error("reason"); }) == BSC_INTERNAL);
  CHECK(std::string(error.message) == "reason");
  CHECK(guarded(&error, "x", []() -> bsc_status { throw 1; }) == BSC_INTERNAL);
  CHECK(guarded(&error, "x", []() -> bsc_status { return BSC_OK; }) == BSC_OK);
}

TEST_CASE("a refused handle's message tells null, released and wrong kind apart") {
  bsc_plugin_error error = fresh_error();
  CHECK(fill_handle_error(&error, "queue.submit", nullptr, BSC_OBJECT_QUEUE) == BSC_INVALID_HANDLE);
  CHECK(std::string(error.message).find("null") != std::string::npos);
  const bsc_plugin_object released = {nullptr, 0, 0};
  fill_handle_error(&error, "queue.submit", &released, BSC_OBJECT_QUEUE);
  CHECK(std::string(error.message).find("released") != std::string::npos);
  const bsc_plugin_object memory = {nullptr, BSC_OBJECT_MAGIC, BSC_OBJECT_MEMORY};
  fill_handle_error(&error, "queue.submit", &memory, BSC_OBJECT_QUEUE);
  CHECK(std::string(error.message).find("got a memory handle") != std::string::npos);
}
