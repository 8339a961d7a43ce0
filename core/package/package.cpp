// Loading packages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/package.hpp"

#include "core/base/hash.hpp"
#include "core/base/json_writer.hpp"
#include "core/package/container.hpp"
#include "core/package/metadata.hpp"
#include "core/package/metadata_json.hpp"
#include "core/package/concat.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

constexpr std::size_t kMaxPackageFileBytes = std::size_t{1} << 32;

// Over all that decides what a variant computes: its plan, its options and its image.
std::string variant_hash(const Contract& contract, const Variant& variant, std::span<const std::byte> image) {
  Variant bare = variant;
  bare.image.reset();  // the place in the package says nothing about the content
  Hasher hasher;
  hasher.add(write_variant(contract, bare));
  hasher.add(image.data(), image.size());
  return hasher.finish().hex();
}

}  // namespace

Result<std::shared_ptr<const Package>> Package::load(std::span<const std::byte> data, const bsc_host_table* host_table,
                                                     std::string_view origin) {
  std::shared_ptr<Package> package(new Package);
  package->storage_.assign(data.begin(), data.end());
  package->host_table_ = host_table;
  auto container = read_container(package->storage_, origin);
  if (!container) return container.take_error();
  auto metadata = read_metadata(container->metadata, MetadataForm::packed, container->images.size(), origin);
  if (!metadata) return metadata.take_error();
  package->name_ = std::move(metadata->name);
  package->version_ = std::move(metadata->version);
  package->kernels_ = std::move(metadata->kernels);
  package->images_ = std::move(container->images);
  for (Kernel& kernel : package->kernels_) {
    for (Variant& variant : kernel.variants) {
      const auto image = variant.image ? package->images_[*variant.image] : std::span<const std::byte>();
      variant.hash = variant_hash(kernel.contract, variant, image);
    }
  }
  return std::shared_ptr<const Package>(std::move(package));
}

Result<std::shared_ptr<const Package>> Package::load_file(const std::string& path) {
  auto content = read_file(path, kMaxPackageFileBytes);
  if (!content) return content.take_error();
  return load(std::as_bytes(std::span(content->data(), content->size())), nullptr, path);
}

const Kernel* Package::find(std::string_view kernel) const {
  for (const Kernel& candidate : kernels_) {
    if (candidate.contract.name == kernel) return &candidate;
  }
  return nullptr;
}

Result<const Kernel*> Package::require(std::string_view kernel) const {
  if (const Kernel* found = find(kernel)) return found;
  std::string names;
  for (const Kernel& candidate : kernels_) names += concat(names.empty() ? "" : ", ", candidate.contract.name);
  return Error{BSC_NOT_FOUND, concat("package ", name_, " has no kernel \"", kernel, "\"; it has ", names),
               "use one of the names that are there"};
}

std::string Package::describe() const {
  JsonWriter json;
  json.begin_object().member("package", name_).member("version", version_).key("kernels").begin_array();
  for (const Kernel& kernel : kernels_) {
    json.begin_object();
    write_contract_members(json, kernel.contract);
    json.key("variants").begin_array();
    for (const Variant& variant : kernel.variants) {
      json.begin_object();
      write_variant_members(json, kernel.contract, variant);
      json.member("hash", variant.hash);
      json.member("image_bytes", variant.image ? images_[*variant.image].size() : std::size_t{0});
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace bascule::core
