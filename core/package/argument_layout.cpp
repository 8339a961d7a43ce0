// Layout of argument blobs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/argument_layout.hpp"

#include <algorithm>

#include "bascule/host_kernel.h"

namespace bascule::core {
namespace {

struct Shape {
  std::uint64_t bytes;
  std::uint64_t alignment;
};

Shape shape_of_buffer(BufferForm form) {
  if (form == BufferForm::span) return {sizeof(bsc_host_span), alignof(bsc_host_span)};
  return {8, 8};  // split: the length; address: where a plugin may put the address
}

Shape shape_of(const Contract& contract, const LaunchArgument& argument) {
  switch (argument.source) {
    case ArgumentSource::parameter: {
      const Parameter& parameter = contract.parameters[argument.parameter];
      if (parameter.kind == ParameterKind::buffer) return shape_of_buffer(argument.form);
      return {scalar_bytes(parameter.type), scalar_bytes(parameter.type)};
    }
    case ArgumentSource::value: return {scalar_bytes(argument.type), scalar_bytes(argument.type)};
    case ArgumentSource::workspace: return shape_of_buffer(argument.form);
    case ArgumentSource::block_offset: return {8, 8};
    case ArgumentSource::local: break;
  }
  return {0, 1};
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

ArgumentLayout lay_out_arguments(const Contract& contract, const Launch& launch) {
  ArgumentLayout layout;
  layout.places.reserve(launch.arguments.size());
  std::uint64_t largest = 1;
  for (const LaunchArgument& argument : launch.arguments) {
    const Shape shape = shape_of(contract, argument);
    layout.bytes = align_up(layout.bytes, shape.alignment);
    layout.places.push_back({layout.bytes, shape.bytes});
    layout.bytes += shape.bytes;
    largest = std::max(largest, shape.alignment);
  }
  layout.bytes = align_up(layout.bytes, largest);
  return layout;
}

}  // namespace bascule::core
