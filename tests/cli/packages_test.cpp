// pack and explain of package files, good and hostile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <fstream>

#include "program.hpp"

using namespace bascule::test;

namespace {

constexpr const char* kDescription = R"json({"package": {"name": "demo", "version": "1.0.0"},
 "kernels": [{"name": "fill_f32", "version": "1.0", "doc": "y = value",
   "parameters": [{"name": "n", "kind": "scalar", "type": "u64"}, {"name": "value", "kind": "scalar", "type": "f32"},
                  {"name": "y", "kind": "buffer", "type": "f32", "access": "out", "length": "n"}],
   "nan": "propagate", "determinism": "threads",
   "math": {"precision": "f32", "contraction": "off", "denormals": "keep"},
   "variants": [{"name": "opencl", "format": "opencl-c", "target": "", "class": "portable", "image": "fill.cl",
     "launches": [{"function": "fill", "grid": ["ceildiv(n, 64)"], "block": ["64"],
       "arguments": [{"parameter": "n"}, {"parameter": "value"}, {"parameter": "y"}]}]}]}]})json";

constexpr const char* kSource =
    "__kernel void fill(ulong n, float value, __global float* y, ulong offset, ulong length) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  if (i < n) ((__global float*)((__global char*)y + offset))[i] = value;\n}\n";

std::string read_binary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a packed package is explained, and packing twice gives the same bytes") {
  const Program program;
  program.directory().write("demo.json", kDescription);
  program.directory().write("fill.cl", kSource);
  const Outcome packed = program.run({"pack", "demo.json"});
  CAPTURE(packed.errors);
  REQUIRE(packed.code == 0);
  const Outcome explained = program.run({"explain", "demo.bpkg", "--backend", "cpu"});
  CAPTURE(explained.errors);
  CHECK(explained.code == 0);
  CHECK(explained.output.find("fill_f32") != std::string::npos);
  REQUIRE(program.run({"pack", "demo.json", "-o", "again.bpkg"}).code == 0);
  CHECK(read_binary(program.directory() / "demo.bpkg") == read_binary(program.directory() / "again.bpkg"));
}

TEST_CASE("a package cut anywhere or with a flipped byte is refused with exit code 2") {
  const Program program;
  program.directory().write("demo.json", kDescription);
  program.directory().write("fill.cl", kSource);
  REQUIRE(program.run({"pack", "demo.json"}).code == 0);
  const std::string good = read_binary(program.directory() / "demo.bpkg");
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{63}, good.size() / 2, good.size() - 1}) {
    program.directory().write("cut.bpkg", good.substr(0, length));
    const Outcome outcome = program.run({"explain", "cut.bpkg", "--backend", "cpu"});
    CAPTURE(length);
    CHECK(outcome.code == 2);
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, std::size_t{70}, good.size() - 3}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    program.directory().write("bad.bpkg", bad);
    CAPTURE(at);
    CHECK(program.run({"explain", "bad.bpkg", "--backend", "cpu"}).code == 2);
  }
}

TEST_CASE("a wrong description is refused with its file and place") {
  const Program program;
  program.directory().write("fill.cl", kSource);
  for (const auto& [from, to] : {std::pair{"\"kind\": \"buffer\"", "\"kind\": \"bufer\""}, {"ceildiv(n, 64)", "ceildiv(m, 64)"},
                                 {"\"image\": \"fill.cl\"", "\"image\": \"absent.cl\""}, {"{\"package\"", "{\"pakage\""}, {"}]}]}]}", "}]}]}"}}) {
    std::string text = kDescription;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, std::string(from).size(), to);
    program.directory().write("wrong.json", text);
    const Outcome outcome = program.run({"pack", "wrong.json"});
    CAPTURE(to);
    CAPTURE(outcome.errors);
    CHECK(outcome.code == 2);
    CHECK(outcome.errors.find("wrong.json") != std::string::npos);
  }
}
