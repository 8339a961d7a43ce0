// See gpu.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/include/cuda_results.h"

namespace bascule::emulated {
namespace {

struct Attribute {
  const char* name;
  int number;
};

constexpr Attribute kAttributes[] = {
#define BASCULE_ATTRIBUTE(name, number) {#name, number},
#include "backends/emulated/cuda/attributes.inc"
#undef BASCULE_ATTRIBUTE
};

class Reader {
 public:
  Reader(const toml::table& table, std::string_view file) : table_(table), file_(file) {}

  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most, std::int64_t otherwise = -1) {
    const toml::node* const node = table_.get(key);
    if (node == nullptr && otherwise >= 0) return otherwise;
    const auto value = node != nullptr ? node->value_exact<std::int64_t>() : std::nullopt;
    if (!value || *value < least || *value > most) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{}: {} must be a whole number from {} to {}", file_, key, least, most);
    }
    return *value;
  }

  std::string text(const char* key) {
    const auto value = table_[key].value_exact<std::string>();
    if (!value || value->empty()) refuse(CUDA_ERROR_INVALID_VALUE, "{}: {} must be a text", file_, key);
    return *value;
  }

 private:
  const toml::table& table_;
  std::string_view file_;
};

void read_attributes(const toml::table& table, std::string_view file, Gpu& gpu) {
  for (const auto& [key, node] : table) {
    const auto* const found = std::find_if(std::begin(kAttributes), std::end(kAttributes), [&](const Attribute& a) { return key.str() == a.name; });
    if (found == std::end(kAttributes)) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{}:{}: no device attribute is called {}", file, key.source().begin.line, key.str());
    }
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max()) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{}:{}: {} must be a 32-bit number", file, key.source().begin.line, key.str());
    }
    gpu.attributes[found->number] = static_cast<int>(*value);
  }
}

void check_keys(const toml::table& table, std::string_view file) {
  constexpr std::string_view kKeys[] = {"name",        "architecture", "memory_mib", "driver_version",
                                        "ptx_version", "devices",      "kernel_time_limit_ms", "attributes"};
  for (const auto& [key, node] : table) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key.str()) == std::end(kKeys)) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{}:{}: unknown key {}", file, key.source().begin.line, key.str());
    }
  }
}

void check_limits(const Gpu& gpu, std::string_view file) {
  constexpr int kNeeded[] = {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                             CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                             CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                             CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
                             CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
                             CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                             CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                             CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                             CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR};
  for (const int needed : kNeeded) {
    if (gpu.attribute(needed) > 0) continue;
    const auto* const found = std::find_if(std::begin(kAttributes), std::end(kAttributes), [&](const Attribute& a) { return a.number == needed; });
    refuse(CUDA_ERROR_INVALID_VALUE, "{}: the attribute {} must be above 0", file, found->name);
  }
  const std::string architecture = "sm_" + std::to_string(gpu.compute_capability());
  if (gpu.architecture != architecture && gpu.architecture != architecture + "a") {
    refuse(CUDA_ERROR_INVALID_VALUE, "{}: the architecture {} is not that of compute capability {}", file, gpu.architecture, gpu.compute_capability());
  }
}

}  // namespace

int Gpu::compute_capability() const {
  return 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

Gpu parse_gpu(std::string_view text, std::string_view file) {
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    refuse(CUDA_ERROR_INVALID_VALUE, "{}:{}: {}", file, parsed.error().source().begin.line, parsed.error().description());
  }
  const toml::table& table = parsed.table();
  check_keys(table, file);
  Reader reader(table, file);
  Gpu gpu;
  gpu.name = reader.text("name");
  if (gpu.name.find("emulated") == std::string::npos && gpu.name.find("Emulated") == std::string::npos) {
    refuse(CUDA_ERROR_INVALID_VALUE, "{}: the name \"{}\" must contain \"emulated\"", file, gpu.name);
  }
  gpu.architecture = reader.text("architecture");
  gpu.memory_bytes = static_cast<std::uint64_t>(reader.integer("memory_mib", 1, 1 << 20)) << 20;
  gpu.driver_version = static_cast<int>(reader.integer("driver_version", 11000, 99990));
  gpu.ptx_version = static_cast<int>(reader.integer("ptx_version", 10, 199));
  gpu.count = static_cast<int>(reader.integer("devices", 0, 16, 1));
  gpu.kernel_time_limit_ms = static_cast<std::uint64_t>(reader.integer("kernel_time_limit_ms", 0, 1 << 30, 0));
  if (const toml::table* const attributes = table["attributes"].as_table()) read_attributes(*attributes, file, gpu);
  check_limits(gpu, file);
  return gpu;
}

Gpu chosen_gpu(const std::string& directory) {
  const char* const asked = std::getenv("BASCULE_EMULATED_GPU");
  const std::string name = asked != nullptr && *asked != '\0' ? asked : "sm_80";
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".toml");
  const std::string path = is_path ? name : directory + "/" + name + ".toml";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse(CUDA_ERROR_INVALID_VALUE, "the description of the GPU cannot be read: {} (BASCULE_EMULATED_GPU={})", path, name);
  std::ostringstream text;
  text << stream.rdbuf();
  return parse_gpu(text.str(), path);
}

}  // namespace bascule::emulated
