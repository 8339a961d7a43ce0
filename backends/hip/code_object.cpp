// The metadata of code objects, version 3 and later: a map in a note.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/hip/code_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "backends/common/gpu/elf.hpp"
#include "backends/hip/message_pack.hpp"

namespace bascule::gpu {
namespace {

constexpr std::uint16_t kMachine = 224;        // EM_AMDGPU
constexpr std::uint32_t kMetadataNote = 32;    // NT_AMDGPU_METADATA
constexpr std::string_view kTargetPrefix = "amdgcn-amd-amdhsa--";

// One argument: its place, unless the run time fills it.
bool read_argument(MessagePack& data, FunctionShape& kernel) {
  const auto pairs = data.map();
  if (!pairs) return false;
  Parameter parameter = {0, 0};
  bool hidden = false;
  for (std::uint64_t i = 0; i < *pairs; ++i) {
    const auto key = data.text();
    if (!key) return false;
    if (*key == ".offset" || *key == ".size") {
      const auto value = data.number();
      if (!value) return false;
      (*key == ".offset" ? parameter.offset : parameter.bytes) = *value;
    } else if (*key == ".value_kind") {
      const auto kind = data.text();
      if (!kind) return false;
      hidden = kind->starts_with("hidden_");
    } else if (!data.skip()) {
      return false;
    }
  }
  constexpr std::uint64_t kMost = 1 << 20;
  if (parameter.offset > kMost || parameter.bytes > kMost) return false;
  if (hidden) return true;
  kernel.parameters.push_back(parameter);
  kernel.argument_bytes = std::max(kernel.argument_bytes, parameter.offset + parameter.bytes);
  return true;
}

bool read_kernel(MessagePack& data, FunctionShape& kernel) {
  const auto pairs = data.map();
  if (!pairs) return false;
  kernel.parameters_known = true;
  for (std::uint64_t i = 0; i < *pairs; ++i) {
    const auto key = data.text();
    if (!key) return false;
    if (*key == ".name") {
      const auto name = data.text();
      if (!name) return false;
      kernel.name = *name;
    } else if (*key == ".args") {
      const auto count = data.array();
      if (!count) return false;
      for (std::uint64_t argument = 0; argument < *count; ++argument) {
        if (!read_argument(data, kernel)) return false;
      }
    } else if (!data.skip()) {
      return false;
    }
  }
  return !kernel.name.empty();
}

std::vector<std::string> split(const std::string& target) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= target.size();) {
    const std::size_t end = std::min(target.find(':', begin), target.size());
    parts.push_back(target.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

bool read_code_object(std::span<const std::byte> bytes, CodeObject& object) {
  ElfFile elf;
  if (!elf.open(bytes) || elf.machine() != kMachine) return false;
  const auto note = elf.note("AMDGPU", kMetadataNote);
  if (!note) return false;
  MessagePack data(*note);
  const auto pairs = data.map();
  if (!pairs) return false;
  for (std::uint64_t i = 0; i < *pairs; ++i) {
    const auto key = data.text();
    if (!key) return false;
    if (*key == "amdhsa.target") {
      const auto target = data.text();
      if (!target) return false;
      object.target = target->starts_with(kTargetPrefix) ? target->substr(kTargetPrefix.size()) : *target;
    } else if (*key == "amdhsa.kernels") {
      const auto count = data.array();
      if (!count) return false;
      for (std::uint64_t kernel = 0; kernel < *count; ++kernel) {
        FunctionShape shape;
        if (!read_kernel(data, shape)) return false;
        object.kernels.push_back(std::move(shape));
      }
    } else if (!data.skip()) {
      return false;
    }
  }
  return true;
}

bool target_fits(const std::string& image, const std::string& device, std::string& reason) {
  if (image.empty() || image.find("generic") != std::string::npos) return true;  // the driver knows
  const std::vector<std::string> wanted = split(image);
  const std::vector<std::string> present = split(device);
  if (wanted.front() != present.front()) {
    reason = fmt::format("it is for {}, the device is {}", image, device);
    return false;
  }
  // A feature that the image does not name may be either way.
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    if (std::find(present.begin() + 1, present.end(), wanted[i]) != present.end()) continue;
    const std::string feature = wanted[i].substr(0, wanted[i].size() - 1);
    reason = fmt::format("it is for {}, the device is {}: {} must be {}{}", image, device, feature,
                         wanted[i].ends_with('+') ? "on" : "off",
                         feature == "xnack" ? " (the kernel driver and HSA_XNACK set it)" : "");
    return false;
  }
  return true;
}

}  // namespace bascule::gpu
