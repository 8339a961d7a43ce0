// Every spelling of mbarrier's operations, of barrier and barrier.cluster, and of fences: phases end when they must, and what a
// thread wrote before is there for those who waited for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"
#include "spellings.hpp"

namespace {

using namespace bascule::test::corpus;

constexpr const char* kHead = ".version 8.8\n.target sm_100f\n.address_size 64\n.global .align 128 .b8 tensormap[128];\n";

/// A body in which each NOTE stores %note to the next word of `out`, and what must come there.
struct Steps {
  std::string name;
  std::string body;
  std::vector<std::uint32_t> want;
};

/// A name of an operation on an mbarrier with the register that holds its address.
std::string address_for(const std::string& space) { return space.empty() ? "[%generic]" : "[%shared]"; }

const Words kOwn = {"", ".shared", ".shared::cta"}, kAny = {"", ".shared", ".shared::cta", ".shared::cluster"};

std::string plain_arrive(unsigned count) { return "mbarrier.arrive.shared.b64 _, [%shared], " + std::to_string(count) + ";\n"; }
std::string test_parity(unsigned parity) {
  return "mbarrier.test_wait.parity.shared.b64 %p, [%shared], " + std::to_string(parity) + "; selp.u32 %note, 1, 0, %p; NOTE;\n";
}

/// One thread, one mbarrier.
std::string steps_kernel(const std::string& name, const Steps& steps) {
  std::string body = steps.body;
  unsigned offset = 0;
  for (std::size_t at = body.find("NOTE"); at != std::string::npos; at = body.find("NOTE", at), offset += 4) {
    body.replace(at, 4, "st.global.u32 [%out+" + std::to_string(offset) + "], %note");
  }
  return ".visible .entry " + name + "(.param .u64 out)\n{\n  .reg .b64 %out, %shared, %generic, %state; .reg .b32 %note; .reg .pred %p;\n"
         "  .shared .align 8 .b64 object;\n  ld.param.u64 %out, [out]; mov.u64 %shared, object; cvta.shared.u64 %generic, %shared;\n" +
         body + "  ret;\n}\n";
}

void check_steps(const std::vector<Steps>& all) {
  std::string text = kHead;
  for (std::size_t i = 0; i < all.size(); ++i) text += steps_kernel("steps" + std::to_string(i), all[i]);
  everywhere_text(text, "mbarrier.ptx", [&](Program& program) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(all[i].name);
      Buffer<std::uint32_t> out(16, 77);
      program.run("steps" + std::to_string(i), {{1, 1, 1}, {1, 1, 1}}, Arguments(out));
      out.resize(all[i].want.size());
      CHECK(std::vector<std::uint32_t>(out.begin(), out.end()) == all[i].want);
    }
  });
}

/// Arrivals at an mbarrier that expects 4, spelled in every way; then the phase ends with the last of the others, and the next
/// one expects as many as were not dropped.
void add_arrivals(std::vector<Steps>& all, const std::vector<Words>& groups) {
  for (const Words& words : spellings(groups, 2, [](const Words& w) { return w[2].empty() == w[3].empty(); })) {
    const std::string& space = words[4];
    const bool drops = words[0].ends_with("drop"), transaction = words[1] == ".expect_tx", counted = !words[6].empty();
    const bool stateful = space != ".shared::cluster" && words[5].empty();
    const unsigned arrived = counted && !transaction ? 2 : 1, next = drops ? 4 - arrived : 4;
    Steps steps;
    steps.name = joined({words.begin(), words.begin() + 5}) + ".b64";
    steps.body = "mbarrier.init.shared.b64 [%shared], 4;\n" + steps.name + (stateful ? " %state, " : " _, ") + address_for(space) +
                 (transaction ? ", 16" : words[6]) + ";\n";
    if (stateful) {  // the state is that before the arrival
      steps.body += "mbarrier.pending_count.b64 %note, %state; NOTE;\nmbarrier.test_wait.shared.b64 %p, [%shared], %state; selp.u32 %note, 1, 0, %p; NOTE;\n";
      steps.want = {4, 0};
    }
    steps.body += test_parity(0) + plain_arrive(4 - arrived) + test_parity(0);
    steps.want.insert(steps.want.end(), {0, transaction ? 0u : 1u});
    if (transaction) {
      steps.body += "mbarrier.complete_tx.shared.b64 [%shared], 16;\n" + test_parity(0);
      steps.want.push_back(1);
    }
    if (stateful) {
      steps.body += "mbarrier.test_wait.shared.b64 %p, [%shared], %state; selp.u32 %note, 1, 0, %p; NOTE;\n";
      steps.want.push_back(1);
    }
    steps.body += plain_arrive(next - 1) + test_parity(1) + plain_arrive(1) + test_parity(1);
    steps.want.insert(steps.want.end(), {0, 1});
    all.push_back(steps);
  }
}

TEST_CASE("each spelling of mbarrier.arrive and mbarrier.arrive_drop") {
  std::vector<Steps> all;
  const Words arrive = {"mbarrier.arrive", "mbarrier.arrive_drop"}, sink = {"", "_"};
  const Words orders = {"", ".release", ".relaxed"}, scopes = {"", ".cta", ".cluster"};
  for (const std::string& operation : arrive) {
    add_arrivals(all, {{operation}, {""}, orders, scopes, kOwn, sink, {"", ", 2"}});
    add_arrivals(all, {{operation}, {""}, orders, scopes, {".shared::cluster"}, sink, {"", ", 2"}});
    add_arrivals(all, {{operation}, {".expect_tx"}, orders, scopes, kAny, sink, {", 2"}});
    add_arrivals(all, {{operation}, {".noComplete"}, {"", ".release"}, {"", ".cta"}, kOwn, sink, {", 2"}});
  }
  check_steps(all);
}

TEST_CASE("each spelling of mbarrier.test_wait and mbarrier.try_wait") {
  std::vector<Steps> all;
  const Words orders = {"", ".acquire", ".relaxed"}, scopes = {"", ".cta", ".cluster"};
  const auto valid = [](const Words& w) {
    return w[2].empty() == w[3].empty() && (w[0] == "mbarrier.try_wait" || w[5].empty());
  };
  for (const char* operation : {"mbarrier.test_wait", "mbarrier.try_wait"}) {
    for (const char* parity : {"", ".parity"}) {
      Words hints = {""};
      if (operation == std::string("mbarrier.try_wait")) hints.push_back(", 20");
      for (const Words& words : spellings({{operation}, {parity}, orders, scopes, kOwn, hints}, 2, valid)) {
        const bool by_parity = *parity != 0;
        const auto wait = [&](const char* which) {
          return joined({words.begin(), words.begin() + 5}) + ".b64 %p, " + address_for(words[4]) + ", " + (by_parity ? which : "%state") + words[5] +
                 "; selp.u32 %note, 1, 0, %p; NOTE;\n";
        };
        Steps steps{joined(words), "mbarrier.init.shared.b64 [%shared], 2;\nmbarrier.arrive.shared.b64 %state, [%shared];\n" + wait("0") + plain_arrive(1) + wait("0"), {0, 1}};
        if (by_parity) {
          steps.body += wait("1") + plain_arrive(2) + wait("1");
          steps.want.insert(steps.want.end(), {0, 1});
        }
        all.push_back(steps);
      }
    }
  }
  check_steps(all);
}

TEST_CASE("each spelling of mbarrier.init, inval, expect_tx and complete_tx") {
  std::vector<Steps> all;
  const auto valid = [](const Words& w) { return w[0].empty() == w[1].empty(); };
  const std::vector<Words> transactions = spellings({{"", ".relaxed"}, {"", ".cta", ".cluster"}, kAny}, 3, valid);
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const std::string own = kOwn[i % kOwn.size()], other = kOwn[(i + 1) % kOwn.size()];
    const Words& expect = transactions[i];
    const Words& complete = transactions[(i + 1) % transactions.size()];
    const auto completed = [&](const char* bytes) {
      return "mbarrier.complete_tx" + joined(complete) + ".b64 " + address_for(complete[2]) + ", " + bytes + ";\n" + test_parity(0);
    };
    all.push_back({joined(expect), "mbarrier.init" + own + ".b64 " + address_for(own) + ", 1;\nmbarrier.expect_tx" + joined(expect) + ".b64 " +
                                       address_for(expect[2]) + ", 48;\n" + plain_arrive(1) + test_parity(0) + completed("16") + completed("32") +
                                       "mbarrier.inval" + other + ".b64 " + address_for(other) + ";\nmbarrier.init" + other + ".b64 " + address_for(other) +
                                       ", 2;\n" + plain_arrive(1) + test_parity(0) + plain_arrive(1) + test_parity(0),
                   {0, 0, 1, 0, 1}});
  }
  check_steps(all);
}

// ---- what others have written ------------------------------------------------------------------------------------------------

struct Handing {
  std::string name, after_write, before_read;
  std::string load = "ld.shared.u32";
};

/// The first warp writes its words of `in` to shared memory and runs `after_write`; the second one runs `before_read` and gives
/// what it finds there. %object: an mbarrier that expects 32 arrivals, %flag a word with 0, both initialised.
std::string handing_kernel(const std::string& name, const Handing& handing) {
  return ".visible .entry " + name + R"((.param .u64 in, .param .u64 out)
{
  .reg .b64 %in, %out, %step, %cell, %object, %flag, %map; .reg .b32 %t, %lane, %value; .reg .pred %p, %first;
  .shared .align 16 .b8 data[512]; .shared .align 8 .b64 object; .shared .align 4 .b32 flag;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u64 %object, object; mov.u64 %flag, flag;
  mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0; and.b32 %lane, %t, 31; mul.wide.u32 %step, %lane, 16; mov.u64 %cell, data; add.u64 %cell, %cell, %step;
  mul.wide.u32 %step, %lane, 4; add.u64 %out, %out, %step; mul.wide.u32 %step, %lane, 16; add.u64 %in, %in, %step; ld.global.u32 %value, [%in];
  @%first mbarrier.init.shared.b64 [%object], 32; @%first st.shared.u32 [%flag], 0; fence.mbarrier_init.release.cluster; bar.sync 0;
  setp.ge.u32 %p, %t, 32; @%p bra reader;
)" + handing.after_write + "\n  ret;\nreader:\n" + handing.before_read + "\n  " + handing.load + R"( %value, [%cell]; st.global.u32 [%out], %value;
  ret;
}
)";
}

void check_handing(const std::vector<Handing>& all, std::uint64_t stream) {
  std::string text = kHead;
  for (std::size_t i = 0; i < all.size(); ++i) text += handing_kernel("handing" + std::to_string(i), all[i]);
  everywhere_text(text, "handing.ptx", [&](Program& program) {
    auto random = random_source(stream);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(all[i].name);
      const Buffer<std::uint32_t> in = random_words(random, 128);
      Buffer<std::uint32_t> out(32);
      program.run("handing" + std::to_string(i), {{1, 1, 1}, {64, 1, 1}}, Arguments(in, out));
      for (unsigned lane = 0; lane < 32; ++lane) CHECK(out[lane] == in[4 * lane]);
    }
  });
}

constexpr const char* kStore = "st.shared.u32 [%cell], %value;\n";
constexpr const char* kStrongStore = "st.relaxed.cluster.shared.u32 [%cell], %value;\n";
constexpr const char* kStrongLoad = "ld.relaxed.cluster.shared.u32";
std::string until(const std::string& wait) { return "again: " + wait + " @!%p bra again;\n"; }

TEST_CASE("what is written before an arrival is there after each wait for it") {
  std::vector<Handing> all;
  for (const Words& words : spellings({{"mbarrier.arrive", "mbarrier.arrive_drop"}, {"", ".expect_tx"}, {"", ".release.cta", ".release.cluster"}, kAny,
                                       {"mbarrier.test_wait.parity", "mbarrier.try_wait.parity"}, {"", ".acquire.cta", ".acquire.cluster"}, {".shared", ".shared::cta"}}, 2)) {
    const std::string space = words[3].empty() ? ".shared" : words[3];
    all.push_back({joined(words), kStore + words[0] + words[1] + words[2] + space + ".b64 _, [%object]" + (words[1].empty() ? "" : ", 0") + ";",
                   until(words[4] + words[5] + words[6] + ".b64 %p, [%object], 0;")});
  }
  // Relaxed ones need a fence on either side.
  const std::pair<const char*, const char*> fences[] = {
      {"fence.acq_rel.cta;", "fence.acq_rel.cta;"}, {"fence.release.cluster;", "fence.acquire.cluster;"}, {"fence.sc.cluster;", "fence.sc.cta;"},
      {"fence.release.sync_restrict::shared::cta.cluster;", "fence.acquire.sync_restrict::shared::cluster.cluster;"}};
  for (const auto& [release, acquire] : fences) {
    for (const char* operation : {"mbarrier.arrive.relaxed.cluster.shared::cluster", "mbarrier.arrive_drop.relaxed.cta.shared"}) {
      all.push_back({std::string(release) + operation, std::string(kStore) + release + " " + operation + ".b64 _, [%object];",
                     until("mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p, [%object], 0;") + acquire});
    }
  }
  check_handing(all, 210);
}

TEST_CASE("what is copied asynchronously is there after each wait for its mbarrier") {
  std::vector<Handing> all;
  const auto valid = [](const Words& w) { return w[0] == "ca" || w[3] == ", 16"; };
  for (const char* ignore : {"", ", %p"}) {  // false for those who copy
    for (const Words& words : spellings({{"ca", "cg"}, {".shared", ".shared::cta"}, {"", ".L2::64B", ".L2::128B", ".L2::256B"}, {", 4", ", 8", ", 16"},
                                         {"", ".L2::cache_hint"}, {"", ".noinc"}, kOwn}, 2, valid)) {
      const bool hint = !words[4].empty(), noinc = !words[5].empty();
      const std::string copy = (hint ? "createpolicy.fractional.L2::evict_first.b64 %step;\n" : std::string()) + "cp.async." + words[0] + words[1] + ".global" +
                               words[4] + words[2] + " [%cell], [%in]" + words[3] + ignore + (hint ? ", %step;\n" : ";\n");
      const std::string object = words[6].empty() ? "cvta.shared.u64 %object, %object;\n" : "";
      all.push_back({joined(words) + ignore, copy + object + "cp.async.mbarrier.arrive" + words[5] + words[6] + ".b64 [%object];\n" +
                                                 (noinc ? "" : "mbarrier.arrive" + words[6] + ".b64 _, [%object];"),
                     until("mbarrier.try_wait.parity.shared.b64 %p, [%object], 0;")});
    }
  }
  check_handing(all, 211);
}

TEST_CASE("what is written before a fence and a flag is there after the flag and a fence, by each spelling") {
  std::vector<Handing> all;
  const auto add = [&](const std::string& before, const std::string& after) {
    all.push_back({before, std::string(kStore) + "bar.warp.sync 0xffffffff; " + before + " @%first st.relaxed.cta.shared.u32 [%flag], 1;",
                   until("ld.relaxed.cta.shared.u32 %value, [%flag]; setp.eq.u32 %p, %value, 1;") + after});
  };
  for (const char* scope : {".cta", ".cluster", ".gpu", ".sys"}) {
    const std::string s = std::string(scope) + ";";
    add("fence.sc" + s, "fence.sc" + s);
    add("fence.acq_rel" + s, "fence" + s);
    add("fence.release" + s, "fence.acquire" + s);
  }
  for (const char* membar : {"membar.cta;", "membar.gl;", "membar.sys;"}) add(membar, membar);
  check_handing(all, 212);
}

TEST_CASE("what is written before each spelling of barrier is there after it") {
  std::vector<Handing> all;
  for (const char* aligned : {"", ".aligned"}) {
    for (const char* count : {"", ", 64"}) {
      const std::string sync = std::string("barrier.sync") + aligned + " 3" + count + ";";
      all.push_back({sync, kStore + sync, sync});
    }
    const std::string a = aligned;
    all.push_back({"barrier.arrive" + a, kStore + ("barrier.arrive" + a + " 4, 64;"), "barrier.sync" + a + " 4, 64;"});
    for (const char* arrive : {"", ".release"}) {
      for (const char* wait : {"", ".acquire"}) {
        const std::string both = std::string("barrier.cluster.arrive") + arrive + a + "; barrier.cluster.wait" + wait + a + ";";
        all.push_back({both, kStrongStore + both, both, kStrongLoad});
      }
    }
    const std::string relaxed = "barrier.cluster.arrive.relaxed" + a + "; barrier.cluster.wait.acquire" + a + ";";
    all.push_back({relaxed, kStrongStore + ("fence.acq_rel.cluster; " + relaxed), relaxed, kStrongLoad});
  }
  check_handing(all, 213);
}

TEST_CASE("each spelling of barrier.red") {
  struct Reduction {
    std::string text;
    std::uint32_t want;
  };
  std::vector<Reduction> all;
  const std::string count = "barrier.red.popc", both = "barrier.red.and", any = "barrier.red.or";
  for (const std::string aligned : {"", ".aligned"}) {
    for (const std::string threads : {"", ", 64"}) {
      all.push_back({count + aligned + ".u32 %d, 1" + threads + ", %p;", 21});
      all.push_back({count + aligned + ".u32 %d, 1" + threads + ", !%p;", 43});
      for (const std::string negated : {"", "!"}) {
        all.push_back({both + aligned + ".pred %q, 2" + threads + ", " + negated + "%p; selp.u32 %d, 1, 0, %q;", 0});
        all.push_back({any + aligned + ".pred %q, 2" + threads + ", " + negated + "%p; selp.u32 %d, 1, 0, %q;", 1});
      }
      all.push_back({both + aligned + ".pred %q, 2" + threads + ", %all; selp.u32 %d, 1, 0, %q;", 1});
      all.push_back({any + aligned + ".pred %q, 2" + threads + ", !%all; selp.u32 %d, 1, 0, %q;", 0});
    }
  }
  std::string text = kHead;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += ".visible .entry reduction" + std::to_string(i) + "(.param .u64 out)\n{\n  .reg .b64 %out, %step; .reg .b32 %t, %d; .reg .pred %p, %q, %all;\n"
            "  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %step, %t, 4; add.u64 %out, %out, %step;\n"
            "  setp.lt.u32 %all, %t, 64; rem.u32 %d, %t, 3; setp.eq.u32 %p, %d, 1;\n  " + all[i].text + "\n  st.global.u32 [%out], %d;\n  ret;\n}\n";
  }
  everywhere_text(text, "reductions.ptx", [&](Program& program) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(all[i].text);
      Buffer<std::uint32_t> out(64, 99);
      program.run("reduction" + std::to_string(i), {{1, 1, 1}, {64, 1, 1}}, Arguments(out));
      CHECK(out == Buffer<std::uint32_t>(64, all[i].want));
    }
  });
}

/// Fences between ways to memory: an access on one side sees what was written on the other.
TEST_CASE("each spelling of a fence between proxies leaves memory as it is") {
  std::vector<std::string> fences = {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
                                     "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"};
  for (const char* fence : {"fence.proxy", "membar.proxy"}) {
    for (const char* proxy : {".alias", ".async", ".async.global", ".async.shared::cta", ".async.shared::cluster"}) fences.push_back(std::string(fence) + proxy + ";");
  }
  for (const char* scope : {".cta", ".cluster", ".gpu", ".sys"}) {
    fences.push_back(std::string("fence.proxy.tensormap::generic.release") + scope + ";");
    fences.push_back(std::string("fence.proxy.tensormap::generic.acquire") + scope + " [%map], 128;");
  }
  std::vector<Handing> all;
  for (const std::string& fence : fences) {
    // What was written by one address is read by another one and written again.
    all.push_back({fence, "mov.u64 %map, tensormap;\n" + (kStore + fence) + " cvta.shared.u64 %step, %cell; ld.u32 %t, [%step]; st.shared.u32 [%cell], %t; bar.sync 1;",
                   "bar.sync 1;"});
  }
  check_handing(all, 214);
}

}  // namespace
