// Members of contracts and variants as JSON, for the packed metadata and for descriptions alike.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "core/package/variant.hpp"

namespace bascule::core {

class JsonWriter;

// Into an object that is open.
void write_contract_members(JsonWriter& json, const Contract& contract);
void write_variant_members(JsonWriter& json, const Contract& contract, const Variant& variant);

}  // namespace bascule::core
