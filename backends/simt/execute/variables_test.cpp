// What a module's user can ask for besides kernels: variables of module scope, and what kernels print, as it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>

#include "backends/simt/simt.h"

extern "C" const bsc_simt_api* bascule_simt_query(void);

namespace {

constexpr const char* kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .const .align 4 .b8 factors[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
.visible .global .align 4 .u32 counter = 41;
.shared .align 4 .u32 scratch[4];
.global .align 1 .b8 format[5] = {97, 61, 37, 117, 0};
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.visible .entry say() {
  .local .align 8 .b8 values[8];
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u64 %rd1, values; cvta.local.u64 %rd1, %rd1;
  ld.global.u32 %r1, [counter];
  st.u32 [%rd1], %r1;
  mov.u64 %rd2, format; cvta.global.u64 %rd2, %rd2;
  { .param .b64 p0; .param .b64 p1; .param .b32 r;
    st.param.b64 [p0], %rd2; st.param.b64 [p1], %rd1;
    call.uni (r), vprintf, (p0, p1); }
  ret;
})";

}  // namespace

TEST_CASE("variables of module scope are listed with addresses that kernels use, and prints arrive unchanged") {
  const bsc_simt_api& api = *bascule_simt_query();
  std::string printed;
  bsc_simt_options options = {};
  options.print = [](void* context, const char* text, uint64_t bytes) { static_cast<std::string*>(context)->append(text, bytes); };
  options.print_context = &printed;
  bsc_simt_module* module = nullptr;
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  REQUIRE_MESSAGE(api.load(kText, std::strlen(kText), "variables.ptx", &options, nullptr, &module, &error) == BSC_OK, error.message);

  std::map<std::string, bsc_simt_variable> found;
  bsc_simt_variable variable = {};
  for (uint64_t i = 0; api.variable(module, i, &variable) != 0; ++i) found[variable.name] = variable;
  CHECK(found.size() == 3);  // shared memory has no address
  CHECK(found["factors"].bytes == 12);
  CHECK(found["factors"].constant == 1);
  CHECK(reinterpret_cast<const std::uint32_t*>(found["factors"].address)[2] == 3);
  CHECK(found["counter"].constant == 0);
  auto* const counter = reinterpret_cast<std::uint32_t*>(found["counter"].address);
  CHECK(*counter == 41);
  *counter = 42;

  bsc_simt_launch launch = {};
  for (int i = 0; i < 3; ++i) launch.grid[i] = launch.block[i] = 1;
  bsc_simt_job* job = nullptr;
  REQUIRE_MESSAGE(api.prepare(module, &launch, &job, &error) == BSC_OK, error.message);
  CHECK_MESSAGE(api.run(job, 0, &error) == BSC_OK, error.message);
  api.finish(job);
  CHECK(printed == "a=42");
  api.unload(module);
}
