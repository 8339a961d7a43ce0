// Known backends: see known_backends.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/known_backends.hpp"

#include "core/loader/json.hpp"
#include "core/loader/known_backends.json.hpp"

namespace bascule::core {

Result<std::vector<KnownBackend>> parse_known_backends(std::string_view json) {
  auto document = JsonObject::parse(json, "known_backends.json");
  if (!document.ok()) return document.take_error();
  std::vector<KnownBackend> backends;
  for (JsonObject& entry : document->objects_or_none("backends")) {
    KnownBackend backend;
    backend.name = entry.text("name");
    backend.package = entry.text("package");
    backend.automatic = entry.boolean_or("auto", false);
    backend.auto_device_types = entry.texts_or_none("auto_device_types");
    backend.driver = entry.text("driver");
    backend.note = entry.text_or("note", "");
    backend.environment = entry.texts_or_none("environment");
    backend.watch = entry.texts_or_none("watch");
    BSC_RETURN_IF_ERROR(entry.finish());
    backends.push_back(std::move(backend));
  }
  BSC_RETURN_IF_ERROR(document->finish());
  return backends;
}

const std::vector<KnownBackend>& known_backends() {
  // The embedded text is checked by a unit test, so an error cannot happen here. Never destroyed: it may be asked for
  // at exit.
  static const auto* const backends =
      new std::vector<KnownBackend>(std::move(parse_known_backends(embedded::loader_known_backends_json).value()));
  return *backends;
}

const KnownBackend* find_known_backend(std::string_view name) {
  for (const KnownBackend& backend : known_backends()) {
    if (backend.name == name) return &backend;
  }
  return nullptr;
}

}  // namespace bascule::core
