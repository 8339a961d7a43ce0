// bsc_device: what a plugin said about a device, and what the runtime keeps for it (pool, graveyard, transfer queue).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bascule/bascule.h"
#include "bascule/plugin.h"
#include "core/package/choice.hpp"
#include "core/runtime/backend.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/object.hpp"
#include "core/runtime/plugin_queue.hpp"

struct bsc_device final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kDevice;
  using Backend = bascule::core::Backend;
  using Memory = bascule::core::Memory;

  // Asks the plugin for the device's description.
  static bascule::core::Result<bascule::core::Ref<bsc_device>> create(bsc_instance& instance, const Backend& backend,
                                                                      bsc_plugin_device handle, std::uint64_t index);
  bsc_device(bsc_instance& instance, const Backend& backend, bsc_plugin_device handle, std::string id,
             const bsc_plugin_device_info& info);

  bsc_instance& instance() const { return instance_; }
  const Backend& backend() const { return backend_; }
  bsc_plugin_device handle() const { return handle_; }
  const bsc_device_info& info() const { return info_; }
  // What the choice of variants and the plans need to know.
  const bascule::core::DeviceTraits& traits() const { return traits_; }
  const std::vector<std::string>& formats() const { return formats_; }
  bool takes_format(const std::string& format) const;

  struct Capability {
    std::string name;
    std::int64_t value;
    std::string unit;
  };
  const std::vector<Capability>& capabilities() const { return capabilities_; }

  // Fresh memory from the driver. When it has none left, pools are trimmed and it is asked once more.
  bascule::core::Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes, std::uint32_t type);
  // Memory from the pool, for work on the queue of this timeline.
  bascule::core::Result<std::unique_ptr<Memory>> allocate_pooled(std::uint64_t bytes,
                                                                 const bascule::core::Timeline* timeline);
  bascule::core::Pool& pool() { return pool_; }
  bascule::core::Graveyard& graveyard() { return graveyard_; }

  // Runs `body` with the device's own queue for copies from and to other devices; one caller at a time.
  bascule::core::Status with_transfer_queue(
      const std::function<bascule::core::Status(bascule::core::PluginQueue&)>& body);

  // Whether the plugin does FILL itself; learned at the first fill.
  enum class Fill : int { kUnknown, kNative, kEmulated };
  std::atomic<Fill> fill{Fill::kUnknown};

  // Before the backends are closed: releases everything of the plugin's that is left.
  void shut_down();

 private:
  bascule::core::Result<std::unique_ptr<Memory>> allocate_once(std::uint64_t bytes, std::uint32_t type);

  bsc_instance& instance_;  // owns this device
  const Backend& backend_;
  bsc_plugin_device handle_;
  std::string id_;
  struct Texts {
    std::string name, vendor, driver, driver_version, architecture, type, uuid, pci;
  } texts_;
  std::vector<std::string> formats_;
  std::vector<Capability> capabilities_;
  bsc_device_info info_{};
  bascule::core::DeviceTraits traits_;

  bascule::core::Graveyard graveyard_;
  bascule::core::Pool pool_;
  std::mutex transfer_mutex_;
  std::shared_ptr<bascule::core::PluginQueue> transfer_queue_;
};
