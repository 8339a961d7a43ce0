// A whole Bascule plugin in one file, to start your own from: the backend "toy" runs host kernels on the calling thread.
//
// It has the required entries and one optional one (memory.map). Everything else is NULL in the tables and is emulated by
// Bascule or reported as unsupported. docs/plugin-guide.md walks through it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/host_kernel.h>
#include <bascule/plugin.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

extern const bsc_plugin_api kApi;

// ---- objects: the handle is the address of the first member ----------------------------------------------------------

struct Instance;
struct Object : bsc_plugin_object {
  Object(std::uint32_t object_kind, Instance* owner)
      : bsc_plugin_object{&kApi, BSC_OBJECT_MAGIC, object_kind}, instance(owner) {}
  Instance* instance;
};
struct Memory : Object {
  static constexpr std::uint32_t kKind = BSC_OBJECT_MEMORY;
  explicit Memory(Instance* owner) : Object(kKind, owner) {}
  unsigned char* data = nullptr;
  std::uint64_t bytes = 0;
};
struct Queue : Object {
  static constexpr std::uint32_t kKind = BSC_OBJECT_QUEUE;
  explicit Queue(Instance* owner) : Object(kKind, owner) {}
  std::atomic<std::uint64_t> submitted{0};
  std::uint64_t failed_value = 0;  // 0: none
  bsc_status failed_status = BSC_OK;
};
struct Function : Object {
  static constexpr std::uint32_t kKind = BSC_OBJECT_FUNCTION;
  Function(Instance* owner, const bsc_host_entry& host_entry) : Object(kKind, owner), entry(host_entry) {}
  bsc_host_entry entry;
};
struct Module : Object {
  static constexpr std::uint32_t kKind = BSC_OBJECT_MODULE;
  explicit Module(Instance* owner) : Object(kKind, owner) {}
  std::vector<Function*> functions;
};
struct Device : Object {
  static constexpr std::uint32_t kKind = BSC_OBJECT_DEVICE;
  explicit Device(Instance* owner) : Object(kKind, owner) {}
};
struct Instance : Object {
  static constexpr std::uint32_t kKind = BSC_OBJECT_INSTANCE;
  Instance() : Object(kKind, this), device(this) {}
  Device device;
  std::mutex mutex;
  std::vector<Object*> children;  // what close has to free
};

// A released object stays where it is with its magic gone, so that a stale handle is seen instead of being a use after
// free. This one never gives the storage back; backends/common/object.hpp shows how to use it again.
void retire(Object* object) {
  static auto* const retired = new std::vector<Object*>;
  static std::mutex mutex;
  object->magic = 0;
  const std::lock_guard lock(mutex);
  retired->push_back(object);
}

template <class T>
T* check(bsc_plugin_object* handle) {
  const bool good =
      handle != nullptr && handle->magic == BSC_OBJECT_MAGIC && handle->kind == T::kKind && handle->api == &kApi;
  return good ? static_cast<T*>(handle) : nullptr;
}

// ---- structs of any size, errors --------------------------------------------------------------------------------------

template <class T>
T read(const T* given, std::uint64_t most = UINT64_MAX) {  // unknown fields are zero
  T copy;
  std::memset(static_cast<void*>(&copy), 0, sizeof copy);
  std::memcpy(static_cast<void*>(&copy), given, std::min<std::uint64_t>({given->header.size, sizeof copy, most}));
  return copy;
}

template <class T>
void write(T* out, const T& value) {  // nothing beyond what the other side has room for, and not its header
  const std::size_t size = std::min<std::size_t>(out->header.size, sizeof value);
  if (size <= sizeof(bsc_struct)) return;
  std::memcpy(reinterpret_cast<char*>(out) + sizeof(bsc_struct),
              reinterpret_cast<const char*>(&value) + sizeof(bsc_struct), size - sizeof(bsc_struct));
}

__attribute__((format(printf, 4, 5))) bsc_status fail(bsc_plugin_error* error, bsc_status status, const char* call,
                                                      const char* format, ...) {
  if (error == nullptr) return status;
  bsc_plugin_error filled = {};
  filled.code = status;
  filled.retryable = status == BSC_OUT_OF_MEMORY || status == BSC_TIMED_OUT;
  std::snprintf(filled.call, sizeof filled.call, "%s", call);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(filled.message, sizeof filled.message, format, arguments);
  va_end(arguments);
  write(error, filled);
  return status;
}

bsc_status bad_handle(bsc_plugin_error* error, const char* call) {
  return fail(error, BSC_INVALID_HANDLE, call, "the handle is null, released, foreign or of another kind");
}

using ull = unsigned long long;  // what printf wants for uint64_t

// ---- instance and device ----------------------------------------------------------------------------------------------

constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxGrid = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxArgumentBytes = 4096;

// Bascule has checked names; a plugin with options checks their values here and answers BSC_INVALID_CONFIG.
bsc_status open(const bsc_plugin_open_info*, bsc_plugin_instance* out, bsc_plugin_error*) {
  *out = new Instance;
  return BSC_OK;
}

void adopt(Object* child) {
  const std::lock_guard lock(child->instance->mutex);
  child->instance->children.push_back(child);
}

void disown(Object* child) {
  const std::lock_guard lock(child->instance->mutex);
  std::erase(child->instance->children, child);
}

void free_child(Object* child) {
  if (child->kind == BSC_OBJECT_MEMORY) std::free(static_cast<Memory*>(child)->data);
  if (child->kind == BSC_OBJECT_MODULE) {
    for (Function* const function : static_cast<Module*>(child)->functions) retire(function);
  }
  retire(child);
}

bsc_status close(bsc_plugin_instance handle, bsc_plugin_error* error) {
  auto* const instance = check<Instance>(handle);
  if (instance == nullptr) return bad_handle(error, "instance.close");
  for (Object* const child : instance->children) free_child(child);
  instance->children.clear();
  instance->device.magic = 0;
  retire(instance);
  return BSC_OK;
}

bsc_status enumerate(bsc_plugin_instance handle, std::uint64_t capacity, bsc_plugin_device* out, std::uint64_t* count,
                     bsc_plugin_error* error) {
  auto* const instance = check<Instance>(handle);
  if (instance == nullptr) return bad_handle(error, "instance.enumerate");
  if (out != nullptr && capacity > 0) out[0] = &instance->device;
  *count = 1;
  return BSC_OK;
}

bsc_status info(bsc_plugin_device handle, bsc_plugin_device_info* out, bsc_plugin_error* error) {
  static const char* const formats[] = {"host"};
  static const bsc_plugin_capability capabilities[] = {{"fp64", 1, ""}, {"kernels_reach_host_memory", 1, ""},
                                                       {"host_elf_images", 0, ""}};
  if (check<Device>(handle) == nullptr) return bad_handle(error, "device.info");
  bsc_plugin_device_info filled = {};
  filled.name = "Toy";
  filled.vendor = "Bascule";
  filled.driver = "toy 1.0";
  filled.driver_version = "1.0";
  filled.driver_path = filled.uuid = filled.pci = "";
  filled.architecture = "x86-64";
  filled.type = "cpu";
  filled.unified_memory = 1;
  filled.memory_bytes = filled.max_allocation_bytes = kMemoryBytes;
  filled.compute_units = filled.max_block_threads = filled.min_sub_group = filled.max_sub_group = 1;
  for (int i = 0; i < 3; ++i) filled.max_block[i] = filled.max_grid[i] = kMaxGrid;
  filled.max_argument_bytes = kMaxArgumentBytes;
  filled.format_count = 1;
  filled.formats = formats;
  filled.capability_count = 3;
  filled.capability_stride = sizeof *capabilities;
  filled.capabilities = capabilities;
  write(out, filled);
  return BSC_OK;
}

// ---- memory -----------------------------------------------------------------------------------------------------------

bsc_status allocate(bsc_plugin_device handle, const bsc_plugin_memory_description* given, bsc_plugin_memory* out,
                    bsc_plugin_error* error) {
  auto* const device = check<Device>(handle);
  if (device == nullptr) return bad_handle(error, "memory.allocate");
  const auto description = read(given);
  const std::uint64_t alignment = std::max<std::uint64_t>(description.alignment, 64);
  if ((description.alignment & (description.alignment - 1)) != 0) {
    return fail(error, BSC_INVALID_ARGUMENT, "memory.allocate", "alignment %llu is no power of two",
                ull{description.alignment});
  }
  if (description.type > BSC_MEMORY_HOST) {
    return fail(error, BSC_INVALID_ARGUMENT, "memory.allocate", "memory type %u is unknown", description.type);
  }
  if (description.bytes > kMemoryBytes) {
    return fail(error, BSC_LIMIT_EXCEEDED, "memory.allocate", "%llu bytes asked for, max_allocation_bytes is %llu",
                ull{description.bytes}, ull{kMemoryBytes});
  }
  auto memory = std::make_unique<Memory>(device->instance);
  memory->bytes = description.bytes;
  void* data = nullptr;
  if (posix_memalign(&data, alignment, std::max<std::uint64_t>(description.bytes, 1)) != 0) {
    return fail(error, BSC_OUT_OF_MEMORY, "memory.allocate", "no %llu bytes", ull{description.bytes});
  }
  memory->data = static_cast<unsigned char*>(data);
  adopt(memory.get());
  *out = memory.release();
  return BSC_OK;
}

bsc_status release_memory(bsc_plugin_memory handle, bsc_plugin_error* error) {
  auto* const memory = check<Memory>(handle);
  if (memory == nullptr) return bad_handle(error, "memory.release");
  disown(memory);
  free_child(memory);
  return BSC_OK;
}

bsc_status map(bsc_plugin_memory handle, void** out, bsc_plugin_error* error) {
  auto* const memory = check<Memory>(handle);
  if (memory == nullptr) return bad_handle(error, "memory.map");
  *out = memory->data;
  return BSC_OK;
}

// ---- modules ----------------------------------------------------------------------------------------------------------

bsc_status load(bsc_plugin_device handle, const bsc_plugin_image* given, bsc_plugin_module* out, bsc_plugin_error* error) {
  auto* const device = check<Device>(handle);
  if (device == nullptr) return bad_handle(error, "module.load");
  const auto image = read(given);
  if (image.format == nullptr || std::strcmp(image.format, "host") != 0) {
    return fail(error, BSC_UNSUPPORTED, "module.load", "format \"%s\"; there is \"host\"", image.format ? image.format : "");
  }
  const bsc_host_table* table = nullptr;
  for (const bsc_struct* link = image.header.next; link != nullptr; link = link->next) {
    if (link->type == BSC_STRUCT_HOST_TABLE_IMAGE) {
      table = reinterpret_cast<const bsc_plugin_host_table_image*>(link)->table;
    }
  }
  if (table == nullptr) {
    return fail(error, BSC_INVALID_IMAGE, "module.load", "toy takes host tables only, no ELF images");
  }
  auto module = std::make_unique<Module>(device->instance);
  for (std::uint32_t i = 0; i < table->entry_count; ++i) {
    const auto* at = reinterpret_cast<const char*>(table->entries) + std::size_t{i} * table->entry_stride;
    bsc_host_entry entry = {};
    std::memcpy(&entry, at, std::min<std::size_t>(sizeof entry, table->entry_stride));
    module->functions.push_back(new Function(device->instance, entry));
  }
  adopt(module.get());
  *out = module.release();
  return BSC_OK;
}

bsc_status unload(bsc_plugin_module handle, bsc_plugin_error* error) {
  auto* const module = check<Module>(handle);
  if (module == nullptr) return bad_handle(error, "module.unload");
  disown(module);
  free_child(module);
  return BSC_OK;
}

bsc_status find_function(bsc_plugin_module handle, const char* name, bsc_plugin_function* out, bsc_plugin_error* error) {
  auto* const module = check<Module>(handle);
  if (module == nullptr) return bad_handle(error, "module.function");
  std::string names;
  for (Function* const function : module->functions) {
    if (std::strcmp(function->entry.name, name) == 0) return *out = function, BSC_OK;
    names += std::string(names.empty() ? "" : ", ") + function->entry.name;
  }
  return fail(error, BSC_NOT_FOUND, "module.function", "no \"%s\"; there are: %s", name, names.c_str());
}

// ---- queues: everything is checked first, then everything runs ---------------------------------------------------------

constexpr const char* kSubmit = "queue.submit";

bsc_status check_range(bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes, bsc_plugin_error* error) {
  auto* const memory = check<Memory>(handle);
  if (memory == nullptr) return bad_handle(error, kSubmit);
  if (offset <= memory->bytes && bytes <= memory->bytes - offset) return BSC_OK;
  return fail(error, BSC_INVALID_ARGUMENT, kSubmit, "%llu bytes at %llu end beyond the memory's %llu", ull{bytes},
              ull{offset}, ull{memory->bytes});
}

bsc_plugin_argument argument_at(const bsc_plugin_launch& launch, std::uint64_t index) {
  bsc_plugin_argument argument = {};
  std::memcpy(&argument, reinterpret_cast<const char*>(launch.arguments) + index * launch.argument_stride,
              std::min<std::uint64_t>(sizeof argument, launch.argument_stride));
  return argument;
}

bsc_status check_launch(const bsc_plugin_launch& launch, bsc_plugin_error* error) {
  const auto* const function = check<Function>(launch.function);
  if (function == nullptr) return bad_handle(error, kSubmit);
  std::uint64_t items = 1;
  for (const std::uint64_t size : launch.grid) {
    if (size > kMaxGrid || __builtin_mul_overflow(items, size, &items)) {
      return fail(error, BSC_LIMIT_EXCEEDED, kSubmit, "a grid of %llu; the limit is %llu", ull{size}, ull{kMaxGrid});
    }
  }
  if (launch.shared_bytes != 0) return fail(error, BSC_LIMIT_EXCEEDED, kSubmit, "max_shared_bytes is 0");
  if (launch.blob_bytes > kMaxArgumentBytes) {
    return fail(error, BSC_LIMIT_EXCEEDED, kSubmit, "max_argument_bytes is %llu", ull{kMaxArgumentBytes});
  }
  std::uint64_t alignment = 1;
  for (std::uint64_t i = 0; i < launch.argument_count; ++i) {
    const bsc_plugin_argument argument = argument_at(launch, i);
    const bool is_buffer = argument.kind == BSC_ARGUMENT_BUFFER;
    alignment = std::max(alignment, is_buffer ? alignof(bsc_host_span) : argument.bytes);
    if (!is_buffer && argument.kind != BSC_ARGUMENT_VALUE) {
      return fail(error, BSC_INVALID_ARGUMENT, kSubmit, "argument %llu is of kind %u", ull{i}, argument.kind);
    }
    const std::uint64_t bytes = is_buffer ? sizeof(bsc_host_span) : argument.bytes;
    if (argument.blob_offset > launch.blob_bytes || bytes > launch.blob_bytes - argument.blob_offset) {
      return fail(error, BSC_INVALID_ARGUMENT, kSubmit, "argument %llu lies outside the blob", ull{i});
    }
    if (!is_buffer || (argument.memory == nullptr && argument.bytes == 0)) continue;
    if (const bsc_status status = check_range(argument.memory, argument.offset, argument.bytes, error)) return status;
  }
  // A C struct of these members, so padded at its end.
  const std::uint64_t wanted = function->entry.argument_bytes;
  if (wanted == 0 || (launch.blob_bytes + alignment - 1) / alignment * alignment == wanted) return BSC_OK;
  return fail(error, BSC_INVALID_ARGUMENT, kSubmit, "\"%s\" takes %llu bytes of arguments, not %llu",
              function->entry.name, ull{wanted}, ull{launch.blob_bytes});
}

bsc_status check_copy(const bsc_plugin_copy& copy, bsc_plugin_error* error) {
  if (const bsc_status status = check_range(copy.source, copy.source_offset, copy.bytes, error)) return status;
  if (const bsc_status status = check_range(copy.destination, copy.destination_offset, copy.bytes, error)) return status;
  const std::uint64_t low = std::min(copy.source_offset, copy.destination_offset);
  const std::uint64_t high = std::max(copy.source_offset, copy.destination_offset);
  if (copy.source != copy.destination || high - low >= copy.bytes) return BSC_OK;
  return fail(error, BSC_INVALID_ARGUMENT, kSubmit, "source and destination of a copy overlap");
}

bsc_status check_fill(const bsc_plugin_fill& fill, bsc_plugin_error* error) {
  if (const bsc_status status = check_range(fill.memory, fill.offset, fill.bytes, error)) return status;
  const std::uint64_t size = fill.pattern_bytes;
  const bool known = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
  if (known && fill.offset % size == 0 && fill.bytes % size == 0) return BSC_OK;
  return fail(error, BSC_INVALID_ARGUMENT, kSubmit, "a pattern of %llu bytes, or a fill that is no multiple of it", ull{size});
}

bsc_status check_wait(const bsc_plugin_wait& wait, const Queue& waiting, bsc_plugin_error* error) {
  const auto* const queue = check<Queue>(wait.queue);
  if (queue == nullptr) return bad_handle(error, kSubmit);
  if (queue->instance == waiting.instance && wait.value <= queue->submitted) return BSC_OK;
  return fail(error, BSC_INVALID_ARGUMENT, kSubmit, "a wait for a point of another instance or not yet submitted");
}

bsc_status check_command(const bsc_plugin_command& command, const Queue& queue, bsc_plugin_error* error) {
  const bsc_plugin_transfer& transfer = command.transfer;
  switch (command.kind) {
    case BSC_COMMAND_LAUNCH: return check_launch(command.launch, error);
    case BSC_COMMAND_COPY: return check_copy(command.copy, error);
    case BSC_COMMAND_WRITE:
    case BSC_COMMAND_READ: return check_range(transfer.memory, transfer.offset, transfer.bytes, error);
    case BSC_COMMAND_FILL: return check_fill(command.fill, error);
    case BSC_COMMAND_WAIT: return check_wait(command.wait, queue, error);
    default: return fail(error, BSC_UNSUPPORTED, kSubmit, "command kind %u", command.kind);
  }
}

unsigned char* address(bsc_plugin_memory handle, std::uint64_t offset) {
  return static_cast<Memory*>(handle)->data + offset;
}

bsc_status run_launch(const bsc_plugin_launch& launch) {
  const std::uint64_t items = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (items == 0) return BSC_OK;
  const bsc_host_entry& entry = static_cast<const Function*>(launch.function)->entry;
  alignas(64) unsigned char blob[kMaxArgumentBytes + 64] = {};
  if (launch.blob_bytes != 0) std::memcpy(blob, launch.blob, launch.blob_bytes);
  for (std::uint64_t i = 0; i < launch.argument_count; ++i) {
    const bsc_plugin_argument argument = argument_at(launch, i);
    if (argument.kind != BSC_ARGUMENT_BUFFER) continue;
    void* const data = argument.memory != nullptr ? address(argument.memory, argument.offset) : nullptr;
    const bsc_host_span span = {data, argument.bytes};
    std::memcpy(blob + argument.blob_offset, &span, sizeof span);
  }
  const std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, (entry.scratch_bytes + 64) / 64 * 64), &std::free);
  return entry.function(blob, 0, items, 0, entry.scratch_bytes != 0 ? scratch.get() : nullptr, nullptr);
}

bsc_status run(const bsc_plugin_command& command) {
  switch (command.kind) {
    case BSC_COMMAND_LAUNCH: return run_launch(command.launch);
    case BSC_COMMAND_COPY:
      std::memcpy(address(command.copy.destination, command.copy.destination_offset),
                  address(command.copy.source, command.copy.source_offset), command.copy.bytes);
      return BSC_OK;
    case BSC_COMMAND_WRITE:
      std::memcpy(address(command.transfer.memory, command.transfer.offset), command.transfer.host, command.transfer.bytes);
      return BSC_OK;
    case BSC_COMMAND_READ:
      std::memcpy(command.transfer.host, address(command.transfer.memory, command.transfer.offset), command.transfer.bytes);
      return BSC_OK;
    case BSC_COMMAND_FILL: {
      unsigned char* const to = address(command.fill.memory, command.fill.offset);
      for (std::uint64_t i = 0; i < command.fill.bytes; ++i) to[i] = command.fill.pattern[i % command.fill.pattern_bytes];
      return BSC_OK;
    }
    default: return BSC_OK;  // WAIT: what was submitted has completed
  }
}

bsc_status create_queue(bsc_plugin_device handle, const bsc_plugin_queue_description* given, bsc_plugin_queue* out,
                        bsc_plugin_error* error) {
  auto* const device = check<Device>(handle);
  if (device == nullptr) return bad_handle(error, "queue.create");
  if (read(given).compute_unit_limit != 0) {
    return fail(error, BSC_UNSUPPORTED, "queue.create", "toy has no queue_compute_unit_limit");
  }
  auto* const queue = new Queue(device->instance);
  adopt(queue);
  *out = queue;
  return BSC_OK;
}

bsc_status release_queue(bsc_plugin_queue handle, bsc_plugin_error* error) {
  auto* const queue = check<Queue>(handle);
  if (queue == nullptr) return bad_handle(error, "queue.release");
  disown(queue);
  free_child(queue);
  return BSC_OK;
}

// Runs the work before it returns, which the suite's level "async" forbids: that level is the next step from here.
bsc_status submit(bsc_plugin_queue handle, const bsc_plugin_submission* given, std::uint64_t* out, bsc_plugin_error* error) {
  auto* const queue = check<Queue>(handle);
  if (queue == nullptr) return bad_handle(error, kSubmit);
  if (queue->failed_value != 0) return fail(error, queue->failed_status, kSubmit, "the queue has failed");
  const auto submission = read(given);
  std::vector<bsc_plugin_command> commands;
  for (std::uint64_t i = 0; i < submission.command_count; ++i) {
    const auto* at = reinterpret_cast<const char*>(submission.commands) + i * submission.command_stride;
    commands.push_back(read(reinterpret_cast<const bsc_plugin_command*>(at), submission.command_stride));
    if (const bsc_status status = check_command(commands.back(), *queue, error)) return status;
  }
  *out = ++queue->submitted;
  for (const bsc_plugin_command& command : commands) {
    queue->failed_status = run(command);
    if (queue->failed_status == BSC_OK) continue;
    queue->failed_value = *out;
    break;
  }
  return BSC_OK;
}

bsc_status wait(bsc_plugin_queue handle, std::uint64_t value, std::uint64_t, bsc_plugin_error* error) {
  auto* const queue = check<Queue>(handle);
  if (queue == nullptr) return bad_handle(error, "event.wait");
  if (value > queue->submitted) {
    return fail(error, BSC_INVALID_ARGUMENT, "event.wait", "value %llu was not submitted", ull{value});
  }
  if (queue->failed_value == 0 || value < queue->failed_value) return BSC_OK;
  return fail(error, queue->failed_status, "event.wait", "submission %llu failed", ull{queue->failed_value});
}

// ---- tables -----------------------------------------------------------------------------------------------------------

const bsc_plugin_instance_table kInstance = {sizeof kInstance, open, close, enumerate};
const bsc_plugin_device_table kDevice = {sizeof kDevice, info, nullptr};
const bsc_plugin_memory_table kMemory = {sizeof kMemory, allocate, release_memory, map, nullptr};
const bsc_plugin_queue_table kQueue = {sizeof kQueue, create_queue, release_queue, submit};
const bsc_plugin_event_table kEvent = {sizeof kEvent, wait, nullptr};
const bsc_plugin_module_table kModule = {sizeof kModule, load, unload, find_function, nullptr, nullptr};
const bsc_plugin_api kApi = {{sizeof kApi, BSC_STRUCT_API, nullptr}, &kInstance, &kDevice, &kMemory, &kQueue, &kEvent,
                             &kModule, nullptr, nullptr, nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) bsc_status bascule_plugin_query(const bsc_plugin_host_info* host,
                                                                                  bsc_plugin_info* out) {
  const auto known = read(host);
  bsc_plugin_info info = {};
  info.abi_major = BSC_PLUGIN_ABI_MAJOR;
  info.abi_minor = info.abi_minor_needed = BSC_PLUGIN_ABI_MINOR;
  info.name = "toy";
  info.version = "1.0";
  info.build = TOY_BUILD;  // has to change whenever the code does
  const bool matches = known.abi_major == BSC_PLUGIN_ABI_MAJOR && known.abi_minor == BSC_PLUGIN_ABI_MINOR;
  info.api = matches ? &kApi : nullptr;
  write(out, info);
  return matches ? BSC_OK : BSC_ABI_MISMATCH;
}
