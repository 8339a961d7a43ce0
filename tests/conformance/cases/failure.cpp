// What follows after work has failed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>

#include "tests/conformance/kernels.hpp"
#include "tests/conformance/plugin_library.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

// A queue whose second submission fails: by a kernel that says so or traps, or by order where the plugin takes orders.
class Scene {
 public:
  explicit Scene(Context& context)
      : by_order_(context.plugin.declares_option("fail")),
        session(context, by_order_ ? OptionList{{"fail", "execute:2:LAUNCH_FAILED"}} : OptionList{}),
        queue(session) {
    if (by_order_) return;
    const std::string_view format = Image::best_format(session);
    if (format != "host" && format != "ptx") skip("the suite knows no way to work that fails on this device");
    module_ = std::make_unique<Module>(session);
  }

  // Value 1 succeeds, value 2 fails.
  void fail() {
    expect(queue.submit(Commands()) == 1, "the first value");
    Commands commands;
    if (!by_order_) commands.launch(module_->function("fail"), module_->items(1, 1), module_->arguments());
    expect(queue.submit(commands) == 2, "the second value");
  }

  void expect_failed_wait(std::uint64_t value) {
    Error error;
    expect_refused(queue.try_wait(value, BSC_WAIT_FOREVER, error), error, {BSC_LAUNCH_FAILED},
                   fmt::format("a wait for value {} after value 2 failed", value));
  }

 private:
  bool by_order_;

 public:
  Session session;
  Queue queue;

 private:
  std::unique_ptr<Module> module_;
};

// Of a GPU that a failed kernel takes out of service there is nothing more to ask.
void skip_if_device_is_lost(Queue& other) {
  Error error;
  std::uint64_t value = 0;
  if (other.try_submit(Commands(), &value, error) == BSC_DEVICE_LOST) skip("a failure takes the whole device with it");
}

}  // namespace

CONFORMANCE_CASE(async, failure, a_wait_gives_the_status) {
  Scene s(context);
  s.fail();
  s.expect_failed_wait(2);
  s.expect_failed_wait(2);
}

CONFORMANCE_CASE(async, failure, names_the_interval_of_submissions) {
  Scene s(context);
  s.fail();
  Error error;
  expect_refused(s.queue.try_wait(2, BSC_WAIT_FOREVER, error), error, {BSC_LAUNCH_FAILED}, "a wait for failed work");
  expect(error.raw().last_completed < 2 && error.raw().first_incomplete >= 2,
         fmt::format("value 2 is not in ({}, {}]", error.raw().last_completed, error.raw().first_incomplete));
}

CONFORMANCE_CASE(async, failure, earlier_values_stay_completed) {
  Scene s(context);
  s.fail();
  s.expect_failed_wait(2);
  s.queue.wait(1);
}

CONFORMANCE_CASE(async, failure, the_queue_refuses_more_with_the_same_status) {
  Scene s(context);
  s.fail();
  s.expect_failed_wait(2);
  Error error;
  std::uint64_t value = 0;
  for (int i = 0; i < 3; ++i) {
    expect_refused(s.queue.try_submit(Commands(), &value, error), error, {BSC_LAUNCH_FAILED},
                   "a submission to a failed queue");
  }
  s.queue.release();
}

CONFORMANCE_CASE(async, failure, later_work_completes_without_running) {
  Scene s(context);
  s.session.needs_results();
  Memory memory(s.session, 16);
  const unsigned char before = 1;
  const unsigned char after = 2;
  unsigned char back = 0;
  Queue other(s.session);
  other.run(Commands().fill(memory, 0, 16, &before, 1));
  s.fail();
  Error error;
  std::uint64_t value = 0;
  // Accepted if the failure is not known yet, refused if it is; in both cases it must not run.
  const bsc_status status = s.queue.try_submit(Commands().fill(memory, 0, 16, &after, 1), &value, error);
  if (status == BSC_OK) s.expect_failed_wait(value);
  s.expect_failed_wait(2);
  skip_if_device_is_lost(other);
  other.run(Commands().read(memory, 0, &back, 1));
  expect(back == before, "work behind a failed submission ran");
  s.queue.release();
}

CONFORMANCE_CASE(async, failure, other_queues_go_on) {
  Scene s(context);
  Queue other(s.session);
  s.fail();
  s.expect_failed_wait(2);
  skip_if_device_is_lost(other);
  for (int i = 0; i < 3; ++i) other.run(Commands());
  Queue later(s.session);
  later.run(Commands());
}

CONFORMANCE_CASE(async, failure, a_failed_queue_can_be_released_and_the_instance_closed) {
  Scene s(context);
  s.fail();
  s.expect_failed_wait(2);
  s.queue.release();
  s.session.close();
}

}  // namespace bascule::conformance
