// Building the commands of a submission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>
#include <bascule/plugin.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace bascule::conformance {

bsc_plugin_command make_command(std::uint32_t kind);

// A launch's arguments, laid out as plugin.h says.
class Arguments {
 public:
  explicit Arguments(bool split_buffers) : split_(split_buffers) {}

  template <class T>
  Arguments& value(const T& item) {
    return bytes(&item, sizeof item, sizeof item);
  }
  // `length`: in elements.
  Arguments& buffer(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t length, std::uint64_t element_bytes);
  Arguments& local(std::uint64_t bytes);
  Arguments& bytes(const void* data, std::uint64_t size, std::uint64_t alignment);

  std::vector<bsc_plugin_argument> list;
  std::vector<unsigned char> blob;

 private:
  std::uint64_t reserve(std::uint64_t size, std::uint64_t alignment);
  bool split_;
};

struct Shape {
  std::array<std::uint64_t, 3> grid = {1, 1, 1};
  std::array<std::uint64_t, 3> block = {1, 1, 1};
  std::uint64_t shared_bytes = 0;
};

class Commands {
 public:
  Commands& copy(bsc_plugin_memory source, std::uint64_t source_offset, bsc_plugin_memory destination,
                 std::uint64_t destination_offset, std::uint64_t bytes);
  Commands& write(bsc_plugin_memory memory, std::uint64_t offset, const void* host, std::uint64_t bytes);
  Commands& read(bsc_plugin_memory memory, std::uint64_t offset, void* host, std::uint64_t bytes);
  Commands& fill(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t bytes, const void* pattern,
                 std::uint32_t pattern_bytes);
  Commands& wait(bsc_plugin_queue queue, std::uint64_t value);
  Commands& launch(bsc_plugin_function function, const Shape& shape, Arguments arguments);
  Commands& add(const bsc_plugin_command& command);

  bsc_plugin_command& last() { return list_.back(); }
  const std::vector<bsc_plugin_command>& list() const { return list_; }
  // Points into this object.
  bsc_plugin_submission submission(std::uint64_t flags = 0) const;

 private:
  std::vector<bsc_plugin_command> list_;
  std::vector<std::shared_ptr<const Arguments>> arguments_;  // stay where they are, also when this is copied
};

}  // namespace bascule::conformance
