// See test_engine.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/test_engine.hpp"

#include <doctest/doctest.h>

#include "tests/support/simt_call.hpp"

extern "C" const bsc_simt_api* bascule_simt_query(void);

namespace bascule::simt::test {

using bascule::test::empty_error;

Engine::Engine(std::string_view body, const bsc_simt_options& options, const bsc_host_services* services) : api_(bascule_simt_query()) {
  const std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n" + std::string(body);
  bsc_plugin_error error = empty_error();
  loaded_.status = api_->load(text.data(), text.size(), "test.ptx", &options, services, &module_, &error);
  if (loaded_.status != BSC_OK) loaded_.message = error.message;
}

Engine::~Engine() {
  if (module_ != nullptr) api_->unload(module_);
}

bsc_simt_function_info Engine::info(std::string_view kernel) {
  bsc_simt_function_info info = {};
  std::uint64_t index = 0;
  REQUIRE_MESSAGE(bascule::test::find_kernel(*api_, module_, kernel, index, info), std::string(kernel));
  return info;
}

Outcome Engine::run(std::string_view kernel, const Shape& shape, const Arguments& arguments,
                    const std::vector<bsc_simt_range>& ranges) {
  REQUIRE_MESSAGE(module_ != nullptr, loaded_.message);
  bsc_simt_launch launch = {};
  bsc_simt_function_info info = {};
  REQUIRE_MESSAGE(bascule::test::find_kernel(*api_, module_, kernel, launch.function, info), std::string(kernel));
  for (std::size_t i = 0; i < 3; ++i) {
    launch.grid[i] = shape.grid[i];
    launch.block[i] = shape.block[i];
    launch.cluster[i] = shape.cluster[i];
  }
  launch.shared_bytes = shape.shared_bytes;
  launch.flags = shape.flags;
  launch.ranges = ranges.data();
  launch.range_count = ranges.size();
  launch.arguments = arguments.bytes().data();
  launch.argument_bytes = arguments.bytes().size();
  bsc_plugin_error error = empty_error();
  bsc_simt_job* job = nullptr;
  Outcome outcome;
  outcome.status = api_->prepare(module_, &launch, &job, &error);
  if (outcome.status == BSC_OK) outcome.status = bascule::test::run_job(*api_, job, shape.threads, error);
  if (outcome.status != BSC_OK) outcome.message = error.message;
  return outcome;
}

std::string Engine::report() {
  char* text = nullptr;
  bsc_plugin_error error = empty_error();
  REQUIRE(api_->report(module_, &text, &error) == BSC_OK);
  std::string result = text;
  api_->release_text(text);
  return result;
}

}  // namespace bascule::simt::test
