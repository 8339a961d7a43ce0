// Handles: what object_cast lets through and what it refuses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/object.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>

namespace {

using bascule::backend::Object;
using bascule::backend::object_cast;

struct Queue : Object<Queue, BSC_OBJECT_QUEUE> {
  using Object::Object;
  int depth = 7;
};
struct Memory : Object<Memory, BSC_OBJECT_MEMORY> {
  using Object::Object;
};

const bsc_plugin_api kOurs = {};
const bsc_plugin_api kTheirs = {};

}  // namespace

TEST_CASE("a live handle of the right kind and plugin leads to its object") {
  const auto queue = std::make_unique<Queue>(&kOurs);
  const bsc_plugin_queue handle = queue.get();
  REQUIRE(object_cast<Queue>(handle, &kOurs) == queue.get());
  CHECK(object_cast<Queue>(handle, &kOurs)->depth == 7);
}

TEST_CASE("null, foreign and wrong-kind handles are refused") {
  const auto queue = std::make_unique<Queue>(&kOurs);
  CHECK(object_cast<Queue>(nullptr, &kOurs) == nullptr);
  CHECK(object_cast<Queue>(queue.get(), &kTheirs) == nullptr);
  CHECK(object_cast<Memory>(queue.get(), &kOurs) == nullptr);
}

TEST_CASE("a released handle is refused, and its storage is not used again at once") {
  auto queue = std::make_unique<Queue>(&kOurs);
  const bsc_plugin_queue handle = queue.get();
  queue.reset();
  CHECK(object_cast<Queue>(handle, &kOurs) == nullptr);
  const auto next = std::make_unique<Queue>(&kOurs);
  CHECK(static_cast<bsc_plugin_queue>(next.get()) != handle);
  CHECK(object_cast<Queue>(handle, &kOurs) == nullptr);
}

TEST_CASE("storage of released handles is reused in the end") {
  std::set<const void*> seen;
  std::size_t reused = 0;
  for (std::size_t i = 0; i < 4 * bascule::backend::kHandleQuarantine; ++i) {
    const auto queue = std::make_unique<Queue>(&kOurs);
    if (!seen.insert(queue.get()).second) ++reused;
  }
  CHECK(reused > 0);
  CHECK(seen.size() <= bascule::backend::kHandleQuarantine + 8);
}
