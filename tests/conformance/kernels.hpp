// The suite's kernels on the device under test, in the first of its formats for which the suite has images: "host" (a
// table in this process, and an ELF image), "opencl-c", "ptx", or "null" (names only).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tests/conformance/session.hpp"

namespace bascule::conformance {

// An image and what it points to.
class Image {
 public:
  // Format of the device's list that the suite has; "" if none.
  static std::string_view best_format(const Session& session);
  // Skips the case if the device takes none of the suite's formats.
  explicit Image(const Session& session);
  // The ELF file of host kernels.
  static Image host_elf();
  Image(std::string_view format, std::string bytes);

  const bsc_plugin_image* get();

  std::string format;
  std::string bytes;    // empty for a host table
  std::string options;
  std::string name = "conformance kernels";
  bool is_host_table = false;

 private:
  bsc_plugin_image raw_ = {};
  bsc_plugin_host_table_image table_ = {};
};

class Module {
 public:
  explicit Module(Session& session);
  Module(Session& session, Image& image);
  Module(Session& session, bsc_plugin_device device);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  bsc_plugin_function function(const char* name, std::source_location where = std::source_location::current()) const;
  Arguments arguments() const { return Arguments(format == "opencl-c" || format == "ptx"); }
  // A launch of one thread per item.
  Shape items(std::uint64_t count, std::uint64_t block = 64) const;
  // Arguments of fill_index_<sizeof(T)>.
  template <class T>
  Arguments fill_index(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t length, T start) const {
    return arguments().buffer(memory, offset, length, sizeof(T)).value(start);
  }
  void unload();

  Session& session;
  bsc_plugin_module handle = nullptr;
  std::string format;

 private:
  void load(bsc_plugin_device device, Image& image);
};

// How many arguments the suite's kernel takes.
std::uint64_t argument_count_of(std::string_view function);

// Work that takes a while, where the plugin has a way to it: a nap in a host or PTX kernel, a spinning OpenCL kernel, or the null
// plugin's option execute_delay.
OptionList slow_options(Context& context, std::uint64_t milliseconds);

class SlowWork {
 public:
  // `session` must have been opened with slow_options(context, milliseconds).
  SlowWork(Session& session, std::uint64_t milliseconds);
  // Submits work that takes about that long; skips the case if there is no way to.
  std::uint64_t submit(Queue& queue);
  Commands commands();

 private:
  std::uint64_t milliseconds_;
  bool by_option_;
  Memory memory_;
  std::unique_ptr<Module> module_;
};

}  // namespace bascule::conformance
