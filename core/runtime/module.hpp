// bsc_module: an image that a device has loaded, shared by the kernels in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bascule/bascule.h"
#include "bascule/host_kernel.h"
#include "core/runtime/instance.hpp"
#include "core/runtime/timeline.hpp"

namespace bascule::core {

// The plugin's module; unloaded with this object.
class LoadedImage final : public Resource {
 public:
  LoadedImage(const Backend& backend, bsc_plugin_module handle) : backend_(&backend), handle_(handle) {}
  ~LoadedImage() override;
  bsc_plugin_module handle() const { return handle_; }

 private:
  const Backend* backend_;
  bsc_plugin_module handle_;
};

struct ImageSource {
  std::string format;
  std::span<const std::byte> bytes = {};
  std::string options = {};
  const bsc_host_table* host_table = nullptr;  // instead of bytes
  std::string name = {};                       // for messages
};

}  // namespace bascule::core

struct bsc_module final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kModule;

  static bascule::core::Result<bascule::core::Ref<bsc_module>> load(bsc_device& device,
                                                                    const bascule::core::ImageSource& image);
  bsc_module(bsc_device& device, std::unique_ptr<bascule::core::LoadedImage> image, std::string format,
             std::string name)
      : Object(kKind),
        instance_(bascule::core::Ref<bsc_instance>::share(&device.instance())),
        device_(device),
        image_(std::move(image)),
        format_(std::move(format)),
        name_(std::move(name)) {}
  ~bsc_module() override;

  bsc_instance& instance() const { return *instance_; }
  bsc_device& device() const { return device_; }
  const std::string& format() const { return format_; }
  const std::string& name() const { return name_; }
  bascule::core::Uses& uses() const { return image_->uses; }
  bsc_plugin_module handle() const { return image_->handle(); }

  // BSC_NOT_FOUND with the names there are.
  bascule::core::Result<bsc_plugin_function> function(const std::string& name) const;
  bsc_plugin_function_info function_info(bsc_plugin_function function) const;

 private:
  bascule::core::Ref<bsc_instance> instance_;
  bsc_device& device_;
  std::unique_ptr<bascule::core::LoadedImage> image_;
  std::string format_;
  std::string name_;
};
