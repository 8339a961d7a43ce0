// Compiling through the driver's linker, which gives the machine code away.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/compiler.hpp"

#include <cstring>

#include "backends/common/options.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

constexpr std::size_t kLogBytes = 64 * 1024;

// A driver's options are two arrays: numbers, and values that are pointers or numbers in the place of one.
class DriverOptions {
 public:
  void add(int option, void* value) {
    names_.push_back(option);
    values_.push_back(value);
  }
  void add(int option, std::size_t number) { add(option, reinterpret_cast<void*>(number)); }

  unsigned count() const { return static_cast<unsigned>(names_.size()); }
  int* names() { return names_.data(); }
  void** values() { return values_.data(); }

 private:
  std::vector<int> names_;
  std::vector<void*> values_;
};

class LinkState {
 public:
  explicit LinkState(Device& device) : device_(device) {}
  ~LinkState() {
    if (handle != nullptr) device_.release(device_.api().link_destroy, handle);
  }
  LinkState(const LinkState&) = delete;
  LinkState& operator=(const LinkState&) = delete;

  Handle handle = nullptr;

 private:
  Device& device_;
};

bsc_status build_failed(Device& device, const std::string& name, CallResult failed, const std::string& log,
                        bsc_plugin_error* error) {
  device.note(failed);
  const ResultCode& result = result_of(failed.code);
  const bsc_status status = result.status == BSC_INTERNAL || result.status == BSC_INVALID_IMAGE ? BSC_BUILD_FAILED : result.status;
  const std::string code_name = result_name(failed.code);
  const std::string text(log.c_str());
  return backend::fill_vendor_error(error, status, failed.call, {failed.code, code_name}, "compiling {} for {} failed with {}{}{}:\n{}",
                                    name, device.properties.name, code_name, *result.remedy != '\0' ? ": " : "", result.remedy,
                                    text.empty() ? "(the compiler left no log)" : text);
}

}  // namespace

bsc_status parse_compiler_options(std::string_view text, CompilerOptions& options, bsc_plugin_error* error) {
  constexpr std::string_view kRegisters = "-maxrregcount=";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (word.size() == 3 && word.starts_with("-O") && word[2] >= '0' && word[2] <= '4') {
      options.optimisation = word[2] - '0';
      continue;
    }
    const auto registers = word.starts_with(kRegisters) ? backend::parse_integer(word.substr(kRegisters.size())) : std::nullopt;
    if (!registers || *registers < 1 || *registers > 255) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "module.load",
                        "the option \"{}\" is unknown; the driver's compiler takes -O0 to -O4 and -maxrregcount=1 to 255", word);
    }
    options.max_registers = static_cast<int>(*registers);
  }
  return BSC_OK;
}

bsc_status compile_text(Device& device, std::string_view text, const std::string& name, const CompilerOptions& options,
                        std::vector<std::byte>& binary, bsc_plugin_error* error) {
  const Api& api = device.api();
  const Vendor& v = vendor();
  std::string log(kLogBytes, '\0');
  DriverOptions given;
  given.add(v.option_error_log, log.data());
  given.add(v.option_error_log_bytes, log.size());
  if (options.optimisation >= 0) given.add(v.option_optimisation, static_cast<std::size_t>(options.optimisation));
  if (options.max_registers >= 0) given.add(v.option_max_registers, static_cast<std::size_t>(options.max_registers));

  LinkState state(device);
  int code = api.link_create(given.count(), given.names(), given.values(), &state.handle);
  if (code != 0) return build_failed(device, name, {code, api.link_create.name}, log, error);
  std::string copy(text);  // the driver wants it to end with a zero
  code = api.link_add(state.handle, v.link_input_text, copy.data(), copy.size() + 1, name.c_str(), 0, nullptr, nullptr);
  if (code != 0) return build_failed(device, name, {code, api.link_add.name}, log, error);
  void* image = nullptr;
  std::size_t bytes = 0;
  code = api.link_complete(state.handle, &image, &bytes);
  if (code != 0) return build_failed(device, name, {code, api.link_complete.name}, log, error);
  const auto* const first = static_cast<const std::byte*>(image);
  binary.assign(first, first + bytes);
  return BSC_OK;
}

}  // namespace bascule::gpu
