// A program with an own kernel that was written once, in the dialect (axpb.kernel.cpp), and runs on every device whose
// image the package holds; on the cpu device its PTX is executed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/bascule.hpp>
#include <iostream>
#include <vector>

#include "demo.kernels.hpp"  // generated from axpb.kernel.cpp

namespace {

int run() {
  auto runtime = bascule::Runtime::open({.app = "demo", .packages = {demo::package()}});
  std::cout << "selection: " << runtime.selection() << '\n';
  auto device = runtime.device();
  auto queue = device.create_queue();
  std::vector<float> hx(100'003), hy(hx.size());
  for (std::size_t i = 0; i < hx.size(); ++i) hx[i] = static_cast<float>(i % 1000);

  auto x = device.upload(queue, hx);
  auto y = device.allocate<float>(hy.size());
  auto kernel = device.kernel(demo::axpb);
  queue.launch(kernel, bascule::work_items(hy.size()), 2.f, 3.f, x, y);
  queue.read(y, hy).wait();
  std::cout << "variant:   " << kernel.variant() << '\n';

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < hx.size(); ++i) wrong += hy[i] != 2.f * hx[i] + 3.f;
  std::cout << "result:    " << (wrong == 0 ? "correct" : "WRONG") << ", " << hx.size() - wrong << " of " << hx.size()
            << " elements as expected\n";
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() try { return run(); } catch (const bascule::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
