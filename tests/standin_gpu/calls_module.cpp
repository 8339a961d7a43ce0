// The stand-in's modules: checked when they are loaded, refused when they are launched. Executing them would start in launch().
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "tests/standin_gpu/image_check.hpp"
#include "tests/standin_gpu/machine.hpp"

namespace bascule::standin::calls {
namespace {

constexpr int kInvalidValue = 1;
constexpr int kNoBinary = 209;
constexpr int kInvalidText = 218;
constexpr int kNotFound = 500;
constexpr int kNotSupported = 801;

constexpr int kErrorLog = 5;
constexpr int kErrorLogBytes = 6;

// What the stand-in's compiler makes of a text.
constexpr std::string_view kMachineCode = "stand-in machine code\n";

struct Link {
  std::string text;
  char* log = nullptr;
  std::size_t log_bytes = 0;
};

}  // namespace

int module_load(void** module, const void* image, unsigned, int*, void**) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  auto made = std::make_unique<Module>();
  const auto* const text = static_cast<const char*>(image);
  if (std::strncmp(text, kMachineCode.data(), kMachineCode.size()) == 0) {
    if (m.state.refuse_machine_code) return kNoBinary;
  } else if (const int code = check_image(image, m.state.devices.front().architecture); code != 0) {
    return code;
  }
  *module = m.own(made.release());
  return 0;
}

int module_unload(void* module) {
  const std::lock_guard lock(machine().mutex);
  machine().destroy(module);
  return 0;
}

int module_function(void** function, void* module, const char* name) {
  const std::lock_guard lock(machine().mutex);
  if (std::string_view(name) == "absent") return kNotFound;
  auto& functions = static_cast<Module*>(module)->functions;
  functions.push_back(new std::string(name));
  *function = functions.back();
  return 0;
}

int function_attribute(int* value, int attribute, void*) {
  switch (attribute) {
    case 0: *value = 512; return 0;
    case 1: *value = 1024; return 0;
    case 4: *value = 40; return 0;
    default: *value = 0; return 0;
  }
}

int function_set_attribute(void*, int, int) { return 0; }
int function_load(void*) { return 0; }
int function_parameter(void*, std::size_t, std::size_t*, std::size_t*) { return kInvalidValue; }

int function_occupancy(int* blocks, void*, int threads, std::size_t) {
  *blocks = threads <= 0 ? 0 : 2048 / threads;
  return 0;
}

int link_create(unsigned count, int* options, void** values, void** state) {
  const std::lock_guard lock(machine().mutex);
  auto* const link = machine().own(new Link);
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kErrorLog) link->log = static_cast<char*>(values[i]);
    if (options[i] == kErrorLogBytes) link->log_bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  *state = link;
  return 0;
}

int link_add(void* state, int, void* data, std::size_t, const char* name, unsigned, int*, void**) {
  auto& link = *static_cast<Link*>(state);
  const auto* const text = static_cast<const char*>(data);
  if (std::strstr(text, "gibberish") != nullptr) {
    if (link.log != nullptr) std::snprintf(link.log, link.log_bytes, "%s, line 1: gibberish", name);
    return kInvalidText;
  }
  link.text = std::string(kMachineCode) + text;
  return 0;
}

int link_complete(void* state, void** image, std::size_t* bytes) {
  auto& link = *static_cast<Link*>(state);
  *image = link.text.data();
  *bytes = link.text.size() + 1;
  return 0;
}

int link_destroy(void* state) {
  const std::lock_guard lock(machine().mutex);
  machine().destroy(state);
  return 0;
}

int launch(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) {
  return kNotSupported;
}
int launch_extended(const void*, void*, void**, void**) { return kNotSupported; }
int launch_cooperative(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**) {
  return kNotSupported;
}

}  // namespace bascule::standin::calls
