// bsc_event: a point on a queue's timeline.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "bascule/bascule.h"
#include "core/runtime/object.hpp"
#include "core/runtime/queue.hpp"

struct bsc_event final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kEvent;

  explicit bsc_event(bsc_queue& queue) : Object(kKind), queue_(bascule::core::Ref<bsc_queue>::share(&queue)) {}

  bsc_queue& queue() const { return *queue_; }
  bsc_instance& instance() const { return queue_->instance(); }
  std::uint64_t value() const { return value_; }
  // Before the event is given to the user.
  void set_value(std::uint64_t value) { value_ = value; }

 private:
  bascule::core::Ref<bsc_queue> queue_;
  std::uint64_t value_ = 0;
};
