// The kernel library's package and the functions beside it fit together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/host_kernel.h>
#include <bascule/kernels.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/package/argument_layout.hpp"
#include "core/package/choice.hpp"
#include "core/package/package.hpp"

using namespace bascule::core;

namespace {

std::shared_ptr<const Package> library_package() {
  std::uint64_t bytes = 0;
  const void* data = bascule_kernels_package_data(&bytes);
  auto package = Package::load({static_cast<const std::byte*>(data), bytes}, bascule_kernels_host_table(), "the kernel library");
  REQUIRE_MESSAGE(package.ok(), package.error().message);
  return *package;
}

DeviceTraits cpu(const char* architecture) {
  DeviceTraits device;
  device.id = "cpu:0";
  device.formats = {"host"};
  device.architecture = architecture;
  device.compute_units = 2;
  return device;
}

}  // namespace

TEST_CASE("every contract of the first kernels is in the package") {
  const auto package = library_package();
  for (const char* name : {"stream_copy_f32", "stream_scale_f32", "stream_add_f32", "stream_triad_f32", "stream_dot_f32",
                           "reduce_sum_f32", "reduce_max_f32", "arg_max_f32", "sgemm_f32", "softmax_f32", "rms_norm_f32",
                           "philox4x32_10_u32", "gemm_bf16", "gemm_f16", "gemv_f32", "gemv_bf16", "gemv_q4_0", "gemv_q8_0", "attention_bf16", "attention_f16"}) {
    CAPTURE(name);
    CHECK(package->find(name) != nullptr);
  }
}

TEST_CASE("every host function that a plan names is in the table, with the arguments that the plan passes") {
  const auto package = library_package();
  std::set<std::string> used;
  for (const Kernel& kernel : package->kernels()) {
    for (const Variant& variant : kernel.variants) {
      if (variant.format != "host") continue;
      for (const Launch& launch : variant.launches) {
        CAPTURE(launch.function);
        const bsc_host_entry* entry = find_host_entry(package->host_table(), launch.function);
        REQUIRE(entry != nullptr);
        CHECK(entry->argument_bytes == lay_out_arguments(kernel.contract, launch).bytes);
        used.insert(launch.function);
      }
    }
  }
  CHECK(used.size() == package->host_table()->entry_count);  // no function without a plan
}

TEST_CASE("each CPU gets the variants of its own level, and never a higher one") {
  const auto package = library_package();
  for (const Kernel& kernel : package->kernels()) {
    const auto is_host = [](const Variant& variant) { return variant.format == "host"; };
    if (std::none_of(kernel.variants.begin(), kernel.variants.end(), is_host)) {  // written for GPUs; a CPU runs their PTX
      const std::string family = kernel.contract.name.substr(0, kernel.contract.name.find('_'));
      CHECK((family == "gemm" || family == "gemv" || family == "attention"));
      continue;
    }
    CAPTURE(kernel.contract.name);
    for (const int level : {2, 3, 4}) {
      const std::string name = "cpu_v" + std::to_string(level);
      auto chosen = choose_variant(*package, kernel, cpu(("x86-64-v" + std::to_string(level)).c_str()));
      REQUIRE_MESSAGE(chosen.ok(), chosen.error().message);
      CHECK(kernel.variants[*chosen].name == name);
    }
    auto forced = choose_variant(*package, kernel, cpu("x86-64-v3"), "cpu_v4");
    REQUIRE_FALSE(forced.ok());
    CHECK(forced.error().message.find("needs x86-64-v4, the device is x86-64-v3") != std::string::npos);
  }
}
