// Several devices, several instances.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/plugin_library.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

OptionList two_devices(Context& context, const OptionList& more = {}) {
  OptionList options = more;
  if (context.plugin.declares_option("devices")) options.emplace_back("devices", "2");
  return options;
}

void needs_two_devices(const Session& session) {
  if (session.devices.size() < 2) skip("there is one device only");
}

}  // namespace

CONFORMANCE_CASE(peer, peer_memory, of_another_device_is_refused) {
  Session session(context, two_devices(context));
  needs_two_devices(session);
  Memory own(session, 64);
  Memory others(session, session.devices[1], 64);
  Queue queue(session);
  const unsigned char pattern = 1;
  expect_submission_refused(queue, Commands().fill(others, 0, 64, &pattern, 1),
                            {BSC_INVALID_ARGUMENT, BSC_INVALID_HANDLE}, "a fill of another device's memory");
  expect_submission_refused(queue, Commands().copy(own, 0, others, 0, 64), {BSC_INVALID_ARGUMENT, BSC_INVALID_HANDLE},
                            "a copy to another device's memory");
}

CONFORMANCE_CASE(peer, peer_module, of_another_device_is_refused) {
  Session session(context, two_devices(context));
  needs_two_devices(session);
  Module module(session, session.devices[1]);
  Memory memory(session, 256);
  Queue queue(session);
  expect_submission_refused(queue,
                            Commands().launch(module.function("add_one"), module.items(64),
                                              module.arguments().buffer(memory, 0, 64, 4)),
                            {BSC_INVALID_ARGUMENT, BSC_INVALID_HANDLE}, "a function of another device");
}

CONFORMANCE_CASE(peer, peer_wait, queues_of_two_devices_wait_for_each_other) {
  Session session(context, two_devices(context, slow_options(context, 100)));
  needs_two_devices(session);
  SlowWork work(session, 100);
  Queue first(session);
  Queue second(session, session.devices[1]);
  work.submit(first);
  const std::uint64_t value = work.submit(first);
  second.run(Commands().wait(first, value));
  expect(first.completed(value) >= value, "a queue did not wait for another device's");
}

CONFORMANCE_CASE(peer, peer_wait, a_queue_of_another_instance_is_refused) {
  Session one(context);
  Session two(context);
  Queue first(one);
  Queue second(two);
  first.submit(Commands());
  expect_submission_refused(second, Commands().wait(first, 1), {BSC_INVALID_ARGUMENT, BSC_INVALID_HANDLE},
                            "a wait for a queue of another instance");
}

CONFORMANCE_CASE(peer, peer_instances, work_side_by_side) {
  Session one(context);
  Session two(context);
  Memory first(one, 4096);
  Memory second(two, 4096);
  Queue queue_one(one);
  Queue queue_two(two);
  const unsigned char pattern = 3;
  for (int i = 0; i < 20; ++i) {
    queue_one.submit(Commands().fill(first, 0, 4096, &pattern, 1));
    queue_two.submit(Commands().fill(second, 0, 4096, &pattern, 1));
  }
  queue_one.wait(20);
  queue_two.wait(20);
}

}  // namespace bascule::conformance
