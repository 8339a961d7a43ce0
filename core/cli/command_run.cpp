// `bascule run`: one raw image, arguments in order as given.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "console.hpp"
#include "npy.hpp"
#include "run_argument.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMaxImageBytes = 1u << 30;
constexpr std::uint64_t kMaxPrinted = 1024;  // elements that `-` prints before it says how many are left

struct FormatOfSuffix {
  const char* suffix;
  const char* format;
};
constexpr FormatOfSuffix kFormats[] = {{".cl", "opencl-c"}, {".so", "host"},  {".ptx", "ptx"},   {".cubin", "cubin"},
                                       {".hsaco", "hsaco"}, {".co", "hsaco"}, {".spv", "spirv"}, {".spirv", "spirv"}};

// FILE[:KERNEL]. A file whose name holds a ':' is found as it is.
std::pair<std::string, std::string> split_target(const std::string& target) {
  std::error_code error;
  const std::size_t colon = target.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(target, error)) return {target, ""};
  return {target.substr(0, colon), target.substr(colon + 1)};
}

std::string format_of(const std::string& file, const std::string& given) {
  if (!given.empty()) return given;
  std::string suffixes;
  for (const FormatOfSuffix& known : kFormats) {
    if (file.ends_with(known.suffix)) return known.format;
    suffixes += std::string(suffixes.empty() ? "" : " ") + known.suffix;
  }
  throw Failure(ExitCode::kUsage, file + ": its name does not tell the image's format", "name it with --format, or use one of " + suffixes);
}

std::vector<char> read_image(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw Failure(ExitCode::kUsage, path + ": " + (error ? error.message() : "is not a regular file"), "give the path of a kernel image");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (bytes > kMaxImageBytes) throw Failure(ExitCode::kUsage, path + ": is larger than 1 GiB", "give the path of a kernel image");
  std::ifstream file(path, std::ios::binary);
  std::vector<char> image(bytes);
  if (!file.read(image.data(), static_cast<std::streamsize>(bytes))) {
    throw Failure(ExitCode::kUsage, path + ": cannot be read", "check its permissions");
  }
  return image;
}

// --fill zero|nan|0xNN: the byte that outputs hold before the kernel runs. All ones is a NaN in every float format.
unsigned char fill_byte(const std::string& text) {
  if (text == "zero") return 0;
  if (text == "nan") return 0xff;
  std::vector<std::byte> value;
  if (text.starts_with("0x") && text.size() == 4) {
    append_value(ElementType::u8, text, value);
    return static_cast<unsigned char>(value[0]);
  }
  throw Failure(ExitCode::kUsage, "--fill '" + text + "' is not known", "give zero, nan or a byte such as 0xa5");
}

std::string kernel_of(bsc_module* module, const std::string& file, const std::string& given) {
  if (!given.empty()) return given;
  const char* first = bsc_module_function_name(module, 0);
  if (first != nullptr && bsc_module_function_name(module, 1) == nullptr) return first;
  std::string names;
  for (std::uint64_t i = 0; const char* name = bsc_module_function_name(module, i); ++i) names += (i ? ", " : "") + std::string(name);
  throw Failure(ExitCode::kUsage, file + ": which kernel?", names.empty() ? "name it: FILE:KERNEL" : "name one: " + file + ":KERNEL with " + names);
}

// Buffers of the arguments, null for values.
std::vector<BufferHandle> upload_arguments(bsc_device* device, bsc_queue* queue, const std::vector<RunArgument>& arguments,
                                           unsigned char fill) {
  std::vector<BufferHandle> buffers;
  for (const RunArgument& argument : arguments) {
    if (argument.kind == RunArgument::Kind::value) {
      buffers.push_back(nullptr);
      continue;
    }
    buffers.push_back(make<BufferHandle>([&](auto** out, auto** error) {
      return bsc_buffer_create(device, argument.buffer_bytes, BSC_BUFFER_DEVICE, out, error);
    }));
    require([&](bsc_error** error) {
      if (argument.initialised) {
        return bsc_queue_upload(queue, buffers.back().get(), 0, argument.data.data(), argument.data.size(), error);
      }
      return bsc_queue_fill(queue, buffers.back().get(), 0, argument.buffer_bytes, &fill, 1, nullptr, error);
    });
  }
  return buffers;
}

bsc_argument to_api(const RunArgument& argument, bsc_buffer* buffer) {
  if (argument.kind == RunArgument::Kind::value) return {BSC_ARG_VALUE, 0, argument.data.data(), argument.data.size(), nullptr, 0};
  return {BSC_ARG_BUFFER, static_cast<std::uint32_t>(size_of(argument.type)), nullptr, argument.buffer_bytes - argument.offset_bytes,
          buffer, argument.offset_bytes};
}

void print_elements(std::size_t index, const RunArgument& argument, const std::vector<std::byte>& data) {
  const std::uint64_t count = data.size() / size_of(argument.type);
  std::printf("[%zu] %s x %llu:", index, std::string(name_of(argument.type)).c_str(), static_cast<unsigned long long>(count));
  for (std::uint64_t i = 0; i < std::min(count, kMaxPrinted); ++i) {
    std::printf(" %s", format_element(argument.type, data.data() + i * size_of(argument.type)).c_str());
  }
  if (count > kMaxPrinted) std::printf(" ... (%llu more; write a .npy file for all)", static_cast<unsigned long long>(count - kMaxPrinted));
  std::printf("\n");
}

Json elements_as_json(const RunArgument& argument, const std::vector<std::byte>& data) {
  Json values = Json::array();
  for (std::size_t i = 0; i < data.size(); i += size_of(argument.type)) {
    const std::string text = format_element(argument.type, data.data() + i);
    const bool number = text.find_first_not_of("+-0123456789.e") == std::string::npos;
    values.push_back(number ? Json::parse(text) : Json(text));  // JSON has no nan and inf
  }
  return values;
}

// What only the cpu device's engine knows, as settings of its backend.
CommonOptions with_engine_options(const CommonOptions& common, const RunOptions& options) {
  CommonOptions result = common;
  const auto set = [&result](const char* option, const std::string& value) { result.settings.push_back(std::string("backend.cpu.") + option + "=" + value); };
  if (options.sanitize) set("sanitize", "true");
  if (options.seed != 0) set("seed", std::to_string(options.seed));
  if (options.trace) set("trace", "true");
  if (options.trace) result.verbosity = 3;
  if (options.statistics) set("statistics", "true");
  if (options.statistics) result.verbosity = std::max(result.verbosity, 1);
  return result;
}

// The library knows an image that it is handed by its format only.
std::string with_file_name(std::string message, const std::string& format, const std::string& file) {
  const std::string unnamed = "a module of format " + format;
  for (std::size_t at = 0; (at = message.find(unnamed, at)) != std::string::npos; at += file.size()) message.replace(at, unnamed.size(), file);
  return message;
}

ExitCode run_image(const CommonOptions& common, const RunOptions& options, const std::string& file, const std::string& kernel_name,
                   const std::string& format) {
  const std::vector<char> image = read_image(file);
  const unsigned char fill = fill_byte(options.fill);
  bsc_launch_options launch = {};
  launch.size = sizeof launch;
  parse_dimensions("--grid", options.grid, launch.grid);
  parse_dimensions("--block", options.block, launch.block);
  if (!options.cluster.empty()) parse_dimensions("--cluster", options.cluster, launch.cluster);
  launch.has_grid = 1;
  launch.shared_bytes = options.shared_bytes;
  launch.cooperative = options.cooperative ? 1 : 0;
  std::vector<RunArgument> arguments;
  for (const std::string& word : options.arguments) arguments.push_back(parse_run_argument(word));

  const InstanceHandle instance = open_instance(with_engine_options(common, options));
  bsc_device* device = bsc_instance_default_device(instance.get());
  const std::string device_id = info_of(device).id;
  const ModuleHandle module = make<ModuleHandle>([&](auto** out, auto** error) {
    return bsc_module_load(device, format.c_str(), image.data(), image.size(), options.build_options.c_str(), nullptr, out, error);
  });
  const std::string name = kernel_of(module.get(), file, kernel_name);
  const KernelHandle kernel =
      make<KernelHandle>([&](auto** out, auto** error) { return bsc_module_kernel(module.get(), name.c_str(), out, error); });

  bsc_queue_options queue_options = BSC_QUEUE_OPTIONS_INIT;
  queue_options.profile = options.time ? 1 : 0;
  const QueueHandle queue =
      make<QueueHandle>([&](auto** out, auto** error) { return bsc_queue_create(device, &queue_options, out, error); });
  const std::vector<BufferHandle> buffers = upload_arguments(device, queue.get(), arguments, fill);
  std::vector<bsc_argument> launch_arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) launch_arguments.push_back(to_api(arguments[i], buffers[i].get()));
  const EventHandle event = make<EventHandle>([&](auto** out, auto** error) {
    return bsc_queue_launch(queue.get(), kernel.get(), &launch, launch_arguments.size(), launch_arguments.data(), out, error);
  });
  require([&](bsc_error** error) { return bsc_event_wait(event.get(), BSC_FOREVER, error); });

  Json json = {{"file", file}, {"kernel", name}, {"device", device_id}, {"outputs", Json::array()}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const RunArgument& argument = arguments[i];
    if (argument.output.empty()) continue;
    std::vector<std::byte> data(argument.buffer_bytes);
    require([&](bsc_error** error) {
      return bsc_queue_read(queue.get(), buffers[i].get(), 0, data.data(), data.size(), nullptr, error);
    });
    require([&](bsc_error** error) { return bsc_queue_wait(queue.get(), BSC_FOREVER, error); });
    Json output = {{"argument", i}, {"type", name_of(argument.type)}, {"file", argument.output}};
    if (argument.output == "-") {
      if (common.json) {
        output["values"] = elements_as_json(argument, data);
      } else {
        print_elements(i, argument, data);
      }
    } else {
      write_npy(argument.output, {argument.type, argument.shape, std::move(data)});
    }
    json["outputs"].push_back(output);
  }
  if (options.time) {
    bsc_times times = {};
    times.size = sizeof times;
    require([&](bsc_error** error) { return bsc_event_times(event.get(), &times, error); });
    const double elapsed = static_cast<double>(times.ended_ns - times.started_ns);
    const char* clock = times.host_clock ? "host clock, submit to wait" : "device clock";
    const bool emulated = info_of(device).emulated != 0;
    json["time_ns"] = elapsed;
    json["clock"] = clock;
    json["emulated"] = emulated;
    if (!common.json) std::fprintf(stderr, "%s on %s: %s (%s, one call%s)\n", name.c_str(), device_id.c_str(), format_time(elapsed).c_str(), clock, emulated ? ", EMULATED: not a GPU's time" : "");
  }
  if (common.json) std::printf("%s\n", json.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
  return ExitCode::kSuccess;
}

}  // namespace

ExitCode run_run(const CommonOptions& common, const RunOptions& options) {
  const auto [file, kernel_name] = split_target(options.target);
  const std::string format = format_of(file, options.format);
  try {
    return run_image(common, options, file, kernel_name, format);
  } catch (const Failure& failure) {
    throw Failure(failure.code(), with_file_name(failure.what(), format, file), failure.remedy());
  }
}

}  // namespace bascule::cli
