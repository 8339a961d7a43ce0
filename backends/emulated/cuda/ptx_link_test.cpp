// Joining PTX texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/ptx_link.hpp"

#include <doctest/doctest.h>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/image.hpp"
#include "backends/emulated/cuda/ptx_items.hpp"

using namespace bascule::emulated;

namespace {

const std::string kHead = "// made by hand\n.version 7.0\n.target sm_70, debug /* old */\n.address_size 64\n";

bool before(const std::string& text, const std::string& first, const std::string& second) {
  const std::size_t a = text.find(first), b = text.find(second);
  return a != std::string::npos && b != std::string::npos && a < b;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a text is cut into items with their names and linkage") {
  const PtxItems items = cut_ptx(kHead + R"(
.file 1 "a.cu"
.extern .shared .align 16 .b8 pool[];
.const .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8}; // { not a brace
.weak .func (.param .b32 r) f(.param .b32 x);
.visible .entry k(.param .u64 p) .maxntid 32, 1, 1 { .reg .b32 %r<2>; { mov.u32 %r1, 0; } ret; }
.section .debug_info { .b8 1 }
.func g() { ret; }
)");
  CHECK(items.version == 70);
  CHECK(items.target_text == "sm_70");
  REQUIRE(items.items.size() == 6);
  CHECK(items.items[0].kind == PtxItem::Kind::kFile);
  CHECK(items.items[1].name == "pool");
  CHECK(items.items[1].shared);
  CHECK(items.items[1].linkage == PtxItem::Linkage::kExtern);
  CHECK(items.items[2].name == "table");
  CHECK(items.items[2].linkage == PtxItem::Linkage::kInternal);
  CHECK(items.items[3].name == "f");
  CHECK(items.items[3].kind == PtxItem::Kind::kPrototype);
  CHECK(items.items[3].linkage == PtxItem::Linkage::kWeak);
  CHECK(items.items[4].name == "k");
  CHECK(items.items[4].entry);
  CHECK(items.items[5].kind == PtxItem::Kind::kFunction);
}

TEST_CASE("declarations lead to other texts' definitions, in whatever order the texts come") {
  const PtxText user{"user", kHead + ".extern .func g(.param .b32 x);\n.extern .global .align 4 .u32 v;\n.visible .entry k() { call g, (1); mov.u64 %d, v; ret; }\n"};
  const PtxText definer{"definer", kHead + ".visible .global .align 4 .u32 v = 3;\n.visible .global .u64 p = v;\n.visible .func g(.param .b32 x) { ret; }\n"};
  for (const bool swapped : {false, true}) {
    const LinkedPtx linked = swapped ? link_ptx({definer, user}) : link_ptx({user, definer});
    REQUIRE(linked.errors.empty());
    CHECK(count(linked.text, ".version") == 1);
    CHECK(count(linked.text, ".extern") == 0);
    CHECK(before(linked.text, ".visible .func g(.param .b32 x);", "call g"));
    CHECK(before(linked.text, ".u32 v = 3", ".u64 p = v"));
    CHECK(before(linked.text, ".u32 v = 3", "mov.u64 %d, v"));
  }
}

TEST_CASE("private names that two texts use become different ones") {
  const std::string body = ".global .u32 state = 1;\n.func help() { mov.u64 %d, state; ret; }\n";
  const LinkedPtx linked = link_ptx({{"a", kHead + body + ".visible .entry ka() { call help; ret; }\n"}, {"b", kHead + body + ".visible .entry kb() { call help; ret; }\n"}});
  REQUIRE(linked.errors.empty());
  CHECK(count(linked.text, "state$text1") == 2);
  CHECK(count(linked.text, "state$text2") == 2);
  CHECK(count(linked.text, "call help$text2") == 1);
  CHECK(count(linked.text, ".entry ka()") == 1);
}

TEST_CASE("weak definitions give way, strong ones clash, the runtime's functions stay declared") {
  const LinkedPtx weak = link_ptx({{"a", kHead + ".weak .func f() { mov.u32 %r, 1; ret; }\n"}, {"b", kHead + ".visible .func f() { mov.u32 %r, 2; ret; }\n"}});
  REQUIRE(weak.errors.empty());
  CHECK(count(weak.text, "mov.u32 %r, 1") == 0);
  CHECK(count(weak.text, "mov.u32 %r, 2") == 1);
  const LinkedPtx strong = link_ptx({{"a", kHead + ".visible .func f() { ret; }\n"}, {"b", kHead + ".visible .func f() { ret; }\n"}});
  REQUIRE(strong.errors.size() == 1);
  CHECK(strong.errors[0] == "multiple definition of 'f' in 'b', first defined in 'a'");
  const std::string print = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n";
  const LinkedPtx runtime = link_ptx({{"a", kHead + print}, {"b", kHead + print}});
  REQUIRE(runtime.errors.empty());
  CHECK(count(runtime.text, ".extern") == 1);
  const LinkedPtx missing = link_ptx({{"a", kHead + ".extern .func f();\n"}});
  REQUIRE(missing.errors.size() == 1);
  CHECK(missing.errors[0] == "undefined reference to 'f' in 'a'");
}

TEST_CASE("files of texts are counted on, where lines refer to them") {
  const std::string body = ".file 1 \"x.cu\"\n.visible .entry @() { .loc 1 5 0\n ret; }\n";
  const auto named = [&](const char* name) {
    std::string text = body;
    return kHead + text.replace(text.find('@'), 1, name);
  };
  const LinkedPtx linked = link_ptx({{"a", named("ka")}, {"b", named("kb")}});
  REQUIRE(linked.errors.empty());
  CHECK(count(linked.text, ".file 1 ") == 1);
  CHECK(count(linked.text, ".file 2 ") == 1);
  CHECK(before(linked.text, ".entry kb()", ".loc 2 5 0"));
}

TEST_CASE("the newest version and target of the texts are the result's") {
  const LinkedPtx linked = link_ptx({{"a", kHead}, {"b", ".version 8.1\n.target sm_80\n.address_size 64\n"}});
  CHECK(linked.text.starts_with(".version 8.1\n.target sm_80\n"));
}

TEST_CASE("headers are read past comments") {
  const PtxHeader header = read_ptx_header("// a\n/* b */ .version 8.3 // c\n.target sm_90a, texmode_independent\n");
  CHECK(header.version == 83);
  CHECK(header.target == 90);
  CHECK(header.specific);
  CHECK(read_ptx_header("nothing").version == 0);
}
