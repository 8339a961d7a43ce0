// Packing: read the sources, collect images, check the result by loading it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/pack.hpp"

#include <map>
#include <set>
#include <span>

#include "core/package/container.hpp"
#include "core/package/metadata.hpp"
#include "core/package/package.hpp"
#include "core/package/concat.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

constexpr std::size_t kMaxImageBytes = std::size_t{1} << 30;

bool stays_in_folder(const std::string& name) {
  if (name.empty() || name.front() == '/') return false;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t slash = std::min(name.find('/', start), name.size());
    if (name.compare(start, slash - start, "..") == 0) return false;
    start = slash + 1;
  }
  return true;
}

class Packer {
 public:
  Status add(const std::string& path) {
    auto source = read_file(path, kMaxJsonSourceBytes);
    if (!source) return source.take_error();
    auto metadata = read_metadata(*source, MetadataForm::source, 0, path);
    if (!metadata) return metadata.take_error();
    if (!first_ && (metadata->name != merged_.name || metadata->version != merged_.version)) {
      return Error{BSC_INVALID_PACKAGE, concat(path, ": package: it is ", metadata->name, " ", metadata->version, ", but the first file's is ",
                                               merged_.name, " ", merged_.version),
                   "give all source files of a package the same name and version"};
    }
    for (std::size_t k = 0; k < metadata->kernels.size(); ++k) {
      Kernel& kernel = metadata->kernels[k];
      for (std::size_t v = 0; v < kernel.variants.size(); ++v) {
        BSC_RETURN_IF_ERROR(add_image(kernel.variants[v], path, concat("kernels[", k, "].variants[", v, "].image")));
      }
      if (!names_.insert(kernel.contract.name).second) {
        return Error{BSC_INVALID_PACKAGE, concat(path, ": kernels[", k, "].name: the kernel \"", kernel.contract.name,
                                               "\" is in another source file too"),
                     "rename one of them"};
      }
      if (!first_) merged_.kernels.push_back(std::move(kernel));
    }
    if (first_) merged_ = std::move(*metadata);
    first_ = false;
    return {};
  }

  Result<std::vector<std::byte>> finish() {
    std::vector<std::span<const std::byte>> images;
    for (const std::string& image : images_) images.push_back(std::as_bytes(std::span(image.data(), image.size())));
    auto packed = write_container(write_metadata(merged_), images);
    if (!packed) return packed;
    // What cannot be loaded must not be handed out.
    auto loaded = Package::load(*packed, nullptr, "the finished package");
    if (!loaded) return loaded.take_error();
    return packed;
  }

 private:
  static constexpr std::size_t kMaxJsonSourceBytes = std::size_t{1} << 27;

  Status add_image(Variant& variant, const std::string& source_path, const std::string& json_path) {
    if (variant.image_file.empty()) return {};
    if (!stays_in_folder(variant.image_file)) {
      return Error{BSC_INVALID_PACKAGE, concat(source_path, ": ", json_path, ": \"", variant.image_file, "\" leaves the source file's folder"),
                   "name a file in the folder of the source file or below"};
    }
    const std::string path = anchored(variant.image_file, parent_directory(source_path));
    auto content = read_file(path, kMaxImageBytes);
    if (!content) {
      Error error = content.take_error();
      error.message = concat(source_path, ": ", json_path, ": ", error.message);
      return error;
    }
    const auto [place, added] = index_.emplace(*content, static_cast<std::uint32_t>(images_.size()));
    if (added) images_.push_back(std::move(*content));
    variant.image = place->second;
    variant.image_file.clear();
    return {};
  }

  bool first_ = true;
  Metadata merged_;
  std::set<std::string> names_;
  std::vector<std::string> images_;
  std::map<std::string, std::uint32_t> index_;
};

}  // namespace

Result<std::vector<std::byte>> pack_files(const std::vector<std::string>& source_files) {
  if (source_files.empty()) return Error{BSC_INVALID_ARGUMENT, "no source file was given", "name the JSON file of the package"};
  Packer packer;
  for (const std::string& path : source_files) BSC_RETURN_IF_ERROR(packer.add(path));
  return packer.finish();
}

Status pack_to_file(const std::vector<std::string>& source_files, const std::string& output) {
  auto packed = pack_files(source_files);
  if (!packed) return packed.take_error();
  return write_file_atomically(output, {reinterpret_cast<const char*>(packed->data()), packed->size()}, 0644);
}

}  // namespace bascule::core
