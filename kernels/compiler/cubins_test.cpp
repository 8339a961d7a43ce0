// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/cubins.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "kernels/compiler/failure.hpp"

using namespace bascule::compiler;
using Json = nlohmann::json;

namespace {

std::string assembled(const std::string& image, const std::string& architecture) { return image + "." + architecture; }

std::vector<std::string> names(const std::string& json) {
  const Json description = Json::parse(json);
  std::vector<std::string> result;
  for (const Json& variant : description.at("kernels").at(0).at("variants")) result.push_back(variant.at("name"));
  return result;
}

const char* const kDescription = R"({"kernels": [{"name": "k", "variants": [
  {"name": "host", "format": "host"},
  {"name": "old", "format": "ptx", "target": "sm_80", "image": "k.ptx", "options": "-O2", "launches": [1]},
  {"name": "own", "format": "ptx", "target": "sm_90a", "image": "h.ptx"}]}]})";

}  // namespace

TEST_CASE("machine code comes before the PTX that it is made from, for each architecture that can run it") {
  const std::string json = add_cubins(kDescription, {"sm_80", "sm_90a"}, "13.0", assembled);
  CHECK(names(json) == std::vector<std::string>{"host", "old_cubin_sm_80", "old_cubin_sm_90a", "old", "own_cubin_sm_90a", "own"});
  const Json cubin = Json::parse(json)["kernels"][0]["variants"][2];
  CHECK(cubin["format"] == "cubin");
  CHECK(cubin["target"] == "sm_90a");
  CHECK(cubin["image"] == "k.ptx.sm_90a");
  CHECK(cubin["minimum_driver"] == "13.0");
  CHECK(cubin["launches"] == Json::array({1}));
  CHECK_FALSE(cubin.contains("options"));
}

TEST_CASE("an architecture older than the PTX gets none") { CHECK(names(add_cubins(kDescription, {"sm_75"}, "13.0", assembled)).size() == 3); }

TEST_CASE("machine code needs a driver of its ptxas' major version") {
  CHECK(driver_for("Cuda compilation tools, release 13.1, V13.1.22") == "13.0");
  CHECK_THROWS_AS(driver_for("GNU assembler"), Failure);
  CHECK_THROWS_AS(driver_for("release 9.2"), Failure);
}
