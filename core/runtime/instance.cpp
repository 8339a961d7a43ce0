// Instances: devices of the opened backends, the default one, and finding one by selector.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/instance.hpp"

#include <utility>

#include "core/base/text.hpp"
#include "core/config/selector.hpp"
#include "core/runtime/error_handle.hpp"

using namespace bascule::core;

namespace {

bool matches(const Selector& selector, const bsc_device_info& info) {
  switch (selector.kind) {
    case Selector::Kind::kFirst:
      return true;
    case Selector::Kind::kBackend:
      return selector.backend == info.backend;
    case Selector::Kind::kIndex:
      return selector.backend + ":" + std::to_string(selector.index) == info.id;
    case Selector::Kind::kUuid:
      return selector.value == normalized_uuid(info.uuid);
    case Selector::Kind::kPci:
      return selector.value == normalized_pci(info.pci);
    case Selector::Kind::kEmulated:
      return info.emulated && selector.value == info.architecture;
  }
  return false;
}

}  // namespace

Result<Ref<bsc_instance>> bsc_instance::create(InstanceParts parts) {
  watch_forks();
  auto instance = make_ref<bsc_instance>(std::move(parts));
  BSC_RETURN_IF_ERROR(instance->enumerate());
  BSC_RETURN_IF_ERROR(instance->choose_default());
  return instance;
}

bsc_instance::bsc_instance(InstanceParts parts)
    : Object(kKind), generation_(fork_generation()), parts_(std::move(parts)) {}

bsc_instance::~bsc_instance() {
  // Every other object held a reference, so queues are gone and what the devices still keep is idle.
  for (const auto& device : devices_) device->shut_down();
  devices_.clear();
  parts_.backends.clear();
}

Status bsc_instance::enumerate() {
  for (const auto& backend : parts_.backends) {
    for (std::size_t i = 0; i < backend->devices().size(); ++i) {
      auto device = bsc_device::create(*this, *backend, backend->devices()[i], i);
      if (!device.ok()) return device.take_error();
      devices_.push_back(std::move(device).value());
    }
  }
  return {};
}

Status bsc_instance::choose_default() {
  if (devices_.empty()) {
    return Error{.status = BSC_NO_BACKEND,
                 .message = "no opened backend has a device",
                 .remedy = "run `bascule doctor` to see the state of every backend"};
  }
  default_device_ = devices_.front().get();
  if (!parts_.device_selector.empty()) {
    auto device = find_device(parts_.device_selector);
    if (!device.ok()) {
      Error error = device.take_error();
      error.message =
          "device = " + quoted(parts_.device_selector) + " (" + parts_.device_selector_origin + "): " + error.message;
      return error;
    }
    default_device_ = *device;
  }
  selection_ = std::string(default_device_->info().id) + " " + default_device_->info().name;
  if (!parts_.selection_origin.empty()) selection_ += " (" + parts_.selection_origin + ")";
  if (!parts_.skipped.empty()) selection_ += "; " + parts_.skipped;
  return {};
}

std::string bsc_instance::device_list() const {
  std::string list;
  for (const auto& device : devices_) {
    const bsc_device_info& info = device->info();
    list += std::string("\n  ") + info.id + "  " + info.name;
    if (*info.uuid) list += std::string("  uuid:") + info.uuid;
    if (*info.pci) list += std::string("  pci:") + info.pci;
    if (info.emulated) list += std::string("  emulated:") + info.architecture;
  }
  return list;
}

Result<bsc_device*> bsc_instance::find_device(const std::string& text) const {
  auto selector = parse_selector(text);
  if (!selector.ok()) {
    Error error = selector.take_error();
    error.message += "; there are:" + device_list();
    return error;
  }
  for (const auto& device : devices_) {
    if (matches(*selector, device->info())) return device.get();
  }
  if (selector->kind == Selector::Kind::kEmulated) {
    return Error{.status = BSC_NOT_FOUND,
                 .message = "no device is " + quoted(text) + "; there are:" + device_list(),
                 .remedy = parts_.emulated.empty() ? "no plugin here offers an emulated driver"
                                                   : "the plugins here offer " + parts_.emulated + "; its backend must be listed in `backends`"};
  }
  return Error{.status = BSC_NOT_FOUND,
               .message = "no device is " + quoted(text) + "; there are:" + device_list(),
               .remedy = "name one of these; a backend must be listed in `backends` for its devices to appear"};
}

const std::string& bsc_instance::forced_variant(const std::string& kernel) const {
  static const std::string& none = *new std::string();
  const auto found = parts_.forced_variants.find(kernel);
  return found == parts_.forced_variants.end() ? none : found->second;
}

Error bsc_instance::forked_error() {
  return Error{.status = BSC_FORKED,
               .message =
                   "the instance was created before this process forked; drivers and their threads do not "
                   "survive a fork",
               .remedy = "create a new instance in the child, or fork before creating one"};
}
