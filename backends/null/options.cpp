// Reading the options.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/options.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/common/error.hpp"
#include "backends/common/options.hpp"

namespace bascule::null_backend {
namespace {

constexpr std::array kEntryNames = {
#define BSC_NULL_NAME(name, text) text,
    BSC_NULL_ENTRIES(BSC_NULL_NAME)
#undef BSC_NULL_NAME
};

constexpr std::array<bsc_plugin_option, 8> kOptions = {{
    {"devices", "integer", "1", "number of devices, 1 to 64"},
    {"memory_bytes", "integer", "1125899906842624", "memory of each device in bytes, 1 to 2^62; none of it is real"},
    {"max_allocation_bytes", "integer", "0", "largest single allocation in bytes, up to 2^62; 0: as memory_bytes"},
    {"architecture", "string", "x86-64-v4", "what variants' targets are compared with"},
    {"submit_delay", "duration", "0", "how long each submit blocks its caller, up to 1 h"},
    {"execute_delay", "duration", "0", "how long each submission's work takes, up to 1 h; submit does not wait for it"},
    {"fail", "string", "",
     "ENTRY:N:STATUS, several separated by commas: the N-th call of the entry in an instance fails with the status, e.g. "
     "memory.allocate:3:OUT_OF_MEMORY; execute:N:STATUS fails the N-th submission's work"},
    {"fault", "string", "", "name of a planted fault: a rule of the plugin ABI that this plugin then breaks"},
}};

constexpr std::pair<std::string_view, bsc_status> kStatusNames[] = {
    {"INVALID_ARGUMENT", BSC_INVALID_ARGUMENT}, {"INVALID_HANDLE", BSC_INVALID_HANDLE},
    {"NOT_FOUND", BSC_NOT_FOUND},               {"UNSUPPORTED", BSC_UNSUPPORTED},
    {"LIMIT_EXCEEDED", BSC_LIMIT_EXCEEDED},     {"INVALID_STATE", BSC_INVALID_STATE},
    {"INVALID_CONFIG", BSC_INVALID_CONFIG},     {"INVALID_IMAGE", BSC_INVALID_IMAGE},
    {"BUILD_FAILED", BSC_BUILD_FAILED},         {"IO_ERROR", BSC_IO_ERROR},
    {"OUT_OF_MEMORY", BSC_OUT_OF_MEMORY},       {"TIMED_OUT", BSC_TIMED_OUT},
    {"LAUNCH_FAILED", BSC_LAUNCH_FAILED},       {"DEVICE_LOST", BSC_DEVICE_LOST},
    {"INTERNAL", BSC_INTERNAL},                 {"DRIVER_MISSING", BSC_DRIVER_MISSING},
    {"STUB", BSC_STUB},                         {"TOO_OLD", BSC_TOO_OLD},
    {"BROKEN", BSC_BROKEN},                     {"NO_DEVICE", BSC_NO_DEVICE},
    {"NO_PERMISSION", BSC_NO_PERMISSION},       {"FORKED", BSC_FORKED}};

std::optional<Entry> find_entry(std::string_view name) {
  for (std::size_t i = 0; i < kEntryNames.size(); ++i) {
    if (kEntryNames[i] == name) return static_cast<Entry>(i);
  }
  return std::nullopt;
}

std::optional<OrderedFailure> parse_failure(std::string_view item) {
  const std::size_t first = item.find(':');
  const std::size_t second = item.find(':', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto entry = find_entry(item.substr(0, first));
  const auto call = backend::parse_integer(item.substr(first + 1, second - first - 1));
  if (!entry || !call || *call < 1) return std::nullopt;
  std::string_view status = item.substr(second + 1);
  if (status.starts_with("BSC_")) status.remove_prefix(4);
  for (const auto& [name, value] : kStatusNames) {
    if (name == status) return OrderedFailure{*entry, static_cast<std::uint64_t>(*call), value, std::string(name)};
  }
  return std::nullopt;
}

bsc_status parse_failures(std::string_view text, std::vector<OrderedFailure>& failures, bsc_plugin_error* error) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto failure = parse_failure(item);
    if (!failure) {
      return backend::fill_error(error, BSC_INVALID_CONFIG, "instance.open",
                                 "backend.null.fail: \"{}\" is not ENTRY:N:STATUS, where ENTRY is one of {}, N is 1 or more "
                                 "and STATUS is the name of a failure such as OUT_OF_MEMORY",
                                 item, fmt::join(kEntryNames, ", "));
    }
    failures.push_back(*failure);
    text.remove_prefix(item.size() < text.size() ? item.size() + 1 : item.size());
  }
  return BSC_OK;
}

// "NAME" has a fault "open_bad_option_accepted" of its own, so a value that cannot be read is then left at its default.
bsc_status forgive(bsc_status status, Fault fault) {
  return fault == Fault::open_bad_option_accepted && status == BSC_INVALID_CONFIG ? BSC_OK : status;
}

}  // namespace

const char* entry_name(Entry entry) { return kEntryNames[static_cast<std::size_t>(entry)]; }

std::span<const bsc_plugin_option> declared_options() { return kOptions; }

bsc_status read_options(const bsc_plugin_open_info& open_info, Options& options, bsc_plugin_error* error) {
  using std::chrono::hours;
  using std::chrono::nanoseconds;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;
  const backend::OptionReader reader("null", open_info);

  std::string fault_name;
  BSC_PLUGIN_RETURN_IF_ERROR(reader.string("fault", fault_name, error));
  const auto fault = find_fault(fault_name);
  if (!fault) {
    return backend::fill_error(error, BSC_INVALID_CONFIG, "instance.open",
                               "backend.null.fault = \"{}\": must be empty or one of {}", fault_name, all_fault_names());
  }
  options.fault = *fault;

  const auto read = [&](bsc_status status) { return forgive(status, options.fault); };
  std::string failures;
  BSC_PLUGIN_RETURN_IF_ERROR(read(reader.integer("devices", 1, 64, options.devices, error)));
  BSC_PLUGIN_RETURN_IF_ERROR(read(reader.integer("memory_bytes", 1, kMostBytes, options.memory_bytes, error)));
  BSC_PLUGIN_RETURN_IF_ERROR(
      read(reader.integer("max_allocation_bytes", 0, kMostBytes, options.max_allocation_bytes, error)));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.string("architecture", options.architecture, error));
  BSC_PLUGIN_RETURN_IF_ERROR(
      read(reader.duration("submit_delay", nanoseconds{0}, hours{1}, options.submit_delay, error)));
  BSC_PLUGIN_RETURN_IF_ERROR(
      read(reader.duration("execute_delay", nanoseconds{0}, hours{1}, options.execute_delay, error)));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.string("fail", failures, error));
  BSC_PLUGIN_RETURN_IF_ERROR(read(parse_failures(failures, options.failures, error)));
  if (options.max_allocation_bytes == 0) options.max_allocation_bytes = options.memory_bytes;
  return BSC_OK;
}

}  // namespace bascule::null_backend
