// bsc_instance: the opened backends and their devices, and what the configuration said.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bascule/bascule.h"
#include "core/base/error.hpp"
#include "core/config/config.hpp"
#include "core/platform/fork.hpp"
#include "core/runtime/backend.hpp"
#include "core/runtime/device.hpp"
#include "core/runtime/object.hpp"

namespace bascule::core {

// What bsc_instance_backend reports.
struct BackendReport {
  std::string name;
  bsc_status state = BSC_OK;
  std::string reason, remedy, path, version, driver_path;
  std::uint64_t device_count = 0;
  bool selected = false;
};

class JitCache;

// Whatever must outlive the plugins' instances: host services, log, cache.
class InstanceServices {
 public:
  virtual ~InstanceServices() = default;
  virtual JitCache* jit_cache() = 0;
};

// The parts that an instance is made of.
struct InstanceParts {
  std::shared_ptr<InstanceServices> services;
  std::vector<std::unique_ptr<Backend>> backends;
  std::vector<BackendReport> reports;
  std::vector<ConfigEntry> config;
  std::string device_selector;                                      // "": the first device of the first backend
  std::string device_selector_origin;                               // for messages
  std::string selection_origin;                                     // "auto", "BASCULE_BACKENDS": why these backends
  std::string skipped;                                              // why others are not used, one line
  std::string emulated;                                             // "emulated:sm_80 of cuda": what selectors could open
  std::map<std::string, std::string, std::less<>> forced_variants;  // kernel -> variant
};

}  // namespace bascule::core

struct bsc_instance final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kInstance;

  // Enumerates the devices of the backends and chooses the default one.
  static bascule::core::Result<bascule::core::Ref<bsc_instance>> create(bascule::core::InstanceParts parts);
  explicit bsc_instance(bascule::core::InstanceParts parts);
  ~bsc_instance() override;

  bsc_instance& instance() { return *this; }
  // True in a child of the process that created the instance.
  bool forked() const { return generation_ != bascule::core::fork_generation(); }
  [[gnu::cold]] static bascule::core::Error forked_error();

  const std::vector<bascule::core::Ref<bsc_device>>& devices() const { return devices_; }
  bsc_device* default_device() const { return default_device_; }
  bascule::core::Result<bsc_device*> find_device(const std::string& selector) const;
  const bascule::core::InstanceParts& parts() const { return parts_; }
  const std::string& selection() const { return selection_; }
  // "" if the configuration forces none.
  const std::string& forced_variant(const std::string& kernel) const;

 private:
  bascule::core::Status enumerate();
  bascule::core::Status choose_default();
  std::string device_list() const;

  const std::uint32_t generation_;
  bascule::core::InstanceParts parts_;
  std::vector<bascule::core::Ref<bsc_device>> devices_;
  bsc_device* default_device_ = nullptr;
  std::string selection_;
};

namespace bascule::core {

// What the release functions do. In a forked child nothing is given back: the plugin's threads do not exist there, its
// locks may be held for ever, and the memory goes with the process.
template <class T>
void release_handle(T* handle) noexcept {
  if (is_handle(handle) && !handle->instance().forked()) handle->release();
}

}  // namespace bascule::core

// Returns from the calling function with BSC_FORKED in a forked child.
#define BSC_CHECK_USABLE(instance)         \
  do {                                     \
    if ((instance).forked()) [[unlikely]]  \
      return bsc_instance::forked_error(); \
  } while (false)
