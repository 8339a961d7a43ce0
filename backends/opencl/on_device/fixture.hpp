// What the tests on a real OpenCL device share: the opened plugin, called through its tables alone as the host calls it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace bascule::opencl::test {

// A host with an in-memory cache that counts.
struct Host {
  Host();
  bsc_host_services services = {};
  std::mutex mutex;
  std::map<std::string, std::vector<std::byte>> cache;
  std::string log;
  int hits = 0;
  int puts = 0;
};

struct Options {
  std::vector<bsc_plugin_option_value> values;
};

inline Options option(const char* name, const char* value) { return {{{name, value}}}; }

// An open instance and its first device. `status` != OK: it could not be opened, `error` says why.
class Opened {
 public:
  explicit Opened(const Options& options = {}, const char* driver_path = nullptr);
  ~Opened();
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  Host host;
  bsc_status status = BSC_OK;
  bsc_plugin_error error = {};
  const bsc_plugin_api* api = nullptr;
  bsc_plugin_instance instance = nullptr;
  std::vector<bsc_plugin_device> devices;
  bsc_plugin_device device = nullptr;

  bsc_plugin_device_info info(bsc_plugin_device of = nullptr);
  bsc_plugin_memory memory(std::uint64_t bytes, std::uint32_t type = BSC_MEMORY_DEVICE, bsc_plugin_device on = nullptr);
  bsc_plugin_queue queue(bsc_plugin_device on = nullptr);
  bsc_status load(const std::string& source, bsc_plugin_module& module, const char* options = "",
                  bsc_plugin_device on = nullptr);
  bsc_plugin_module module(const std::string& source, bsc_plugin_device on = nullptr);
  bsc_plugin_function function(bsc_plugin_module module, const char* name);

  bsc_status submit(bsc_plugin_queue queue, const std::vector<bsc_plugin_command>& commands, std::uint64_t* value = nullptr,
                    std::uint64_t flags = 0);
  bsc_status wait(bsc_plugin_queue queue, std::uint64_t value, std::uint64_t timeout_ns = BSC_WAIT_FOREVER);
  bsc_status finish(bsc_plugin_queue queue);  // waits for the last submission through an empty one

  template <class T>
  std::vector<T> read(bsc_plugin_queue queue, bsc_plugin_memory memory, std::size_t count, std::uint64_t offset = 0);
  template <class T>
  void write(bsc_plugin_queue queue, bsc_plugin_memory memory, const std::vector<T>& values, std::uint64_t offset = 0);

  std::string message() const { return error.message; }

 private:
  void transfer(std::uint32_t kind, bsc_plugin_queue queue, bsc_plugin_memory memory, void* host_data, std::uint64_t bytes,
                std::uint64_t offset);
};

bsc_plugin_command read_command(bsc_plugin_memory memory, void* host, std::uint64_t bytes, std::uint64_t offset = 0);
bsc_plugin_command write_command(bsc_plugin_memory memory, const void* host, std::uint64_t bytes, std::uint64_t offset = 0);
bsc_plugin_command copy_command(bsc_plugin_memory from, std::uint64_t from_offset, bsc_plugin_memory to,
                                std::uint64_t to_offset, std::uint64_t bytes);
bsc_plugin_command fill_command(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t bytes, const void* pattern,
                                std::uint32_t pattern_bytes);
bsc_plugin_command wait_command(bsc_plugin_queue queue, std::uint64_t value);

// Arguments of a launch with their blob; kept alive until the submission has been made.
class Launch {
 public:
  Launch(bsc_plugin_function function, std::uint64_t grid, std::uint64_t block) {
    launch.function = function;
    launch.grid[0] = grid;
    launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = block;
    launch.block[1] = launch.block[2] = 1;
  }
  template <class T>
  Launch& value(T value) {
    add({BSC_ARGUMENT_VALUE, 0, append(value), sizeof value, 0, nullptr});
    return *this;
  }
  Launch& buffer(bsc_plugin_memory memory, std::uint64_t bytes, std::uint64_t offset = 0) {
    add({BSC_ARGUMENT_BUFFER, 0, append(std::uint64_t{0}), bytes, offset, memory});
    return *this;
  }
  Launch& split(bsc_plugin_memory memory, std::uint64_t length, std::uint64_t element_bytes, std::uint64_t offset = 0) {
    add({BSC_ARGUMENT_BUFFER, BSC_ARGUMENT_SPLIT, append(length), length * element_bytes, offset, memory});
    return *this;
  }
  Launch& local(std::uint64_t bytes) {
    add({BSC_ARGUMENT_LOCAL, 0, 0, bytes, 0, nullptr});
    return *this;
  }
  bsc_plugin_command command();

  bsc_plugin_launch launch = {};

 private:
  void add(bsc_plugin_argument argument) { arguments_.push_back(argument); }
  template <class T>
  std::uint64_t append(T value) {
    const std::size_t at = (blob_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    blob_.resize(at + sizeof value);
    std::memcpy(blob_.data() + at, &value, sizeof value);
    return at;
  }

  std::vector<bsc_plugin_argument> arguments_;
  std::vector<std::byte> blob_;
};

template <class T>
std::vector<T> Opened::read(bsc_plugin_queue queue, bsc_plugin_memory memory, std::size_t count, std::uint64_t offset) {
  std::vector<T> values(count);
  transfer(BSC_COMMAND_READ, queue, memory, values.data(), count * sizeof(T), offset);
  return values;
}

template <class T>
void Opened::write(bsc_plugin_queue queue, bsc_plugin_memory memory, const std::vector<T>& values, std::uint64_t offset) {
  transfer(BSC_COMMAND_WRITE, queue, memory, const_cast<T*>(values.data()), values.size() * sizeof(T), offset);
}

}  // namespace bascule::opencl::test
