// Every spelling of what steers caches, turns addresses of one space into those of another, and of the smaller instructions of
// control flow: most of them must leave everything as it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"
#include "spellings.hpp"

namespace {

using namespace bascule::test::corpus;

constexpr const char* kHead = ".version 8.8\n.target sm_100f\n.address_size 64\n";

// ---- caches --------------------------------------------------------------------------------------------------------------------

/// The lane's 512 bytes of `memory` are at %cell, a copy of its first word in local memory at %own; %r goes out.
std::string memory_kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + R"((.param .u64 memory, .param .u64 out, .param .align 128 .b8 map[128], .param .u64 whole)
{
  .reg .b64 %cell, %out, %step, %own, %policy, %property; .reg .b32 %r, %lane, %bytes;
  .local .align 8 .b8 own[8];
  ld.param.u64 %cell, [memory]; ld.param.u64 %out, [out]; mov.u32 %lane, %laneid;
  mul.wide.u32 %step, %lane, 512; add.u64 %cell, %cell, %step; mul.wide.u32 %step, %lane, 4; add.u64 %out, %out, %step;
  ld.global.u32 %r, [%cell]; mov.u64 %own, own; st.local.u32 [%own], %r; mov.u32 %r, 0; mov.u32 %bytes, 64;
)" + body + "\n  st.global.u32 [%out], %r;\n  ret;\n}\n";
}

struct Memory {
  alignas(128) std::array<std::uint32_t, 128> words;  // of a lane
  friend bool operator==(const Memory& a, const Memory& b) { return a.words == b.words; }
};

/// After each body %r is the lane's first word, and memory is as it was.
void check_harmless(const std::vector<std::string>& bodies, std::uint64_t stream) {
  std::string text = std::string(kHead) + ".const .align 64 .b8 constants[128];\n.global .align 128 .b8 tensormap[128];\n";
  for (std::size_t i = 0; i < bodies.size(); ++i) text += memory_kernel("body" + std::to_string(i), bodies[i]);
  everywhere_text(text, "caches.ptx", [&](Program& program) {
    auto random = random_source(stream);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      CAPTURE(bodies[i]);
      Buffer<Memory> memory(33, Memory{});
      for (Memory& lane : memory) {
        for (std::uint32_t& word : lane.words) word = static_cast<std::uint32_t>(random());
      }
      // From the first address that is a multiple of 128.
      const std::uint64_t first = (reinterpret_cast<std::uintptr_t>(memory.data()) + 127) / 128 * 128;
      const auto at = [&](unsigned lane) {
        std::uint32_t word;
        std::memcpy(&word, reinterpret_cast<const std::byte*>(first) + std::size_t{lane} * 512, sizeof word);
        return word;
      };
      const Buffer<Memory> before = memory;
      Buffer<std::uint32_t> out(32);
      program.run("body" + std::to_string(i), {}, Arguments(first, out, std::array<std::uint64_t, 16>{}, memory));
      for (unsigned lane = 0; lane < 32; ++lane) CHECK(out[lane] == at(lane));
      CHECK(memory == before);
    }
  });
}

TEST_CASE("each spelling of prefetch, applypriority and createpolicy is harmless, and policies are taken by accesses") {
  std::vector<std::string> bodies;
  const std::string load = " ld.global.u32 %r, [%cell];", load_own = " ld.local.u32 %r, [%own];";
  for (const char* level : {".L1", ".L2"}) {
    for (const char* space : {"", ".global"}) bodies.push_back(std::string("prefetch") + space + level + " [%cell];" + load);
    bodies.push_back(std::string("prefetch.local") + level + " [%own];" + load_own);
  }
  bodies.push_back("prefetch.global.L2::evict_last [%cell];" + load);
  bodies.push_back("prefetch.global.L2::evict_normal [%cell+128];" + load);
  bodies.push_back("prefetchu.L1 [%cell];" + load);
  bodies.push_back("mov.u64 %step, tensormap; prefetch.tensormap [%step];" + load);
  bodies.push_back("prefetch.const.tensormap [constants];" + load);
  bodies.push_back("prefetch.param.tensormap [map];" + load);
  for (const char* space : {"", ".global"}) bodies.push_back(std::string("applypriority") + space + ".L2::evict_normal [%cell], 128;" + load);
  const std::string hinted = " ld.global.L2::cache_hint.u32 %r, [%cell], %policy;";
  const Words first = {".L2::evict_last", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_unchanged"};
  const Words second = {"", ".L2::evict_first", ".L2::evict_unchanged"};
  for (const Words& words : spellings({{"", ".global"}, first, second}, 2)) {
    const std::string fractional = "createpolicy.fractional" + words[1] + words[2] + ".b64 %policy";
    bodies.push_back("createpolicy.range" + joined(words) + ".b64 %policy, [%cell], 64, 128;" + hinted);
    bodies.push_back("createpolicy.range" + joined(words) + ".b64 %policy, [%cell], %bytes, %bytes;" + hinted);
    bodies.push_back(fractional + ";" + hinted);
    bodies.push_back(fractional + ", 0.25;" + hinted);
  }
  bodies.push_back("mov.u64 %property, 0; createpolicy.cvt.L2.b64 %policy, %property;" + hinted);
  check_harmless(bodies, 220);
}

TEST_CASE("what discard has given up can be written and read again, and nothing else changes") {
  std::vector<std::string> bodies;
  for (const char* space : {"", ".global"}) {
    bodies.push_back(std::string("ld.global.u32 %r, [%cell]; ld.global.u32 %lane, [%cell+256]; discard") + space +
                     ".L2 [%cell+128], 128; discard.L2 [%cell+256], 128; st.global.u32 [%cell+256], %lane;");
  }
  std::string text = kHead;
  for (std::size_t i = 0; i < bodies.size(); ++i) text += memory_kernel("body" + std::to_string(i), bodies[i]);
  everywhere_text(text, "discard.ptx", [&](Program& program) {
    auto random = random_source(221);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Buffer<std::uint32_t> memory(33 * 128), out(32);
      for (std::uint32_t& word : memory) word = static_cast<std::uint32_t>(random());
      const std::uint64_t first = (reinterpret_cast<std::uintptr_t>(memory.data()) + 127) / 128 * 128;
      const std::size_t skipped = (first - reinterpret_cast<std::uintptr_t>(memory.data())) / 4;
      const Buffer<std::uint32_t> before = memory;
      program.run("body" + std::to_string(i), {}, Arguments(first, out, std::array<std::uint64_t, 16>{}, memory));
      for (std::size_t lane = 0; lane < 32; ++lane) {
        CHECK(out[lane] == before[skipped + lane * 128]);
        for (std::size_t word = 0; word < 128; ++word) {
          const bool given_up = word >= 32 && word < 96 && word != 64;
          if (!given_up) CHECK(memory[skipped + lane * 128 + word] == before[skipped + lane * 128 + word]);
        }
      }
    }
  });
}

// ---- addresses -----------------------------------------------------------------------------------------------------------------

TEST_CASE("each spelling of cvta and cvta.to: the value lies at the generic address, and the way back gives the first address") {
  struct Window {
    const char* space;
    const char* load;  // by the space's own address
    const char* symbol;
    bool written;
  };
  const Window windows[] = {{"global", "ld.global", "there", true},          {"const", "ld.const", "fixed", false},
                            {"local", "ld.local", "own", true},              {"shared", "ld.shared", "cell", true},
                            {"shared::cta", "ld.shared::cta", "cell", true}, {"shared::cluster", "ld.shared::cluster", "cell", true},
                            {"param", "ld.param", "given", false},           {"param::entry", "ld.param::entry", "given", false}};
  std::string text = std::string(kHead) + ".global .align 8 .b32 there; .const .align 8 .b32 fixed = 12345;\n";
  for (std::size_t i = 0; i < std::size(windows); ++i) {
    const Window& w = windows[i];
    const std::string space = w.space, load = w.load;
    text += ".visible .entry window" + std::to_string(i) + R"((.param .u64 out, .param .align 8 .b32 given)
{
  .reg .b64 %out, %own, %generic, %same, %back; .reg .b32 %r, %s; .reg .pred %p, %q;
  .local .align 8 .b32 own; .shared .align 8 .b32 cell;
  ld.param.u64 %out, [out]; mov.u32 %r, 678;
)" + (w.written ? "  st." + space + ".u32 [" + w.symbol + "], %r;\n" : "") +
            "  mov.u64 %own, " + w.symbol + "; cvta." + space + ".u64 %generic, %own; cvta." + space + ".u64 %same, " + w.symbol + ";\n  cvta.to." + space +
            ".u64 %back, %generic;\n  ld.u32 %r, [%generic]; " + load + ".u32 %s, [%back];\n"
            "  st.global.u32 [%out], %r; st.global.u32 [%out+4], %s;\n"
            "  setp.eq.u64 %p, %generic, %same; selp.u32 %r, 1, 0, %p; st.global.u32 [%out+8], %r;\n"
            "  setp.eq.u64 %p, %own, %back; selp.u32 %r, 1, 0, %p; st.global.u32 [%out+12], %r;\n"
            "  isspacep." + space + " %p, %generic; isspacep." + (space == "local" ? "shared" : "local") + " %q, %generic;\n"
            "  selp.u32 %r, 1, 0, %p; selp.u32 %s, 2, 0, %q; or.b32 %r, %r, %s; st.global.u32 [%out+16], %r;\n  ret;\n}\n";
  }
  everywhere_text(text, "windows.ptx", [&](Program& program) {
    for (std::size_t i = 0; i < std::size(windows); ++i) {
      CAPTURE(windows[i].space);
      Buffer<std::uint32_t> out(5, 9);
      const std::uint32_t value = windows[i].written ? 678 : windows[i].space == std::string("const") ? 12345 : 4711;
      program.run("window" + std::to_string(i), {{1, 1, 1}, {1, 1, 1}}, Arguments(out, std::uint32_t{4711}));
      const std::uint32_t want[] = {value, value, 1, 1, 1};
      for (std::size_t k = 0; k < 5; ++k) CHECK(out[k] == want[k]);
    }
  });
}

// ---- control -------------------------------------------------------------------------------------------------------------------

/// %t is the thread; %d goes out.
std::string thread_kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(.param .u64 out)\n{\n  .reg .b64 %out, %step, %x, %y; .reg .b32 %t, %d, %a, %b; .reg .pred %p;\n"
         "  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %step, %t, 4; add.u64 %out, %out, %step; mov.u32 %d, 5;\n  " +
         body + "\n  st.global.u32 [%out], %d;\n  ret;\n}\n";
}

struct Case {
  std::string body;
  std::uint32_t (*want)(std::uint32_t thread);
};

TEST_CASE("each spelling of brx.idx, call, ret, alloca, stacksave and of what has no effect") {
  const auto five = [](std::uint32_t) { return 5u; };
  std::vector<Case> cases;
  // All lanes of a warp go the same way, as .uni promises.
  for (const char* uniform : {"", ".uni"}) {
    cases.push_back({"ways: .branchtargets one, two, three; shr.u32 %a, %t, 5; brx.idx" + std::string(uniform) +
                         " %a, ways;\none: mov.u32 %d, 10; bra done;\ntwo: mov.u32 %d, 20; bra done;\nthree: mov.u32 %d, 30;\ndone:",
                     [](std::uint32_t thread) { return 10 * (thread / 32 + 1); }});
    cases.push_back({"{ .param .b32 x; .param .b32 y; st.param.b32 [x], %t; call" + std::string(uniform) + " (y), with_ret" + std::string(*uniform != 0 ? "_uni" : "") +
                         ", (x); ld.param.b32 %d, [y]; }",
                     [](std::uint32_t thread) { return thread + 100; }});
  }
  for (const char* nothing : {"nanosleep.u32 20;", "nanosleep.u32 %t;", "pmevent 7;", "pmevent.mask 0x81;", "griddepcontrol.launch_dependents;",
                              "griddepcontrol.wait;", "setmaxnreg.inc.sync.aligned.u32 64;", "setmaxnreg.dec.sync.aligned.u32 24;"}) {
    cases.push_back({nothing, five});
  }
  // What was allocated after the stack was saved is given back: the next allocation has the same address.
  for (const char* type : {"u32", "u64"}) {
    for (const char* alignment : {"", ", 16"}) {
      const bool wide = std::string(type) == "u64";
      const std::string x = wide ? "%x" : "%a", y = wide ? "%y" : "%b", saved = wide ? "%step" : "%d", t = type, a = alignment;
      cases.push_back({"stacksave." + t + " " + saved + "; alloca." + t + " " + x + ", 16" + a + "; st.local.u32 [" + x + "], %t; stackrestore." + t + " " + saved +
                           "; alloca." + t + " " + y + ", 16" + a + "; setp.ne." + t + " %p, " + x + ", " + y + "; st.local.u32 [" + y + "+4], %t; ld.local.u32 %d, [" + y +
                           "+4]; @%p mov.u32 %d, 777;",
                       [](std::uint32_t thread) { return thread; }});
    }
  }
  std::string text = kHead;
  for (const char* name : {"with_ret", "with_ret_uni"}) {
    text += ".func (.param .b32 y) " + std::string(name) + "(.param .b32 x)\n{\n  .reg .b32 %r; ld.param.b32 %r, [x]; add.u32 %r, %r, 100; st.param.b32 [y], %r;\n  " +
            (name == std::string("with_ret") ? "ret" : "ret.uni") + ";\n}\n";
  }
  for (std::size_t i = 0; i < cases.size(); ++i) text += thread_kernel("case" + std::to_string(i), cases[i].body);
  everywhere_text(text, "control.ptx", [&](Program& program) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      CAPTURE(cases[i].body);
      Buffer<std::uint32_t> out(96);
      program.run("case" + std::to_string(i), {{1, 1, 1}, {96, 1, 1}}, Arguments(out));
      for (std::uint32_t thread = 0; thread < 96; ++thread) CHECK(out[thread] == cases[i].want(thread));
    }
  });
}

TEST_CASE("trap and brkpt end the kernel with an error, where a lane executes them") {
  for (const std::string end : {"trap", "brkpt"}) {
    const std::string text = kHead + thread_kernel("stops", "setp.eq.u32 %p, %t, 40; @%p " + end + ";") +
                             thread_kernel("goes_on", "setp.eq.u32 %p, %t, 400; @%p " + end + ";");
    for (const Setting& setting : settings()) {
      CAPTURE(setting.name);
      Program program(text, "end.ptx", setting);
      Buffer<std::uint32_t> out(96);
      program.run("goes_on", {{1, 1, 1}, {96, 1, 1}}, Arguments(out));
      CHECK(out[95] == 5);
      const std::string message = program.fault("stops", {{1, 1, 1}, {96, 1, 1}}, Arguments(out));
      CHECK_MESSAGE(message.find(end) != std::string::npos, message);
      CHECK_MESSAGE(message.find("thread (40, 0, 0)") != std::string::npos, message);
    }
  }
}

}  // namespace
