// Packages, metadata and expressions from hostile bytes. The first byte says what the rest is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/package/choice.hpp"
#include "core/package/container.hpp"
#include "core/package/expression.hpp"
#include "core/package/launch_plan.hpp"
#include "core/package/metadata.hpp"
#include "core/package/package.hpp"

using namespace bascule::core;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void fuzz_expression(std::string_view text) {
  const auto lookup = [](std::string_view name) -> std::optional<Symbol> {
    if (name.size() != 1 || name[0] < 'a' || name[0] > 'd') return std::nullopt;
    if (name == "d") return Symbol{true, 1000, 0};
    return Symbol{false, 0, static_cast<std::uint32_t>(name[0] - 'a')};
  };
  auto expression = Expression::parse(text, lookup);
  if (!expression.ok()) return;
  for (const auto& values : {std::array<std::uint64_t, 3>{0, 1, 2}, {~std::uint64_t{0}, 63, 64}, {4096, 1000003, 7}}) {
    std::uint64_t result = 0;
    if (!expression->evaluate(values.data(), result)) require(!expression->failure(values.data()).message.empty());
  }
}

// Plans of a package that loads are compiled and called with arguments that fit their kinds.
void call(const Kernel& kernel, const Variant& variant, const DeviceTraits& device) {
  auto plan = LaunchPlan::compile(kernel, variant, device);
  if (!plan.ok()) return;
  static const std::array<std::uint64_t, 2> number = {5, 0};
  std::vector<BoundArgument> arguments;
  bsc_plugin_object memory{};
  for (const Parameter& parameter : kernel.contract.parameters) {
    BoundArgument argument;
    argument.is_buffer = parameter.kind == ParameterKind::buffer;
    argument.value = number.data();
    argument.memory = &memory;
    argument.bytes = argument.is_buffer ? 4096 : scalar_bytes(parameter.type);
    arguments.push_back(argument);
  }
  LaunchShape shape;
  shape.has_work_items = true;
  shape.work_items = 1000;
  BoundCall bound;
  if (!plan->bind(arguments, shape, bound).ok()) return;
  const auto sizes = plan->storage_for(bound);
  if (sizes.blob_bytes > (1u << 24)) return;
  std::vector<bsc_plugin_command> commands(sizes.commands);
  std::vector<bsc_plugin_argument> filled(sizes.arguments);
  std::vector<std::byte> blob(sizes.blob_bytes);
  (void)plan->fill(arguments, shape, bound, &memory, 0, {commands.data(), filled.data(), blob.data()});
}

void use(const Package& package) {
  DeviceTraits device;
  device.id = "fuzz:0";
  device.formats = {"host", "opencl-c", "ptx"};
  device.architecture = "sm_90a";
  device.max_block_threads = 1024;
  for (int d = 0; d < 3; ++d) device.max_grid[d] = 65535;
  require(!package.describe().empty());
  for (const Kernel& kernel : package.kernels()) {
    require(!explain_choice(package, kernel, device).empty());
    for (const Variant& variant : kernel.variants) call(kernel, variant, device);
  }
}

void fuzz_package(std::span<const std::byte> data) {
  auto package = Package::load(data, nullptr, "fuzz");
  if (package.ok()) use(**package);
}

void fuzz_metadata(std::string_view json) {
  auto metadata = read_metadata(json, MetadataForm::packed, 2, "fuzz");
  if (!metadata.ok()) return;
  // What was read can be written, packed and loaded.
  const std::string image = "image";
  const auto bytes = std::as_bytes(std::span(image.data(), image.size()));
  auto container = write_container(write_metadata(*metadata), {bytes, bytes});
  require(container.ok());
  auto package = Package::load(*container, nullptr, "fuzz");
  require(package.ok());
  use(**package);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0: fuzz_expression(text); break;
    case 1: fuzz_metadata(text); break;
    default: fuzz_package(std::as_bytes(std::span(text.data(), text.size()))); break;
  }
  return 0;
}
