// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/build_id.hpp"

#include <doctest/doctest.h>

#include <string_view>

namespace bascule::backend {

TEST_CASE("the build id of a linked program is a hash in hexadecimal, the same on each call") {
  const std::string_view id = build_id();
  CHECK(id.size() >= 16);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string_view::npos);
  CHECK(build_id() == id.data());
}

}  // namespace bascule::backend
