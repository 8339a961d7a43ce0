// Failing on time and on purpose.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/failure.hpp"

#include <cstring>

namespace bascule::null_backend {

void distort_error(bsc_plugin_error* error) {
  switch (active_fault.load(std::memory_order_relaxed)) {
    case Fault::error_null_written:
      if (error == nullptr) *reinterpret_cast<volatile char*>(error) = 1;
      break;
    case Fault::error_call_missing:
      if (error != nullptr) error->call[0] = '\0';
      break;
    case Fault::error_code_missing:
      if (error != nullptr) error->code = BSC_OK;
      break;
    case Fault::error_interval_missing:
      if (error != nullptr) error->last_completed = error->first_incomplete = 0;
      break;
    case Fault::error_unterminated:
      if (error != nullptr) std::memset(error->message, 'x', sizeof error->message);
      break;
    case Fault::error_writes_beyond_size:
      if (error != nullptr) std::strcpy(error->message, "written although the struct may end before this field");
      break;
    case Fault::load_message_empty:
      if (error != nullptr && std::string_view(error->call) == "module.load") error->message[0] = '\0';
      break;
    default: break;
  }
}

bsc_status refuse_handle(bsc_plugin_error* error, std::string_view call, const bsc_plugin_object* handle,
                         std::uint32_t kind, Fault accepted_by) {
  if (accepted_by != Fault::none && has_fault(accepted_by)) return BSC_OK;
  backend::fill_handle_error(error, call, handle, kind);
  distort_error(error);
  return BSC_INVALID_HANDLE;
}

bsc_status succeed(bsc_plugin_error* error) {
  if (has_fault(Fault::error_written_on_success) && error != nullptr) error->code = BSC_OK, error->message[0] = '\0';
  return BSC_OK;
}

bsc_status ordered_failure(Instance& instance, Device* device, Entry entry, bsc_plugin_error* error) {
  if (!instance.instrumented) return BSC_OK;
  const std::uint64_t call = 1 + instance.calls[static_cast<std::size_t>(entry)].fetch_add(1, std::memory_order_relaxed);
  for (const OrderedFailure& failure : instance.options.failures) {
    if (failure.entry != entry || failure.call != call) continue;
    if (failure.status == BSC_DEVICE_LOST && device != nullptr) device->lost_at.store(now());
    return refuse(error, failure.status, entry, "{} as ordered by backend.null.fail = \"{}:{}:{}\"", failure.status_name,
                  entry_name(entry), failure.call, failure.status_name);
  }
  const bool frees = entry == Entry::memory_release || entry == Entry::queue_release || entry == Entry::module_unload ||
                     entry == Entry::graph_release;
  if (device != nullptr && !frees && entry != Entry::event_completed && device->lost()) {
    return refuse(error, BSC_DEVICE_LOST, entry, "device null:{} was lost earlier; it stays lost in this process",
                  device->index);
  }
  return BSC_OK;
}

}  // namespace bascule::null_backend
