// The instance part of the C API, as far as it reads an instance; creating one is in open.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

#include "core/runtime/error_handle.hpp"
#include "core/runtime/instance.hpp"
#include "core/runtime/sized.hpp"

using namespace bascule::core;

#define BSC_TEXT_OF(x) #x
#define BSC_VERSION_TEXT(major, minor, patch) BSC_TEXT_OF(major) "." BSC_TEXT_OF(minor) "." BSC_TEXT_OF(patch)

extern "C" {

const char* bsc_version(void) {
  return BSC_VERSION_TEXT(BASCULE_VERSION_MAJOR, BASCULE_VERSION_MINOR, BASCULE_VERSION_PATCH);
}

void bsc_free(void* pointer) { std::free(pointer); }

bsc_instance* bsc_instance_retain(bsc_instance* instance) {
  if (is_handle(instance)) instance->retain();
  return instance;
}

void bsc_instance_release(bsc_instance* instance) { release_handle(instance); }

const char* bsc_instance_selection(const bsc_instance* instance) {
  return is_handle(instance) ? instance->selection().c_str() : "";
}

bsc_status bsc_instance_backend(const bsc_instance* instance, uint64_t index, bsc_backend_info* out_info) {
  if (!is_handle(instance)) return instance ? BSC_INVALID_HANDLE : BSC_INVALID_ARGUMENT;
  if (!out_info) return BSC_INVALID_ARGUMENT;
  const auto& reports = instance->parts().reports;
  if (index >= reports.size()) return BSC_NOT_FOUND;
  const BackendReport& report = reports[index];
  bsc_backend_info info{};
  info.name = report.name.c_str();
  info.state = report.state;
  info.reason = report.reason.c_str();
  info.remedy = report.remedy.c_str();
  info.path = report.path.c_str();
  info.version = report.version.c_str();
  info.driver_path = report.driver_path.c_str();
  info.device_count = report.device_count;
  info.selected = report.selected ? 1 : 0;
  write_sized(out_info, info);
  return BSC_OK;
}

bsc_status bsc_instance_config(const bsc_instance* instance, uint64_t index, const char** out_key,
                               const char** out_value, const char** out_origin) {
  if (!is_handle(instance)) return instance ? BSC_INVALID_HANDLE : BSC_INVALID_ARGUMENT;
  const auto& config = instance->parts().config;
  if (index >= config.size()) return BSC_NOT_FOUND;
  if (out_key) *out_key = config[index].key.c_str();
  if (out_value) *out_value = config[index].value.c_str();
  if (out_origin) *out_origin = config[index].origin.c_str();
  return BSC_OK;
}

uint64_t bsc_instance_device_count(const bsc_instance* instance) {
  return is_handle(instance) ? instance->devices().size() : 0;
}

bsc_device* bsc_instance_device(const bsc_instance* instance, uint64_t index) {
  if (!is_handle(instance) || index >= instance->devices().size()) return nullptr;
  return instance->devices()[index].get();
}

bsc_device* bsc_instance_default_device(const bsc_instance* instance) {
  return is_handle(instance) ? instance->default_device() : nullptr;
}

bsc_status bsc_instance_find_device(bsc_instance* instance, const char* selector, bsc_device** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(instance);
    if (!selector || !*selector) return invalid_argument("selector is missing", "for example \"cpu\" or \"cuda:0\"");
    if (!out) return invalid_argument("out is NULL");
    auto device = instance->find_device(selector);
    if (!device.ok()) return device.take_error();
    *out = *device;
    return {};
  });
}

}  // extern "C"
