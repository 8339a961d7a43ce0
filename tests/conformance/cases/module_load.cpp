// module.load, unload, function, function_info and function_name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

void expect_load_refused(Session& session, Image& image, std::initializer_list<bsc_status> allowed,
                         std::string_view what, Error& error) {
  bsc_plugin_module module = nullptr;
  error.reset();
  expect_refused(session.api.module->load(session.device, image.get(), &module, error.get()), error, allowed, what);
}

}  // namespace

CONFORMANCE_CASE(core, module_load, loads_the_suites_kernels) {
  Session session(context);
  Module module(session);
  expect(module.handle->api == &session.api && module.handle->magic == BSC_OBJECT_MAGIC &&
             module.handle->kind == BSC_OBJECT_MODULE,
         "dispatch pointer, magic or kind");
  for (const char* const name : {"fill_index_1", "echo_16", "axpy", "add_one"}) {
    const bsc_plugin_function function = module.function(name);
    expect(function->api == &session.api && function->magic == BSC_OBJECT_MAGIC &&
               function->kind == BSC_OBJECT_FUNCTION,
           "a function's dispatch pointer, magic or kind");
  }
  module.unload();
}

CONFORMANCE_CASE(core, module_load, loads_an_elf_image) {
  Session session(context);
  if (!session.has_format("host") || !session.computes()) skip("the device runs no host images");
  if (session.capability("host_elf_images") == 0) skip("the device takes host tables only");
  Image image = Image::host_elf();
  Module module(session, image);
  Memory memory(session, 64 * 4);
  Queue queue(session);
  std::vector<std::uint32_t> back(64);
  queue.run(Commands()
                .launch(module.function("fill_index_4"), module.items(64),
                        module.fill_index<std::uint32_t>(memory, 0, 64, 9))
                .read(memory, 0, back.data(), 64 * 4));
  expect(back[0] == 9 && back[63] == 72, "a kernel of an ELF image computed something else");
}

CONFORMANCE_CASE(core, module_load, refuses_an_empty_image) {
  Session session(context);
  Error error;
  Image image(session);
  image.is_host_table = false;
  image.bytes.clear();
  expect_load_refused(session, image, {BSC_INVALID_IMAGE, BSC_INVALID_ARGUMENT}, "an image of 0 bytes", error);
}

CONFORMANCE_CASE(core, module_load, refuses_garbage) {
  Session session(context);
  Error error;
  Image image(session);
  image.is_host_table = false;
  for (const std::size_t bytes : {1, 3, 64, 5000}) {
    image.bytes.assign(bytes, '\x01');
    for (std::size_t i = 0; i < bytes; ++i) image.bytes[i] = static_cast<char>(i * 37 + 1);
    expect_load_refused(session, image, {BSC_INVALID_IMAGE, BSC_BUILD_FAILED}, fmt::format("{} bytes of garbage", bytes),
                        error);
  }
}

CONFORMANCE_CASE(core, module_load, refuses_a_damaged_elf_image) {
  Session session(context);
  if (!session.has_format("host") || !session.computes()) skip("the device runs no host images");
  Error error;
  const Image whole = Image::host_elf();
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{64}, std::size_t{1000}, whole.bytes.size() / 2}) {
    Image image("host", whole.bytes.substr(0, bytes));
    expect_load_refused(session, image, {BSC_INVALID_IMAGE}, fmt::format("the first {} bytes of an ELF file", bytes),
                        error);
  }
  Image image("host", whole.bytes);
  image.bytes[4] = 1;  // 32-bit
  expect_load_refused(session, image, {BSC_INVALID_IMAGE}, "an ELF file of another class", error);
}

CONFORMANCE_CASE(core, module_load, refuses_an_unknown_format_and_names_it) {
  Session session(context);
  Error error;
  for (const char* const format : {"no-such-format", "", "HOST"}) {
    Image image(format, "something");
    expect_load_refused(session, image, {BSC_UNSUPPORTED, BSC_INVALID_ARGUMENT}, fmt::format("format \"{}\"", format),
                        error);
    expect_message(error, format, "an unknown format");
  }
}

CONFORMANCE_CASE(core, module_load, refuses_options_that_the_compiler_does_not_know) {
  Session session(context);
  Error error;
  Image image(session);
  if (image.format == "host") skip("host images are not compiled");
  image.options = "-no-such-option-of-any-compiler";
  expect_load_refused(session, image, {BSC_BUILD_FAILED, BSC_INVALID_ARGUMENT, BSC_INVALID_IMAGE}, "an unknown option",
                      error);
}

CONFORMANCE_CASE(core, module_load, a_build_failure_carries_the_log) {
  Session session(context);
  Error error;
  Image image(session);
  if (image.format == "opencl-c") {
    image.bytes = "__kernel void broken(__global float* x) { x[0] = undeclared_name_17; }\n";
    expect_load_refused(session, image, {BSC_BUILD_FAILED}, "a program with an undeclared name", error);
    expect_message(error, "undeclared_name_17", "a program with an undeclared name");
  } else if (image.format == "ptx") {
    image.bytes = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry broken() { undeclared_name_17; ret; }\n";
    expect_load_refused(session, image, {BSC_BUILD_FAILED, BSC_INVALID_IMAGE}, "a program with an unknown instruction", error);
    expect_message(error, "undeclared_name_17", "a program with an unknown instruction");
  } else if (image.format == "null") {
    image.bytes = "good 1\nbad line that is too long\n";
    expect_load_refused(session, image, {BSC_INVALID_IMAGE, BSC_BUILD_FAILED}, "a bad line", error);
    expect_message(error, "line 2", "a bad line");
  } else {
    skip("images of this format are not compiled");
  }
}

CONFORMANCE_CASE(core, module_load, borrows_the_image_for_the_call_only) {
  Session session(context);
  auto image = std::make_unique<Image>(session);
  Module module(session, *image);
  std::fill(image->bytes.begin(), image->bytes.end(), '#');
  std::fill(image->name.begin(), image->name.end(), '#');
  std::fill(image->format.begin(), image->format.end(), '#');
  const bsc_plugin_function function = module.function("fill_index_4");
  image.reset();
  expect(module.function("fill_index_4") == function, "the function moved");
  module.function("axpy");
}

CONFORMANCE_CASE(core, module_load, modules_are_independent) {
  Session session(context);
  Module first(session);
  Module second(session);
  const bsc_plugin_function kept = second.function("add_one");
  expect(first.function("add_one") != kept, "two modules share a function");
  first.unload();
  expect(second.function("add_one") == kept, "unloading one module changed another");
  Memory memory(session, 256);
  Queue queue(session);
  queue.run(Commands().launch(kept, second.items(64), second.arguments().buffer(memory, 0, 64, 4)));
}

CONFORMANCE_CASE(core, module_load, works_from_many_threads) {
  Session session(context);
  const Image needed(session);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      try {
        for (int i = 0; i < 3; ++i) {
          Module module(session);
          module.function("axpy");
          module.unload();
        }
      } catch (const std::exception&) {
        ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, "a load failed");
}

CONFORMANCE_CASE(core, module_load, accepts_a_larger_struct_and_unknown_extensions) {
  Session session(context);
  Image image(session);
  Guarded<bsc_plugin_image> larger(BSC_STRUCT_IMAGE, sizeof(bsc_plugin_image) + 64);
  const bsc_plugin_image* const fields = image.get();
  std::memcpy(reinterpret_cast<char*>(larger.get()) + sizeof(bsc_struct),
              reinterpret_cast<const char*>(fields) + sizeof(bsc_struct), sizeof *fields - sizeof(bsc_struct));
  const bsc_struct extension = {sizeof extension, 0x7FFF0006u, fields->header.next};
  larger.get()->header.next = &extension;
  Error error;
  bsc_plugin_module module = nullptr;
  expect_ok(session.api.module->load(session.device, larger.get(), &module, error.get()), error, "a larger image struct");
  expect_ok(session.api.module->unload(module, error.get()), error, "module.unload");
}

CONFORMANCE_CASE(core, module_load, refuses_handles_that_are_none) {
  Session session(context);
  Image image(session);
  Error error;
  bsc_plugin_module module = nullptr;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_DEVICE)) {
    error.reset();
    expect_refused(session.api.module->load(bad.handle, image.get(), &module, error.get()), error, {BSC_INVALID_HANDLE},
                   bad.what);
  }
}

CONFORMANCE_CASE(core, module_unload, refuses_handles_that_are_none) {
  Session session(context);
  Error error;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_MODULE)) {
    error.reset();
    expect_refused(session.api.module->unload(bad.handle, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, module_unload, refuses_an_unloaded_module) {
  Session session(context);
  Module module(session);
  const bsc_plugin_module stale = module.handle;
  module.unload();
  Error error;
  expect_refused(session.api.module->unload(stale, error.get()), error, {BSC_INVALID_HANDLE}, "a second unload");
}

CONFORMANCE_CASE(core, module_unload, ends_the_modules_functions) {
  Session session(context);
  Module module(session);
  const bsc_plugin_module stale = module.handle;
  const bsc_plugin_function function = module.function("axpy");
  module.unload();
  Error error;
  bsc_plugin_function again = nullptr;
  expect_refused(session.api.module->function(stale, "axpy", &again, error.get()), error, {BSC_INVALID_HANDLE},
                 "a function of an unloaded module");
  if (session.api.module->function_info == nullptr) return;
  bsc_plugin_function_info info = {};
  info.header = {sizeof info, BSC_STRUCT_FUNCTION_INFO, nullptr};
  error.reset();
  expect_refused(session.api.module->function_info(function, &info, error.get()), error, {BSC_INVALID_HANDLE},
                 "info of a function whose module was unloaded");
}

CONFORMANCE_CASE(core, module_function, gives_the_same_handle_each_time) {
  Session session(context);
  Module module(session);
  const bsc_plugin_function axpy = module.function("axpy");
  const bsc_plugin_function other = module.function("add_one");
  expect(axpy != other, "two functions share a handle");
  expect(module.function("axpy") == axpy && module.function("add_one") == other, "the handle changed");
}

CONFORMANCE_CASE(core, module_function, refuses_unknown_names) {
  Session session(context);
  Module module(session);
  Error error;
  bsc_plugin_function function = nullptr;
  for (const char* const name : {"no_such_function", "AXPY", "axp", "axpy ", ""}) {
    error.reset();
    expect_refused(session.api.module->function(module.handle, name, &function, error.get()), error, {BSC_NOT_FOUND},
                   fmt::format("the function \"{}\"", name));
  }
}

CONFORMANCE_CASE(core, module_function, names_what_there_is) {
  Session session(context);
  Module module(session);
  Error error;
  bsc_plugin_function function = nullptr;
  expect_refused(session.api.module->function(module.handle, "no_such_function", &function, error.get()), error,
                 {BSC_NOT_FOUND}, "an unknown function");
  for (const char* const name : {"no_such_function", "axpy", "fill_index_4", "add_one"}) {
    expect_message(error, name, "an unknown function");
  }
}

CONFORMANCE_CASE(core, module_function_info, is_right_or_says_unknown) {
  Session session(context);
  if (session.api.module->function_info == nullptr) skip("the plugin has no module.function_info");
  Module module(session);
  for (const char* const name : {"axpy", "add_one", "fill_index_4", "echo_8"}) {
    bsc_plugin_function_info info = {};
    info.header = {sizeof info, BSC_STRUCT_FUNCTION_INFO, nullptr};
    Error error;
    expect_ok(session.api.module->function_info(module.function(name), &info, error.get()), error, "function_info");
    // A split buffer is three of the kernel's parameters.
    const std::uint64_t arguments = argument_count_of(name);
    const std::uint64_t split = arguments + 2 * (std::string_view(name) == "axpy" ? 2 : 1);
    expect(info.argument_count == UINT64_MAX || info.argument_count == arguments || info.argument_count == split,
           fmt::format("{} takes {} arguments, not {}", name, arguments, info.argument_count));
    expect(info.max_block_threads <= session.info.max_block_threads || module.format == "host",
           "a function takes larger blocks than its device");
  }
}

CONFORMANCE_CASE(core, module_function_info, writes_nothing_beyond_the_given_size) {
  Session session(context);
  if (session.api.module->function_info == nullptr) skip("the plugin has no module.function_info");
  Module module(session);
  for (const std::size_t known : {sizeof(bsc_struct), offsetof(bsc_plugin_function_info, argument_bytes)}) {
    Guarded<bsc_plugin_function_info> info(BSC_STRUCT_FUNCTION_INFO, known);
    Error error;
    expect_ok(session.api.module->function_info(module.function("axpy"), info.get(), error.get()), error, "function_info");
    expect(info.guard_intact(), fmt::format("a struct of {} bytes was written beyond its end", known));
  }
}

CONFORMANCE_CASE(core, module_function_name, lists_every_function_once) {
  Session session(context);
  if (session.api.module->function_name == nullptr) skip("the plugin has no module.function_name");
  Module module(session);
  std::set<std::string> names;
  for (std::uint64_t index = 0;; ++index) {
    const char* name = nullptr;
    Error error;
    const bsc_status status = session.api.module->function_name(module.handle, index, &name, error.get());
    if (status != BSC_OK) {
      expect_refused(status, error, {BSC_NOT_FOUND}, "the name behind the last");
      break;
    }
    expect(name != nullptr && names.insert(name).second, "a name is null or stands twice");
    expect(index < 1000, "the names do not end");
  }
  for (const char* const name : {"axpy", "add_one", "fill_index_1", "echo_mixed"}) {
    expect(names.contains(name), fmt::format("{} is missing among the names", name));
  }
}

}  // namespace bascule::conformance
