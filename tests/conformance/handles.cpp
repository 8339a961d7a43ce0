// Making handles that are none.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/handles.hpp"

#include <array>

namespace bascule::conformance {

std::vector<BadHandle> bad_handles(Session& session, std::uint32_t wanted_kind) {
  // Room behind the first words, for a plugin that looks further than it should.
  struct Fake {
    bsc_plugin_object object;
    std::array<unsigned char, 512> rest;
  };
  static Fake without_magic;
  without_magic = {};
  without_magic.object = {&session.api, 0x12345678u, wanted_kind};
  bsc_plugin_object* const other_kind = wanted_kind == BSC_OBJECT_DEVICE ? session.instance : session.device;
  return {{nullptr, "a null handle"},
          {&without_magic.object, "a handle without the magic number"},
          {other_kind, "a handle of another kind"}};
}

}  // namespace bascule::conformance
