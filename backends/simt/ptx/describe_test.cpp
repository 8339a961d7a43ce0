// The report of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/describe.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "backends/simt/ptx/test_parsing.hpp"

namespace bascule::simt::ptx {

TEST_CASE("the report lists kernels, parameters, shared memory, functions, operations and what is not supported") {
  const Parsed parsed = parse(R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.shared .align 8 .b8 tile[100];
.func (.reg .f32 y) f(.reg .f32 x) { .shared .b32 more[4]; add.f32 y, x, x; ret; }
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .f32 a) .reqntid 128
{
  .reg .f32 %f<4>;
  call (%f1), f, (%f2);
  ld.shared.f32 %f1, [tile];
  add.f32 %f1, %f2, %f3;
  add.f32 %f1, %f2, %f3;
  ret;
}
.entry other() { ret; }
)",
                              "k.ptx");
  REQUIRE(errors_of(parsed) == "");
  const auto unsupported = [](const Instruction& instruction, const Function&) {
    return instruction.operation != Operation::ld;
  };
  const auto report = nlohmann::json::parse(describe_json(*parsed.module, parsed.diagnostics, unsupported));
  CHECK(report["version"] == "8.0");
  CHECK(report["target"] == "sm_80");
  REQUIRE(report["kernels"].size() == 2);
  const auto& kernel = report["kernels"][0];
  CHECK(kernel["name"] == "k");
  CHECK(kernel["parameters"][0]["pointer_space"] == "global");
  CHECK(kernel["parameters"][1]["offset"] == 8);
  CHECK(kernel["parameter_bytes"] == 12);
  CHECK(kernel["static_shared_bytes"] == 16 + 8 * ((100 + 7) / 8) - 4);
  CHECK(kernel["directives"]["reqntid"] == nlohmann::json({128, 1, 1}));
  CHECK(report["kernels"][1]["static_shared_bytes"] == 0);
  CHECK(report["functions"][0]["name"] == "f");
  CHECK(report["externs"] == nlohmann::json({"vprintf"}));
  CHECK(report["unsupported_count"] == 1);
  CHECK(report["unsupported"][0]["form"] == "ld.shared.f32");
  CHECK(report["unsupported"][0]["line"] == 11);
  for (const auto& operation : report["operations"]) {
    if (operation["form"] == "add.f32") CHECK(operation["count"] == 3);
    CHECK(operation["supported"] == (operation["form"] != "ld.shared.f32"));
  }
}

TEST_CASE("a text that does not parse is described by its errors") {
  const Parsed parsed = parse("garbage", "k.ptx");
  const auto report = nlohmann::json::parse(describe_failure_json("k.ptx", parsed.diagnostics));
  CHECK(report["name"] == "k.ptx");
  CHECK(report["diagnostics"][0]["severity"] == "error");
  CHECK(report["diagnostics"][0]["line"] == 1);
}

}  // namespace bascule::simt::ptx
