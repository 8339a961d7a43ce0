// A variant: one implementation of a contract, with the plan that turns a call into launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/package/contract.hpp"

namespace bascule::core {

inline constexpr std::size_t kMaxLaunches = 32;  // of one plan

enum class ArgumentSource : std::uint8_t { parameter, value, workspace, local, block_offset };

// How a kernel takes a buffer: as a bsc_host_span, as base + byte offset + length, or as a plain address.
enum class BufferForm : std::uint8_t { span, split, address };

struct LaunchArgument {
  ArgumentSource source = ArgumentSource::parameter;
  std::uint32_t parameter = 0;               // index in the contract
  BufferForm form = BufferForm::address;     // buffers and workspace slices
  ElementType type = ElementType::u64;       // of a value; of a workspace slice's elements
  Expression expression;                     // the value, the slice's byte offset, or the bytes of a local
  Expression bytes;                          // of a workspace slice
};

struct Launch {
  std::string function;
  std::array<Expression, 3> grid;     // blocks; format host: items
  std::array<Expression, 3> block;    // threads; format host: block[0] is the grain
  std::array<Expression, 3> cluster;  // all 1: none
  Expression shared;
  bool has_when = false;
  Expression when;                    // 0: the launch is left out
  bool linear_grid = false;
  bool cooperative = false;
  std::vector<LaunchArgument> arguments;
};

struct CapabilityNeed {
  std::string name;
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> at_most;
};

struct Constant {
  std::string name;
  std::uint64_t value = 0;
};

struct Variant {
  std::string name;
  std::string doc;
  std::string format;
  std::string target;          // "" matches every device of the format
  std::string variant_class;   // "portable", "tuned", "vendor-library"; "reference": runs only when forced
  std::string minimum_driver;  // "" or the lowest driver version, compared number by number
  std::uint64_t sub_group = 0; // required width; 0: any
  std::vector<CapabilityNeed> capabilities;
  std::vector<Constant> constants;
  bool bind_by_define = false;          // constants are handed to the compiler as -DNAME=VALUE
  std::string options;                  // of the format's compiler, as the author wrote them
  std::optional<std::uint32_t> image;   // none: the functions come from the table passed beside the package
  std::string image_file;               // in a source file only
  Expression workspace;                 // bytes
  bool clear_workspace = false;
  std::vector<Launch> launches;
  std::string hash;                     // 32 hex digits over image, options and plan

  // What the compiler is given: `options` and the bound constants.
  std::string compiler_options() const;
};

struct Kernel {
  Contract contract;
  std::vector<Variant> variants;
};

}  // namespace bascule::core
