// Binding a call: arguments against the contract, then the shape of each launch against the device. The success path
// allocates nothing; errors are made in functions of their own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "core/package/launch_plan.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

// More parts than this are a mistake rather than a large problem: every GPU's limit is at least 65,535 blocks.
constexpr std::uint64_t kMaxParts = 4096;

std::uint64_t load_unsigned(const void* value, unsigned bytes) {
  switch (bytes) {
    case 1: return *static_cast<const std::uint8_t*>(value);
    case 2: {
      std::uint16_t result;
      std::memcpy(&result, value, sizeof result);
      return result;
    }
    case 4: {
      std::uint32_t result;
      std::memcpy(&result, value, sizeof result);
      return result;
    }
    default: {
      std::uint64_t result;
      std::memcpy(&result, value, sizeof result);
      return result;
    }
  }
}

bool is_negative(std::uint64_t value, unsigned bytes) { return (value >> (bytes * 8 - 1) & 1) != 0; }

bool product(const std::array<std::uint64_t, 3>& sizes, std::uint64_t& out) {
  return !__builtin_mul_overflow(sizes[0], sizes[1], &out) && !__builtin_mul_overflow(out, sizes[2], &out);
}

std::string listed(const std::array<std::uint64_t, 3>& sizes) { return concat(sizes[0], " x ", sizes[1], " x ", sizes[2]); }

}  // namespace

// Kind, size, alignment and presence of an argument.
bool LaunchPlan::fits(const BoundArgument& argument, const ParameterCheck& check) noexcept {
  if (argument.is_buffer != check.is_buffer) return false;
  if (!check.is_buffer) return argument.bytes == check.bytes && argument.value != nullptr;
  const std::uint64_t below_element = (std::uint64_t{1} << check.shift) - 1;
  return ((argument.offset | argument.bytes) & below_element) == 0 && (argument.memory != nullptr || argument.bytes == 0);
}

Status LaunchPlan::evaluate(const Expression& expression, const BoundCall& call, std::uint64_t& out) const {
  if (expression.evaluate(call.values.data(), out)) [[likely]] return {};
  return named(expression.failure(call.values.data()));
}

Status LaunchPlan::bind(std::span<const BoundArgument> arguments, const LaunchShape& shape, BoundCall& out) const {
  if (bind_usual(arguments, shape, out)) [[likely]] return {};
  return bind_with_reasons(arguments, shape, out);
}

// The launch path's budget is some tens of nanoseconds: no errors are made here. Whatever is out of the ordinary is done,
// or refused, by bind_with_reasons().
bool LaunchPlan::bind_usual(std::span<const BoundArgument> arguments, const LaunchShape& shape, BoundCall& out) const noexcept {
  if (!usual_ || shape.has_grid || arguments.size() != parameters_.size()) return false;
  if (shape.has_work_items ? shape.work_items == 0 : needs_work_items_) return false;
  std::uint64_t* const values = out.values.data();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    const ParameterCheck& check = parameters_[i];
    if (!fits(argument, check)) return false;
    if (!check.used_in_expressions) continue;
    std::uint64_t& value = values[kFirstParameterSlot + i];
    value = check.is_buffer ? argument.bytes >> check.shift : load_unsigned(argument.value, check.load_bytes);
    if (check.used_signed && is_negative(value, check.load_bytes)) return false;
  }
  for (std::size_t slot = 0; slot < kFirstParameterSlot; ++slot) values[slot] = device_values_[slot];
  values[kSlotWorkItems] = shape.work_items;
  std::uint64_t result = 0;
  for (const Expression* requirement : requirements_) {
    if (!requirement->evaluate(values, result) || result == 0) return false;
  }
  for (const LengthCheck& length : lengths_) {
    if (!length.least->evaluate(values, result) || values[length.slot] < result) return false;
  }
  out.command_count = 0;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    if (!bind_usual_launch(launches_[i], values, out.launches[i])) return false;
    out.command_count += out.launches[i].parts;
  }
  out.workspace_bytes = 0;
  if (out.command_count == 0) return true;
  if (!variant_->workspace.evaluate(values, out.workspace_bytes)) return false;
  if (variant_->clear_workspace && out.workspace_bytes != 0) ++out.command_count;
  return true;
}

bool LaunchPlan::bind_usual_launch(const CompiledLaunch& launch, const std::uint64_t* values, BoundLaunch& out) const noexcept {
  std::uint64_t wanted = 1;
  if (launch.source->has_when && !launch.source->when.evaluate(values, wanted)) return false;
  if (wanted == 0) {
    out.parts = 0;
    return true;
  }
  out = launch.fixed;
  bool empty = false;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!launch.grid_fixed[d] && !launch.source->grid[d].evaluate(values, out.grid[d])) return false;
    empty = empty || out.grid[d] == 0;
    if (!host_ && device_->max_grid[d] != 0 && out.grid[d] > device_->max_grid[d]) return false;
  }
  std::uint64_t items = 0;
  if (!empty && host_ && !product(out.grid, items)) return false;
  out.parts = empty ? 0 : 1;
  return true;
}

Status LaunchPlan::bind_with_reasons(std::span<const BoundArgument> arguments, const LaunchShape& shape, BoundCall& out) const {
  out.command_count = 0;
  out.workspace_bytes = 0;
  BSC_RETURN_IF_ERROR(load_values(arguments, out));
  for (std::size_t slot = 0; slot < kFirstParameterSlot; ++slot) out.values[slot] = device_values_[slot];
  out.values[kSlotWorkItems] = shape.work_items;
  if (checks_contract_) BSC_RETURN_IF_ERROR(check_contract(out));
  if (needs_work_items_ && !shape.has_work_items && !shape.has_grid) {
    return wrong("the launch gives no number of work items, which the plan needs", "launch it with work_items(n)");
  }
  if (shape.has_grid && launches_.size() != 1) {
    return wrong(concat("its plan has ", launches_.size(), " launches, so a raw grid cannot replace it"),
                 "leave the grid out, or force a variant with a single launch");
  }
  if (shape.has_work_items && shape.work_items == 0) return {};
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    BSC_RETURN_IF_ERROR(bind_launch(launches_[i], shape, out, out.launches[i]));
    out.command_count += out.launches[i].parts;
  }
  if (out.command_count == 0) return {};
  BSC_RETURN_IF_ERROR(evaluate(variant_->workspace, out, out.workspace_bytes));
  if (variant_->clear_workspace && out.workspace_bytes != 0) ++out.command_count;
  return {};
}

Status LaunchPlan::load_values(std::span<const BoundArgument> arguments, BoundCall& out) const {
  if (arguments.size() != parameters_.size()) {
    return wrong(concat("takes ", parameters_.size(), " arguments, ", arguments.size(), " were given"),
                 "pass the arguments of the contract in its order; `bascule explain` lists them");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument& argument = arguments[i];
    const ParameterCheck& check = parameters_[i];
    if (!fits(argument, check)) [[unlikely]] return check_argument(i, argument);
    if (!check.used_in_expressions) continue;
    std::uint64_t& value = out.values[kFirstParameterSlot + i];
    if (check.is_buffer) {
      value = argument.bytes >> check.shift;
      continue;
    }
    value = load_unsigned(argument.value, check.load_bytes);
    if (check.used_signed && is_negative(value, check.load_bytes)) [[unlikely]] return check_argument(i, argument);
  }
  return {};
}

// Says what is wrong with an argument that load_values() refused.
Status LaunchPlan::check_argument(std::size_t index, const BoundArgument& argument) const {
  const Parameter& parameter = kernel_->contract.parameters[index];
  const ParameterCheck& check = parameters_[index];
  const std::string subject = concat("argument ", index, " (", parameter.name, ") ");
  const std::string_view type = element_type_name(parameter.type);
  if (argument.is_buffer != check.is_buffer) {
    return wrong(concat(subject, check.is_buffer ? "must be a buffer of " : "must be a value of type ", type, ", a ",
                      argument.is_buffer ? "buffer" : "value", " was given"),
                 "pass the arguments of the contract in its order; `bascule explain` lists them");
  }
  if (!check.is_buffer && argument.value == nullptr) {
    return wrong(concat(subject, "has no value: the pointer is NULL"), "point it at the value");
  }
  if (!check.is_buffer && argument.bytes != check.bytes) {
    return wrong(concat(subject, "has type ", type, " and takes ", check.bytes, " bytes, ", argument.bytes, " were given"),
                 parameter.type == ElementType::f16 || parameter.type == ElementType::bf16
                     ? "pass a float: 16-bit floats travel as f32 under a contract"
                     : "pass a value of the contract's type");
  }
  if (!check.is_buffer) {
    return wrong(concat(subject, "is negative, but the contract or the plan computes sizes with it"), "pass 0 or more");
  }
  const std::uint64_t element = element_bytes(parameter.type);
  if (argument.offset % element != 0) {
    return wrong(concat(subject, "starts at byte ", argument.offset, ", which is no multiple of the ", element, " bytes of ", type),
                 "use an offset that is a multiple of the element size");
  }
  if (argument.bytes % element != 0) {
    return wrong(concat(subject, "has ", argument.bytes, " bytes, which is no multiple of the ", element, " bytes of ", type),
                 "use a length that is a multiple of the element size");
  }
  return wrong(concat(subject, "has ", argument.bytes, " bytes but no buffer"), "pass a buffer, or a length of 0");
}

Status LaunchPlan::check_contract(const BoundCall& bound) const {
  const Contract& contract = kernel_->contract;
  for (const Requirement& requirement : contract.requirements) {
    std::uint64_t holds = 0;
    BSC_RETURN_IF_ERROR(evaluate(requirement.expression, bound, holds));
    if (holds == 0) [[unlikely]] {
      std::string values;
      for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
        const auto slot = static_cast<std::uint32_t>(kFirstParameterSlot + i);
        if (!requirement.expression.uses_slot(slot)) continue;
        const bool buffer = contract.parameters[i].kind == ParameterKind::buffer;
        values += concat(values.empty() ? "" : ", ", contract.parameters[i].name, buffer ? ".length = " : " = ", bound.values[slot]);
      }
      return wrong(concat(requirement.message, " (`", requirement.expression.text(), "` does not hold with ", values, ")"),
                   "pass arguments that the contract allows");
    }
  }
  for (std::size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    if (!parameter.has_length) continue;
    std::uint64_t least = 0;
    BSC_RETURN_IF_ERROR(evaluate(parameter.length, bound, least));
    const std::uint64_t length = bound.values[kFirstParameterSlot + i];
    if (length < least) [[unlikely]] {
      return wrong(concat("argument ", i, " (", parameter.name, ") has ", length, " elements, the contract asks for at least ",
                        least, " (`", parameter.length.text(), "`)"),
                   "pass a larger buffer or smaller sizes");
    }
  }
  return {};
}

Status LaunchPlan::bind_launch(const CompiledLaunch& launch, const LaunchShape& shape, const BoundCall& call,
                               BoundLaunch& out) const {
  out.parts = 0;
  if (launch.source->has_when) {
    std::uint64_t wanted = 0;
    BSC_RETURN_IF_ERROR(evaluate(launch.source->when, call, wanted));
    if (wanted == 0) return {};
  }
  if (launch.fixed_shape && !shape.has_grid) [[likely]] {
    out.block = launch.fixed.block;
    out.cluster = launch.fixed.cluster;
    out.shared_bytes = launch.fixed.shared_bytes;
  } else {
    BSC_RETURN_IF_ERROR(bind_shape(launch, shape, call, out));
  }
  return bind_grid(launch, shape, call, out);
}

Status LaunchPlan::bind_shape(const CompiledLaunch& launch, const LaunchShape& shape, const BoundCall& call,
                              BoundLaunch& out) const {
  for (std::size_t d = 0; d < 3; ++d) {
    const bool raw_block = shape.has_grid && shape.block[0] != 0;
    const bool raw_cluster = shape.has_grid && shape.cluster[0] != 0;
    if (raw_block) out.block[d] = shape.block[d];
    else BSC_RETURN_IF_ERROR(evaluate(launch.source->block[d], call, out.block[d]));
    if (raw_cluster) out.cluster[d] = shape.cluster[d];
    else BSC_RETURN_IF_ERROR(evaluate(launch.source->cluster[d], call, out.cluster[d]));
  }
  if (shape.has_grid && shape.shared_bytes != 0) out.shared_bytes = shape.shared_bytes;
  else BSC_RETURN_IF_ERROR(evaluate(launch.source->shared, call, out.shared_bytes));
  return check_block(launch, out);
}

Status LaunchPlan::bind_grid(const CompiledLaunch& launch, const LaunchShape& shape, const BoundCall& call,
                             BoundLaunch& out) const {
  if (shape.has_grid) {
    out.grid = shape.grid;
  } else {
    for (std::size_t d = 0; d < 3; ++d) BSC_RETURN_IF_ERROR(evaluate(launch.source->grid[d], call, out.grid[d]));
  }
  if (out.grid[0] == 0 || out.grid[1] == 0 || out.grid[2] == 0) return {};
  out.parts = 1;
  if (host_) {
    std::uint64_t items = 0;
    if (!product(out.grid, items)) [[unlikely]] {
      return beyond(concat("a grid of ", listed(out.grid), " items has more than 2^64 - 1"), "launch it in parts");
    }
    return {};
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t limit = device_->max_grid[d];
    if (limit == 0 || out.grid[d] <= limit) [[likely]] continue;
    if (d == 0 && launch.source->linear_grid) {
      out.parts = out.grid[0] / limit + (out.grid[0] % limit != 0);
      if (out.parts <= kMaxParts) continue;
    }
    return beyond(concat("a grid of ", listed(out.grid), " blocks exceeds the limit of device ", device_->id, ": ", limit,
                       " in dimension ", d, out.parts > 1 ? concat(", even in ", kMaxParts, " parts") : std::string()),
                  "launch it in parts, or use larger blocks");
  }
  return {};
}

Status LaunchPlan::check_block(const CompiledLaunch& launch, const BoundLaunch& shape) const {
  std::uint64_t threads = 0;
  const bool fits = product(shape.block, threads);
  if (fits && threads == 0) return wrong(concat("a block of ", listed(shape.block), " has no threads"), "use at least 1 in each dimension");
  if (host_) return {};
  const std::uint64_t limit = launch.max_block_threads;
  if (!fits || (limit != 0 && threads > limit)) {
    return beyond(concat("a block of ", listed(shape.block), " threads exceeds the limit of ", limit, " for function ",
                       launch.source->function, " on device ", device_->id),
                  "use smaller blocks");
  }
  for (std::size_t d = 0; d < 3; ++d) {
    if (device_->max_block[d] != 0 && shape.block[d] > device_->max_block[d]) {
      return beyond(concat("a block of ", listed(shape.block), " threads exceeds the limit of device ", device_->id, ": ",
                         device_->max_block[d], " in dimension ", d),
                    "use smaller blocks");
    }
  }
  if (device_->max_shared_bytes != 0 && shape.shared_bytes > device_->max_shared_bytes) {
    return beyond(concat(shape.shared_bytes, " bytes of shared memory exceed the limit of device ", device_->id, ": ",
                       device_->max_shared_bytes),
                  "use smaller blocks or tiles");
  }
  return {};
}

}  // namespace bascule::core
