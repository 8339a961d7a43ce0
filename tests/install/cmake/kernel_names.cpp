// An outside program that links the kernel library: prints the names of its kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/bascule.hpp>
#include <bascule/kernels.h>
#include <iostream>

int main() {
  bsc_instance* instance = nullptr;
  bsc_package* package = nullptr;
  bsc_error* error = nullptr;
  if (bsc_instance_create(nullptr, &instance, &error) != BSC_OK ||
      bascule_kernels_package(instance, &package, &error) != BSC_OK) {
    std::cerr << bsc_error_message(error) << '\n' << bsc_error_remedy(error) << '\n';
    return 1;
  }
  std::uint64_t count = 0;
  while (const char* name = bsc_package_kernel_name(package, count)) {
    std::cout << (count++ == 0 ? "kernels: " : ", ") << name;
  }
  std::cout << '\n';
  bsc_package_release(package);
  bsc_instance_release(instance);
  return count == 0;
}
