// What it costs to read PTX: parsing and verifying a module of 10 000 instructions, and the first use of the tables.
// Prints medians of CPU time. Usage: ptx_load [FILE]: a PTX file instead of the generated module.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "backends/simt/ptx/forms.hpp"
#include "backends/simt/ptx/parser.hpp"

namespace ptx = bascule::simt::ptx;

namespace {

double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Ten different statements, as compilers write them, a thousand times.
std::string generated_module() {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
      "\t.reg .pred \t%p<1001>;\n\t.reg .b32 \t%r<3001>;\n\t.reg .f32 \t%f<5001>;\n\t.reg .b64 \t%rd<3001>;\n";
  for (int i = 0; i < 1000; ++i) {
    const std::string n = std::to_string(i);
    text += "$L__BB0_" + n + ":\n";
    text += "\tld.param.u64 \t%rd" + n + ", [p];\n\tcvta.to.global.u64 \t%rd" + n + ", %rd" + n + ";\n";
    text += "\tmov.u32 \t%r" + n + ", %tid.x;\n\tmad.lo.s32 \t%r" + n + ", %r" + n + ", %r0, 17;\n";
    text += "\tmul.wide.s32 \t%rd" + n + ", %r" + n + ", 4;\n\tld.global.nc.f32 \t%f" + n + ", [%rd" + n + "+16];\n";
    text +=
        "\tfma.rn.f32 \t%f" + n + ", %f" + n + ", %f0, 0f3F800000;\n\tst.global.f32 \t[%rd" + n + "], %f" + n + ";\n";
    text += "\tsetp.lt.s32 \t%p" + n + ", %r" + n + ", 100;\n\t@%p" + n + " bra \t$L__BB0_" + n + ";\n";
  }
  return text + "\tret;\n}\n";
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** arguments) {
  constexpr int kRounds = 41;
  const double before = cpu_milliseconds();
  const std::size_t forms = ptx::form_table().forms().size();
  std::printf("table of %zu forms: %.2f ms once\n", forms, cpu_milliseconds() - before);

  const std::string text = count > 1 ? read_file(arguments[1]) : generated_module();
  std::vector<double> times;
  std::size_t instructions = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_milliseconds();
    const ptx::Parsed parsed = ptx::parse(text, "measured.ptx");
    times.push_back(cpu_milliseconds() - start);
    if (parsed.module == nullptr) {
      std::fputs(ptx::render(parsed.diagnostics[0], "measured.ptx", text).c_str(), stderr);
      return 1;
    }
    instructions = 0;
    for (const ptx::Function& function : parsed.module->functions) instructions += function.instructions.size();
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("%zu instructions, %zu bytes: %.2f ms, %.1f MB/s, %.0f ns an instruction\n", instructions, text.size(),
              median, static_cast<double>(text.size()) / 1e3 / median,
              median * 1e6 / static_cast<double>(instructions));
  return 0;
}
