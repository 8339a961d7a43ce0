// How fast the PTX engine interprets: executed lane-operations per second of one core's time for three kernels, and how long a
// module of 10 000 instructions takes to load. Lane-operations are counted by the engine in a run of its own, with
// `statistics`; the measured runs are without. Prints medians. Usage:
// ptx_engine LIBRARY [ROUNDS [ONE]], where ONE is the name of the only measurement to make
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/simt_call.hpp"

namespace {

// Of the processor that this thread got, so that a loaded machine doesn't count.
double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

const char* const kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

// 64 dependent multiply-adds in a loop, 16 of them unrolled.
std::string fma_chain() {
  std::string text = R"(.visible .entry fma_chain(.param .u64 out, .param .u32 rounds) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  cvt.rn.f32.u32 %f1, %r5;
  mov.f32 %f2, 0f3F7FF972; mov.f32 %f3, 0f3DCCCCCD;
  mov.u32 %r6, 0;
loop:
)";
  for (int i = 0; i < 16; ++i) text += "  fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  return text + R"(  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p, %r6, %r1;
  @%p bra loop;
  mul.wide.u32 %d2, %r5, 4; add.s64 %d2, %d1, %d2;
  st.global.f32 [%d2], %f1;
  ret;
})";
}

const char* const kSaxpy = R"(.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<8>;
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
  cvta.to.global.u64 %d3, %d1; cvta.to.global.u64 %d4, %d2;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra done;
  mul.wide.u32 %d5, %r5, 4;
  add.s64 %d6, %d3, %d5;
  ld.global.f32 %f2, [%d6];
  add.s64 %d7, %d4, %d5;
  ld.global.f32 %f3, [%d7];
  fma.rn.f32 %f3, %f1, %f2, %f3;
  st.global.f32 [%d7], %f3;
done:
  ret;
})";

// A block adds up 16 values of each thread, then halves the threads over shared memory.
const char* const kReduce = R"(.visible .entry reduce(.param .u64 in, .param .u64 out) {
  .shared .align 4 .b8 part[1024];
  .reg .b32 %r<10>; .reg .f32 %f<4>; .reg .b64 %d<6>; .reg .pred %p<3>;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;
  shl.b32 %r4, %r3, 12; add.u32 %r4, %r4, %r1;
  mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d1, %d3;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r5, 0;
gather:
  ld.global.f32 %f2, [%d3];
  add.f32 %f1, %f1, %f2;
  add.s64 %d3, %d3, 1024;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 16;
  @%p1 bra gather;
  shl.b32 %r6, %r1, 2; mov.u32 %r7, part; add.u32 %r6, %r6, %r7;
  st.shared.f32 [%r6], %f1;
  bar.sync 0;
  mov.u32 %r2, 128;
halve:
  setp.ge.u32 %p2, %r1, %r2;
  @%p2 bra wait;
  shl.b32 %r8, %r2, 2; add.u32 %r8, %r6, %r8;
  ld.shared.f32 %f2, [%r8]; ld.shared.f32 %f1, [%r6];
  add.f32 %f1, %f1, %f2;
  st.shared.f32 [%r6], %f1;
wait:
  bar.sync 0;
  shr.u32 %r2, %r2, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra halve;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  ld.shared.f32 %f1, [part];
  mul.wide.u32 %d3, %r3, 4; add.s64 %d3, %d2, %d3;
  st.global.f32 [%d3], %f1;
done:
  ret;
})";

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

const bsc_simt_api* api = nullptr;
const char* only = nullptr;

bool wanted(const char* name) { return only == nullptr || std::strcmp(only, name) == 0; }

void require(bsc_status status, const bsc_plugin_error& error, const char* what) {
  if (status == BSC_OK) return;
  std::fprintf(stderr, "%s: %s\n", what, error.message);
  std::exit(1);
}

bsc_simt_module* load(const std::string& text, bool statistics) {
  bsc_simt_options options = {};
  options.workers = 1;
  options.statistics = statistics ? 1 : 0;
  bsc_plugin_error error = bascule::test::empty_error();
  bsc_simt_module* module = nullptr;
  require(api->load(text.data(), text.size(), "performance.ptx", &options, nullptr, &module, &error), error, "load");
  return module;
}

double run(bsc_simt_module* module, std::uint64_t blocks, std::uint64_t threads, const std::vector<std::uint64_t>& arguments,
           std::uint64_t argument_bytes) {
  bsc_simt_launch launch = {};
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
  launch.arguments = arguments.data();
  launch.argument_bytes = argument_bytes;
  bsc_plugin_error error = bascule::test::empty_error();
  bsc_simt_job* job = nullptr;
  const double start = cpu_seconds();
  require(api->prepare(module, &launch, &job, &error), error, "prepare");
  require(api->run(job, 0, &error), error, "run");
  api->finish(job);
  return cpu_seconds() - start;
}

double counted_lanes(bsc_simt_module* module) {
  bsc_plugin_error error = bascule::test::empty_error();
  char* text = nullptr;
  require(api->report(module, &text, &error), error, "report");
  const char* const key = "\"executed_lanes\": ";
  const char* const at = std::strstr(text, key);
  const double lanes = at != nullptr ? std::strtod(at + std::strlen(key), nullptr) : 0;
  api->release_text(text);
  return lanes;
}

void measure(const char* name, const std::string& kernel, std::uint64_t blocks, std::uint64_t threads,
             const std::vector<std::uint64_t>& arguments, std::uint64_t argument_bytes, int rounds) {
  if (!wanted(name)) return;
  const std::string text = kHeader + kernel;
  bsc_simt_module* const counting = load(text, true);
  run(counting, blocks, threads, arguments, argument_bytes);
  const double lanes = counted_lanes(counting);
  api->unload(counting);
  bsc_simt_module* const module = load(text, false);
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) seconds.push_back(run(module, blocks, threads, arguments, argument_bytes));
  api->unload(module);
  std::printf("%-12s %6.2f G lane-operations/s (best %6.2f), %.0f million in %.2f ms\n", name, lanes / median(seconds) / 1e9,
              lanes / *std::min_element(seconds.begin(), seconds.end()) / 1e9, lanes / 1e6, median(seconds) * 1e3);
}

void measure_load(int rounds) {
  if (!wanted("load")) return;
  std::string text = std::string(kHeader) + ".visible .entry big(.param .u64 p) {\n  .reg .b32 %r<4000>; .reg .b64 %d<4>; .reg .pred %p<4>;\n"
                     "  ld.param.u64 %d1, [p];\n  mov.u32 %r0, %tid.x;\n";
  for (int i = 1; i < 3300; ++i) {
    const std::string a = std::to_string(i), b = std::to_string(i - 1);
    text += "  mad.lo.u32 %r" + a + ", %r" + b + ", 3, " + a + ";\n  xor.b32 %r" + a + ", %r" + a + ", %r0;\n";
    text += i % 30 == 0 ? "  setp.gt.u32 %p1, %r" + a + ", 5;\n  @%p1 bra l" + a + ";\n  add.u32 %r" + a + ", %r" + a + ", 1;\nl" + a + ":\n"
                        : "  add.u32 %r" + a + ", %r" + a + ", %r" + b + ";\n";
  }
  text += "  st.global.u32 [%d1], %r3299;\n  ret;\n}\n";
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const double start = cpu_seconds();
    bsc_simt_module* const module = load(text, false);
    seconds.push_back(cpu_seconds() - start);
    api->unload(module);
  }
  std::printf("load         %6.2f ms for 10 000 instructions (best %.2f), %.1f MB/s\n", median(seconds) * 1e3,
              *std::min_element(seconds.begin(), seconds.end()) * 1e3, static_cast<double>(text.size()) / median(seconds) / 1e6);
}

std::uint64_t address(std::vector<float>& values) { return reinterpret_cast<std::uint64_t>(values.data()); }

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: ptx_engine LIBRARY [ROUNDS [ONE]]\n");
    return 2;
  }
  const int rounds = count > 2 ? std::max(1, std::atoi(words[2])) : 21;
  if (count > 3) only = words[3];
  void* const library = dlopen(words[1], RTLD_NOW | RTLD_NODELETE);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  api = reinterpret_cast<bsc_simt_query_function>(dlsym(library, BSC_SIMT_QUERY_SYMBOL))();
  std::vector<float> x(1u << 20, 1.0f), y(1u << 20, 2.0f);
  measure("fma chain", fma_chain(), 64, 256, {address(y), 64}, 12, rounds);
  const std::uint32_t n = 1u << 16;  // both arrays fit the second-level cache
  const float a = 0.5f;
  std::uint64_t last = 0;
  std::memcpy(&last, &a, sizeof a);
  last |= std::uint64_t{n} << 32;
  measure("saxpy", kSaxpy, n / 256, 256, {address(x), address(y), last}, 24, rounds);
  measure("reduction", kReduce, 64, 256, {address(x), address(y)}, 16, rounds);
  measure_load(rounds);
  return 0;
}
