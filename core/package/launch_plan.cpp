// Compiling a plan for a device: all that is constant is computed and checked here, once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/launch_plan.hpp"

#include <algorithm>
#include <bit>

#include "core/package/argument_layout.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

std::uint64_t round_up_to_line(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

bool all_constant(const std::array<Expression, 3>& expressions) {
  return std::all_of(expressions.begin(), expressions.end(), [](const Expression& e) { return e.is_constant(); });
}

bool uses(const Launch& launch, std::uint32_t slot) {
  const auto any = [slot](const auto& list) {
    return std::any_of(list.begin(), list.end(), [slot](const Expression& e) { return e.uses_slot(slot); });
  };
  if (any(launch.grid) || any(launch.block) || any(launch.cluster) || launch.shared.uses_slot(slot)) return true;
  if (launch.has_when && launch.when.uses_slot(slot)) return true;
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [slot](const LaunchArgument& argument) {
    return argument.expression.uses_slot(slot) || argument.bytes.uses_slot(slot);
  });
}

}  // namespace

Error LaunchPlan::named(Error error) const {
  error.message = concat("kernel ", kernel_->contract.name, ", variant ", variant_->name, ": ", error.message);
  return error;
}

Error LaunchPlan::wrong(std::string message, std::string remedy) const {
  return named(Error{BSC_INVALID_ARGUMENT, std::move(message), std::move(remedy)});
}

Error LaunchPlan::beyond(std::string message, std::string remedy) const {
  return named(Error{BSC_LIMIT_EXCEEDED, std::move(message), std::move(remedy)});
}

bool LaunchPlan::uses_slot(std::uint32_t slot) const {
  const Contract& contract = kernel_->contract;
  const auto in_launch = [slot](const Launch& launch) { return uses(launch, slot); };
  const auto in_length = [slot](const Parameter& p) { return p.has_length && p.length.uses_slot(slot); };
  const auto in_requirement = [slot](const Requirement& r) { return r.expression.uses_slot(slot); };
  return variant_->workspace.uses_slot(slot) ||
         std::any_of(variant_->launches.begin(), variant_->launches.end(), in_launch) ||
         std::any_of(contract.parameters.begin(), contract.parameters.end(), in_length) ||
         std::any_of(contract.requirements.begin(), contract.requirements.end(), in_requirement);
}

Result<LaunchPlan> LaunchPlan::compile(const Kernel& kernel, const Variant& variant, const DeviceTraits& device) {
  LaunchPlan plan;
  plan.kernel_ = &kernel;
  plan.variant_ = &variant;
  plan.device_ = std::make_shared<const DeviceTraits>(device);
  plan.host_ = variant.format == "host";
  plan.needs_work_items_ = plan.uses_slot(kSlotWorkItems);
  plan.device_values_[kSlotComputeUnits] = std::max<std::uint64_t>(1, device.compute_units);
  plan.device_values_[kSlotMaxBlockThreads] = std::max<std::uint64_t>(1, device.max_block_threads);
  plan.device_values_[kSlotSubGroup] =
      std::max<std::uint64_t>(1, variant.sub_group != 0 ? variant.sub_group : device.max_sub_group);
  plan.add_parameters();
  plan.launches_.reserve(variant.launches.size());
  for (const Launch& launch : variant.launches) BSC_RETURN_IF_ERROR(plan.add_launch(launch));
  plan.usual_storage_.commands += variant.launches.size() + (variant.clear_workspace ? 1 : 0);
  return plan;
}

void LaunchPlan::add_parameters() {
  const Contract& contract = kernel_->contract;
  checks_contract_ = !contract.requirements.empty();
  for (const Requirement& requirement : contract.requirements) requirements_.push_back(&requirement.expression);
  for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    ParameterCheck check{};
    check.is_buffer = parameter.kind == ParameterKind::buffer;
    check.used_in_expressions = uses_slot(kFirstParameterSlot + static_cast<std::uint32_t>(i));
    if (check.is_buffer) {
      check.shift = static_cast<std::uint8_t>(std::countr_zero(element_bytes(parameter.type)));
      checks_contract_ = checks_contract_ || parameter.has_length;
      if (parameter.has_length) lengths_.push_back({&parameter.length, kFirstParameterSlot + static_cast<std::uint32_t>(i)});
      check.used_in_expressions = check.used_in_expressions || parameter.has_length;
    } else {
      check.bytes = scalar_bytes(parameter.type);
      check.load_bytes = check.used_in_expressions ? static_cast<std::uint8_t>(check.bytes) : 0;
      check.used_signed = check.used_in_expressions && is_signed_integer(parameter.type);
    }
    parameters_.push_back(check);
  }
}

Status LaunchPlan::add_launch(const Launch& launch) {
  const ArgumentLayout layout = lay_out_arguments(kernel_->contract, launch);
  if (device_->max_argument_bytes != 0 && layout.bytes > device_->max_argument_bytes) {
    return beyond(concat("function ", launch.function, " takes ", layout.bytes, " bytes of arguments, device ", device_->id,
                       " allows ", device_->max_argument_bytes),
                  "pass the values in a buffer");
  }
  CompiledLaunch compiled{};
  compiled.source = &launch;
  compiled.blob_bytes = layout.bytes;
  compiled.flags = launch.cooperative ? std::uint64_t{BSC_LAUNCH_COOPERATIVE} : 0;
  compiled.max_block_threads = device_->max_block_threads;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& planned = launch.arguments[i];
    Argument argument{};
    argument.source = planned.source;
    argument.planned = &planned;
    argument.parameter = planned.parameter;
    argument.value_bytes = static_cast<std::uint8_t>(layout.places[i].bytes);
    argument.prepared.blob_offset = layout.places[i].offset;
    argument.prepared.bytes = layout.places[i].bytes;
    ElementType element = planned.type;
    bool is_buffer = planned.source == ArgumentSource::workspace;
    if (planned.source == ArgumentSource::parameter) {
      element = kernel_->contract.parameters[planned.parameter].type;
      is_buffer = kernel_->contract.parameters[planned.parameter].kind == ParameterKind::buffer;
    }
    argument.prepared.kind = is_buffer ? BSC_ARGUMENT_BUFFER
                             : planned.source == ArgumentSource::local ? BSC_ARGUMENT_LOCAL
                                                                       : BSC_ARGUMENT_VALUE;
    if (is_buffer && planned.form == BufferForm::split) argument.prepared.flags = BSC_ARGUMENT_SPLIT;
    argument.shift = static_cast<std::uint32_t>(std::countr_zero(element_bytes(element)));
    compiled.arguments.push_back(argument);
  }
  compiled.fixed_shape = all_constant(launch.block) && all_constant(launch.cluster) && launch.shared.is_constant();
  usual_ = usual_ && compiled.fixed_shape;
  for (std::size_t d = 0; d < 3; ++d) {
    compiled.grid_fixed[d] = launch.grid[d].is_constant();
    if (compiled.grid_fixed[d]) compiled.fixed.grid[d] = launch.grid[d].constant_value();
  }
  if (compiled.fixed_shape) {
    for (std::size_t d = 0; d < 3; ++d) {
      compiled.fixed.block[d] = launch.block[d].constant_value();
      compiled.fixed.cluster[d] = launch.cluster[d].constant_value();
    }
    compiled.fixed.shared_bytes = launch.shared.constant_value();
    BSC_RETURN_IF_ERROR(check_block(compiled, compiled.fixed));
  }
  usual_storage_.arguments += compiled.arguments.size();
  usual_storage_.blob_bytes += round_up_to_line(compiled.blob_bytes);
  launches_.push_back(std::move(compiled));
  return {};
}

Status LaunchPlan::set_function(std::size_t launch, bsc_plugin_function function, std::uint64_t max_block_threads) {
  CompiledLaunch& compiled = launches_[launch];
  compiled.function = function;
  if (max_block_threads != 0) compiled.max_block_threads = max_block_threads;
  if (compiled.fixed_shape) BSC_RETURN_IF_ERROR(check_block(compiled, compiled.fixed));
  return {};
}

LaunchPlan::StorageSizes LaunchPlan::storage_for(const BoundCall& bound) const {
  StorageSizes sizes;
  sizes.commands = bound.command_count;
  for (std::size_t i = 0; i < launches_.size() && bound.command_count != 0; ++i) {
    sizes.arguments += bound.launches[i].parts * launches_[i].arguments.size();
    sizes.blob_bytes += bound.launches[i].parts * round_up_to_line(launches_[i].blob_bytes);
  }
  return sizes;
}

}  // namespace bascule::core
