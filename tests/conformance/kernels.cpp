// Images and modules.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/kernels.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "tests/conformance/kernels/conformance.cl.hpp"
#include "tests/conformance/kernels/host_kernels.hpp"
#include "tests/conformance/kernels/ptx_kernels.hpp"
#include "tests/conformance/plugin_library.hpp"

namespace bascule::conformance {
namespace {

struct KernelNames {
  const char* name;
  std::uint64_t arguments;
};
// Names and argument counts, as the null plugin's image states them.
constexpr KernelNames kKernels[] = {{"fill_index_1", 2}, {"fill_index_2", 2}, {"fill_index_4", 2}, {"fill_index_8", 2},
                                    {"echo_1", 4},       {"echo_2", 4},       {"echo_4", 4},       {"echo_8", 4},
                                    {"echo_16", 4},      {"echo_mixed", 6},   {"axpy", 3},         {"add_one", 1},
                                    {"reverse_block", 2}, {"spin", 2}};

std::string null_image() {
  std::string text;
  for (const auto& [name, arguments] : kKernels) text += fmt::format("{} {}\n", name, arguments);
  return text;
}

}  // namespace

std::uint64_t argument_count_of(std::string_view function) {
  for (const auto& [name, arguments] : kKernels) {
    if (function == name) return arguments;
  }
  return UINT64_MAX;
}

std::string_view Image::best_format(const Session& session) {
  for (std::uint64_t i = 0; i < session.info.format_count; ++i) {
    const std::string_view format = session.info.formats[i];
    if (format == "null" || format == "host" || format == "opencl-c" || format == "ptx") return format;
  }
  return "";
}

Image::Image(const Session& session) : format(best_format(session)) {
  if (format.empty()) skip("the suite has no kernels in a format of this device");
  if (format == "null") bytes = null_image();
  if (format == "opencl-c") bytes = embedded::kernels_conformance_cl;
  if (format == "ptx") bytes = ptx_kernels();
  is_host_table = format == "host";
}

Image::Image(std::string_view image_format, std::string image_bytes)
    : format(image_format), bytes(std::move(image_bytes)) {}

Image Image::host_elf() {
  const std::string path = program_directory() + "/bascule-conform-kernels.so";
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  expect(!text.empty(), fmt::format("the suite's own file {} is missing", path));
  return Image("host", std::move(text));
}

const bsc_plugin_image* Image::get() {
  raw_ = {};
  raw_.header = {sizeof raw_, BSC_STRUCT_IMAGE, nullptr};
  raw_.format = format.c_str();
  raw_.data = bytes.empty() ? nullptr : bytes.data();
  raw_.bytes = bytes.size();
  raw_.options = options.c_str();
  raw_.name = name.c_str();
  if (is_host_table) {
    table_.header = {sizeof table_, BSC_STRUCT_HOST_TABLE_IMAGE, nullptr};
    table_.table = host_kernel_table();
    raw_.header.next = &table_.header;
  }
  return &raw_;
}

Module::Module(Session& owner) : session(owner) {
  Image image(session);
  load(session.device, image);
}

Module::Module(Session& owner, Image& image) : session(owner) { load(session.device, image); }

Module::Module(Session& owner, bsc_plugin_device device) : session(owner) {
  Image image(session);
  load(device, image);
}

void Module::load(bsc_plugin_device device, Image& image) {
  format = image.format;
  Error error;
  expect_ok(session.api.module->load(device, image.get(), &handle, error.get()), error, "module.load");
}

Module::~Module() {
  if (handle != nullptr && session.instance != nullptr) session.api.module->unload(handle, nullptr);
}

void Module::unload() {
  Error error;
  expect_ok(session.api.module->unload(std::exchange(handle, nullptr), error.get()), error, "module.unload");
}

bsc_plugin_function Module::function(const char* name, std::source_location where) const {
  Error error;
  bsc_plugin_function result = nullptr;
  expect_ok(session.api.module->function(handle, name, &result, error.get()), error, fmt::format("function {}", name),
            where);
  return result;
}

Shape Module::items(std::uint64_t count, std::uint64_t block) const {
  if (format == "host") return {{count, 1, 1}, {block, 1, 1}, 0};
  return {{(count + block - 1) / block, 1, 1}, {block, 1, 1}, 0};
}

OptionList slow_options(Context& context, std::uint64_t milliseconds) {
  if (!context.plugin.declares_option("execute_delay")) return {};
  return {{"execute_delay", fmt::format("{}ms", milliseconds)}};
}

SlowWork::SlowWork(Session& session, std::uint64_t milliseconds)
    : milliseconds_(milliseconds),
      by_option_(session.context.plugin.declares_option("execute_delay")),
      memory_(session, 64) {
  if (by_option_) return;
  const std::string_view format = Image::best_format(session);
  if (format != "host" && format != "opencl-c" && format != "ptx") skip("the suite knows no way to work that takes long on this device");
  module_ = std::make_unique<Module>(session);
}

Commands SlowWork::commands() {
  Commands commands;
  if (by_option_) return commands;
  constexpr std::uint64_t kStepsPerMillisecond = 500'000;
  const bool timed = module_->format != "opencl-c";
  const std::uint64_t amount = milliseconds_ * (timed ? 1'000'000 : kStepsPerMillisecond);
  commands.launch(module_->function(timed ? "nap" : "spin"), module_->items(1, 1),
                  module_->arguments().value(amount).buffer(memory_, 0, 1, sizeof(std::uint64_t)));
  return commands;
}

std::uint64_t SlowWork::submit(Queue& queue) { return queue.submit(commands()); }

}  // namespace bascule::conformance
