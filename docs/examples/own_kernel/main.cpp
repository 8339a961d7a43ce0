// A program with a kernel of its own that runs on whatever the configuration names. The kernel, y = a*x + b, has one
// contract (axpb.json) and two images: the C++ function below for the cpu backend, axpb.cl for OpenCL devices.
//
//   ./bascule-example-own-kernel                                   # what the configuration says, or auto
//   BASCULE_BACKENDS=opencl ./bascule-example-own-kernel           # the same program on OpenCL
//   BASCULE_CONFIG=/path/to/bascule.toml ./bascule-example-own-kernel
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/bascule.hpp>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "axpb_package.hpp"  // axpb.json and axpb.cl, packed when the program was built

namespace {

// The arguments as a C struct: values in the contract's order, buffers as spans.
struct AxpbArguments {
  float a, b;
  bsc_host_span x, y;
};

bsc_status axpb(const void* blob, std::uint64_t begin, std::uint64_t end, std::uint32_t, void*, bsc_host_team*) {
  const auto& arguments = *static_cast<const AxpbArguments*>(blob);
  const float* x = static_cast<const float*>(arguments.x.data);
  float* y = static_cast<float*>(arguments.y.data);
  for (std::uint64_t i = begin; i < end; ++i) y[i] = arguments.a * x[i] + arguments.b;
  return BSC_OK;
}

const bsc_host_entry kEntries[] = {{"axpb", axpb, sizeof(AxpbArguments), 0, 0, 0, 0}};
const bsc_host_table kHostTable = {sizeof(bsc_host_table), BSC_HOST_ABI_VERSION, 1, sizeof(bsc_host_entry), kEntries};

int run() {
  bascule::Options options;
  options.app = "own_kernel";
  options.packages = {{own_kernel::kPackage, sizeof own_kernel::kPackage, &kHostTable}};
  auto runtime = bascule::Runtime::open(options);
  std::cout << "selection: " << runtime.selection() << '\n';

  auto device = runtime.device();
  auto queue = device.create_queue();
  std::vector<float> hx(1 << 20), hy(hx.size());
  for (std::size_t i = 0; i < hx.size(); ++i) hx[i] = static_cast<float>(i % 1000);

  auto x = device.upload(queue, hx);
  auto y = device.allocate<float>(hy.size());
  auto kernel = device.kernel("axpb");
  queue.launch(kernel, bascule::work_items(hy.size()), 2.f, 3.f, x, y);
  queue.read(y, hy).wait();
  std::cout << "variant:   " << kernel.variant() << '\n';

  // null is for measuring overhead: it accepts everything and computes nothing.
  if (device.info().backend == std::string("null")) {
    std::cout << "result:    NOT CHECKED, the null backend computes nothing\n";
    return 0;
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < hx.size(); ++i) wrong += hy[i] != 2.f * hx[i] + 3.f;
  std::cout << "result:    " << (wrong == 0 ? "correct" : "WRONG") << ", " << hx.size() - wrong << " of " << hx.size()
            << " elements as expected\n";
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() try { return run(); } catch (const std::exception& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
