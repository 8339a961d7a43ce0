// A variant's plan, compiled for one device: turns a call's arguments into plugin commands without allocating.
//
// Use: compile() once per loaded kernel and set_function() for each launch. Then for each call bind() (checks the arguments
// against the contract and evaluates the shapes), get bound.workspace_bytes of memory if that is not 0, and fill() the
// commands into storage of the sizes that storage_for() names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bascule/plugin.h"
#include "core/base/error.hpp"
#include "core/package/choice.hpp"
#include "core/package/variant.hpp"

namespace bascule::core {

// An argument of a call. The caller has checked that the range of a buffer lies inside its memory.
struct BoundArgument {
  bool is_buffer = false;
  const void* value = nullptr;         // scalar
  std::uint64_t bytes = 0;             // of the scalar, or of the buffer range
  bsc_plugin_memory memory = nullptr;  // may be null when bytes == 0
  std::uint64_t offset = 0;
};

// What the caller says about the shape of the launch, beside the arguments.
struct LaunchShape {
  bool has_work_items = false;
  std::uint64_t work_items = 0;
  bool has_grid = false;  // raw: replaces the plan's grid, and its block, cluster and shared where those are not 0
  std::array<std::uint64_t, 3> grid{};
  std::array<std::uint64_t, 3> block{};
  std::array<std::uint64_t, 3> cluster{};
  std::uint64_t shared_bytes = 0;
  std::uint64_t flags = 0;  // BSC_LAUNCH_*, added to the plan's
};

struct BoundLaunch {
  std::array<std::uint64_t, 3> grid;
  std::array<std::uint64_t, 3> block;
  std::array<std::uint64_t, 3> cluster;
  std::uint64_t shared_bytes;
  std::uint64_t parts;  // commands it becomes: 0 left out or empty, more than 1 a split linear grid
};

// The result of bind(), on the caller's stack. Only what the plan uses is written.
struct BoundCall {
  BoundCall() {}  // leaves the arrays alone: they are large and mostly unused

  std::uint64_t workspace_bytes = 0;
  std::uint64_t command_count = 0;  // 0: nothing to do, an empty submission
  std::array<std::uint64_t, kMaxSlots> values;
  std::array<BoundLaunch, kMaxLaunches> launches;
};

class LaunchPlan {
 public:
  // What fill() needs. Alignment of the blob: 64 bytes.
  struct StorageSizes {
    std::uint64_t commands = 0;
    std::uint64_t arguments = 0;
    std::uint64_t blob_bytes = 0;
  };
  struct Storage {
    bsc_plugin_command* commands = nullptr;
    bsc_plugin_argument* arguments = nullptr;
    std::byte* blob = nullptr;
  };

  // `kernel` and `variant` (one of its variants) must outlive the plan.
  // Errors: BSC_LIMIT_EXCEEDED where a constant of the plan is beyond the device.
  static Result<LaunchPlan> compile(const Kernel& kernel, const Variant& variant, const DeviceTraits& device);

  std::size_t launch_count() const { return launches_.size(); }
  const std::string& function_name(std::size_t launch) const { return launches_[launch].source->function; }
  // max_block_threads: what the loaded function allows; 0: the device's limit. BSC_LIMIT_EXCEEDED if the plan's block is larger.
  Status set_function(std::size_t launch, bsc_plugin_function function, std::uint64_t max_block_threads);

  // Errors: BSC_INVALID_ARGUMENT (count, kind, size, offset, length, a requirement, arithmetic), BSC_LIMIT_EXCEEDED.
  Status bind(std::span<const BoundArgument> arguments, const LaunchShape& shape, BoundCall& out) const;

  // Of calls whose grids need no splitting: enough for stack storage of a fixed size.
  const StorageSizes& usual_storage() const { return usual_storage_; }
  StorageSizes storage_for(const BoundCall& bound) const;

  // Writes bound.command_count commands, which point into `storage`. `arguments` and `shape` are those given to bind().
  Status fill(std::span<const BoundArgument> arguments, const LaunchShape& shape, const BoundCall& bound,
              bsc_plugin_memory workspace, std::uint64_t workspace_offset, const Storage& storage) const;

 private:
  struct ParameterCheck {
    bool is_buffer;
    bool used_in_expressions;
    bool used_signed;         // a negative value has no meaning in an expression
    std::uint8_t shift;       // log2 of the element size
    std::uint8_t load_bytes;  // integer scalars that expressions use
    std::uint64_t bytes;      // of a scalar
  };
  struct Argument {
    ArgumentSource source;
    std::uint8_t value_bytes;
    std::uint32_t parameter;
    std::uint32_t shift;  // log2 of the element size: turns the bytes of a split buffer into its length
    bsc_plugin_argument prepared;
    const LaunchArgument* planned;
  };
  struct CompiledLaunch {
    const Launch* source;
    bsc_plugin_function function;
    std::uint64_t max_block_threads;
    std::uint64_t blob_bytes;
    std::uint64_t flags;
    bool fixed_shape;  // block, cluster and shared are constants, checked once
    BoundLaunch fixed;        // what is constant of the shape
    std::array<bool, 3> grid_fixed;
    std::vector<Argument> arguments;
  };

  struct LengthCheck {
    const Expression* least;
    std::uint32_t slot;  // of the buffer
  };

  LaunchPlan() = default;

  void add_parameters();
  Status add_launch(const Launch& launch);
  bool uses_slot(std::uint32_t slot) const;

  static bool fits(const BoundArgument& argument, const ParameterCheck& check) noexcept;
  bool bind_usual(std::span<const BoundArgument> arguments, const LaunchShape& shape, BoundCall& out) const noexcept;
  bool bind_usual_launch(const CompiledLaunch& launch, const std::uint64_t* values, BoundLaunch& out) const noexcept;
  Status bind_with_reasons(std::span<const BoundArgument> arguments, const LaunchShape& shape, BoundCall& out) const;
  Status load_values(std::span<const BoundArgument> arguments, BoundCall& out) const;
  Status check_argument(std::size_t index, const BoundArgument& argument) const;
  Status check_contract(const BoundCall& bound) const;
  Status bind_launch(const CompiledLaunch& launch, const LaunchShape& shape, const BoundCall& call, BoundLaunch& out) const;
  Status bind_shape(const CompiledLaunch& launch, const LaunchShape& shape, const BoundCall& call, BoundLaunch& out) const;
  Status bind_grid(const CompiledLaunch& launch, const LaunchShape& shape, const BoundCall& call, BoundLaunch& out) const;
  Status check_block(const CompiledLaunch& launch, const BoundLaunch& shape) const;
  Status evaluate(const Expression& expression, const BoundCall& call, std::uint64_t& out) const;
  static void fill_parameter(const Argument& argument, const BoundArgument& given, std::byte* place,
                             bsc_plugin_argument& out) noexcept;
  static void write_buffer_place(const Argument& argument, const bsc_plugin_argument& out, std::byte* place) noexcept;
  Status fill_derived(const Argument& argument, const BoundCall& call, bsc_plugin_memory workspace,
                      std::uint64_t workspace_offset, std::uint64_t block_offset, std::byte* place,
                      bsc_plugin_argument& out) const;
  Error named(Error error) const;  // adds kernel and variant
  Error wrong(std::string message, std::string remedy) const;
  Error beyond(std::string message, std::string remedy) const;

  const Kernel* kernel_ = nullptr;
  const Variant* variant_ = nullptr;
  std::shared_ptr<const DeviceTraits> device_;
  bool host_ = false;
  bool needs_work_items_ = false;
  bool checks_contract_ = false;
  std::array<std::uint64_t, kFirstParameterSlot> device_values_{};
  bool usual_ = true;  // the shape of every launch is fixed but for its grid
  std::vector<ParameterCheck> parameters_;
  std::vector<const Expression*> requirements_;
  std::vector<LengthCheck> lengths_;
  std::vector<CompiledLaunch> launches_;
  StorageSizes usual_storage_;
};

}  // namespace bascule::core
