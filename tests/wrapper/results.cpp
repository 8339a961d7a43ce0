// The C++ wrapper under C++17 without exceptions: every call gives a Result.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>

#include "tests/wrapper/program.hpp"

#ifndef BASCULE_NO_EXCEPTIONS
#error "this program is to be compiled without exceptions"
#endif

namespace {

using namespace wrapper_test;

int run() {
  auto runtime = bascule::Runtime::open(options());
  if (!runtime) {
    std::fprintf(stderr, "%s\n", runtime.error().what());
    return 1;
  }
  const auto device = runtime->device();
  auto queue = device.create_queue();
  EXPECT(queue.ok());
  auto module = device.load_module(table());
  EXPECT(module.ok());
  auto kernel = module->kernel("scale");
  EXPECT(kernel.ok());
  std::vector<float> values(100, 1.5f);
  auto y = device.upload(*queue, values);
  EXPECT(y.ok());
  EXPECT(queue->launch(*kernel, bascule::work_items(y->size()), 2.f, *y).ok());
  auto event = queue->read(*y, values);
  EXPECT(event.ok());
  EXPECT(event->wait().ok());
  for (const float value : values) EXPECT(value == 3.f);

  auto missing = runtime->device("cpu:99");
  EXPECT(!missing);
  EXPECT(missing.error().status() == BSC_NOT_FOUND);
  EXPECT(std::string(missing.error().message()).find("cpu:0") != std::string::npos);
  EXPECT(device.allocate<float>(UINT64_MAX).error().status() == BSC_LIMIT_EXCEEDED);
  EXPECT(y->slice(90, 11).error().status() == BSC_INVALID_ARGUMENT);
  EXPECT(queue->launch(bascule::Kernel(), bascule::work_items(1)).error().status() == BSC_INVALID_ARGUMENT);
  return 0;
}

}  // namespace

int main() { return run(); }
