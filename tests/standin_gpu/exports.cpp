// The vendor's names over the stand-in's functions; BSC_VENDOR_API is the plugin's own list. A library of an older driver
// (BSC_STANDIN_OLD) lacks one function that is required.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include BSC_VENDOR_API
#include "backends/common/gpu/api.hpp"
#include "tests/standin_gpu/machine.hpp"

#define BSC_VISIBLE extern "C" __attribute__((visibility("default")))

#define BSC_EXPORT(member, name)                                                                 \
  static_assert(std::is_same_v<decltype(&bascule::standin::calls::member),                       \
                               decltype(bascule::gpu::Api::member)::Function>);                  \
  BSC_VISIBLE int name BSC_PARAMETERS_##member {                                                 \
    if (const int code = bascule::standin::enter(#name); code != 0) return code;                 \
    return bascule::standin::calls::member BSC_ARGUMENTS_##member;                               \
  }
BSC_VENDOR_FUNCTIONS(BSC_EXPORT, BSC_EXPORT)

BSC_VISIBLE bascule::standin::Standin* bascule_standin_gpu() { return &bascule::standin::machine().state; }
