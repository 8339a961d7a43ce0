// The choice of a variant as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/json_writer.hpp"
#include "core/package/choice.hpp"
#include "core/package/metadata_json.hpp"

namespace bascule::core {

std::string explain_choice(const Package& package, const Kernel& kernel, const DeviceTraits& device, std::string_view forced) {
  const std::vector<VariantScore> scores = score_variants(package, kernel, device, forced);
  const auto chosen = choose_variant(package, kernel, device, forced);
  JsonWriter json;
  json.begin_object().member("package", package.name()).member("kernel", kernel.contract.name).member("device", device.id);
  json.member("architecture", device.architecture).key("chosen");
  if (chosen.ok()) json.value(kernel.variants[*chosen].name);
  else json.null();
  json.member("forced", forced).key("contract").begin_object();
  write_contract_members(json, kernel.contract);
  json.end_object().key("variants").begin_array();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Variant& variant = kernel.variants[i];
    json.begin_object().member("name", variant.name).member("format", variant.format).member("target", variant.target);
    json.member("class", variant.variant_class).member("score", scores[i].score).member("reason", scores[i].reason);
    json.member("hash", variant.hash).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace bascule::core
