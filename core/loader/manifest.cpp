// Manifest: see manifest.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/manifest.hpp"

#include "bascule/plugin.h"
#include "core/base/text.hpp"
#include "core/config/selector.hpp"
#include "core/loader/json.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

constexpr std::size_t kMostManifestBytes = 64 << 10;

// A file beside the manifest: a path could lead anywhere.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

// Words that mean something else where a backend's name may stand.
bool is_reserved(std::string_view name) {
  return name == "auto" || name == "uuid" || name == "pci" || name == "emulated";
}

// Anchored where the manifest lies, so that an installation can be moved.
Status read_emulated(JsonObject& document, Manifest& manifest) {
  for (JsonObject& entry : document.objects_or_none("emulated")) {
    EmulatedDriver driver{entry.text("architecture"), entry.text("driver")};
    if (driver.architecture.empty() || !manifest.emulated_driver(driver.architecture).empty())
      entry.fail("\"emulated\" needs a different architecture in each entry, not " + quoted(driver.architecture));
    if (driver.path.empty() || driver.path.front() == '/' || driver.path.find('\0') != std::string::npos)
      entry.fail("\"emulated\": \"driver\" must be a path relative to the manifest, not " + quoted(driver.path));
    BSC_RETURN_IF_ERROR(entry.finish());
    driver.path = anchored(driver.path, parent_directory(manifest.path));
    manifest.emulated.push_back(std::move(driver));
  }
  return {};
}

}  // namespace

std::string Manifest::emulated_driver(std::string_view architecture) const {
  for (const EmulatedDriver& driver : emulated) {
    if (driver.architecture == architecture) return driver.path;
  }
  return "";
}

Result<Manifest> parse_manifest(std::string_view json, const std::string& path) {
  auto document = JsonObject::parse(json, path);
  if (!document.ok()) return document.take_error();
  Manifest manifest;
  manifest.path = path;
  manifest.name = document->text("name");
  if (!is_backend_name(manifest.name)) {
    document->fail(quoted(manifest.name) + " is not a backend's name (lower-case letters, digits and _)");
  }
  if (is_reserved(manifest.name))
    document->fail(quoted(manifest.name) + " is a word of the configuration, no backend's name");
  const std::string file = document->text("file");
  if (!is_plain_name(file))
    document->fail("\"file\" must be the name of a file beside the manifest, not " + quoted(file));
  manifest.plugin_path = anchored(file, parent_directory(path));
  JsonObject abi = document->object("abi");
  manifest.abi_major = abi.integer("major");
  manifest.abi_minor_min = abi.integer("minor_min");
  manifest.abi_minor_max = abi.integer("minor_max");
  if (manifest.abi_minor_min > manifest.abi_minor_max) abi.fail("\"abi.minor_min\" is above \"abi.minor_max\"");
  BSC_RETURN_IF_ERROR(abi.finish());
  manifest.formats = document->texts_or_none("formats");
  manifest.package = document->text_or("package", "");
  manifest.may_abort = document->boolean_or("may_abort", false);
  BSC_RETURN_IF_ERROR(read_emulated(*document, manifest));
  BSC_RETURN_IF_ERROR(document->finish());
  return manifest;
}

Result<Manifest> read_manifest(const std::string& path) {
  auto text = read_file(path, kMostManifestBytes);
  if (!text.ok()) return text.take_error();
  return parse_manifest(*text, path);
}

Status check_manifest_abi(const Manifest& manifest) {
  const std::int64_t major = BSC_PLUGIN_ABI_MAJOR, minor = BSC_PLUGIN_ABI_MINOR;
  if (manifest.abi_major == major && manifest.abi_minor_min <= minor && minor <= manifest.abi_minor_max) return {};
  const bool plugin_is_newer =
      manifest.abi_major > major || (manifest.abi_major == major && manifest.abi_minor_min > minor);
  const std::string number = std::to_string(manifest.abi_major) + ".";
  std::string range = number + std::to_string(manifest.abi_minor_min);
  if (manifest.abi_minor_max != manifest.abi_minor_min)
    range += " to " + number + std::to_string(manifest.abi_minor_max);
  return Error{
      BSC_ABI_MISMATCH,
      manifest.plugin_path + " speaks plugin ABI " + range + ", this library " + std::to_string(major) + "." +
          std::to_string(minor),
      plugin_is_newer ? "Upgrade Bascule to the plugin's version." : "Upgrade the plugin to Bascule's version."};
}

}  // namespace bascule::core
