/* Bascule for C++: a thin wrapper over the C API (bascule.h). C++17 or later, header only.
 *
 *   auto runtime = bascule::Runtime::open({...});
 *   auto device = runtime.device();
 *   auto queue = device.create_queue();
 *   auto x = device.upload(queue, hx);                            // hx may go on return
 *   auto y = device.allocate<float>(hx.size());
 *   queue.launch(device.kernel("axpb"), bascule::work_items(hx.size()), 2.f, 3.f, x, y);
 *   queue.read(y, hy).wait();
 *
 * Objects are references: copying one is cheap and names the same thing; the last one to go releases it. What something
 * was made from stays alive as long as it does. A destructor never throws; only a queue's may wait, for its own work. A
 * moved-from or default-constructed object is empty: destroying or assigning it is fine, anything else gives
 * INVALID_ARGUMENT.
 *
 * Errors. With exceptions, a failing call throws bascule::Error. Without (-fno-exceptions, or BASCULE_NO_EXCEPTIONS
 * defined before this header), every call that can fail returns bascule::Result<T> instead of T:
 *
 *   auto runtime = bascule::Runtime::open();
 *   if (!runtime) return report(runtime.error());
 *   auto device = runtime->device();
 *
 * `Outcome<T>` below stands for T or Result<T>. The two forms live in different inline namespaces, so translation units
 * of both kinds may be linked together.
 *
 * Threads. As in bascule.h: everything may be used from any thread, except that one queue's submitting calls must not
 * run at the same time. One object (as opposed to copies of it) must not be assigned while another thread uses it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_HPP
#define BASCULE_HPP

#include "cpp/buffer.hpp"
#include "cpp/device.hpp"
#include "cpp/error.hpp"
#include "cpp/event.hpp"
#include "cpp/kernel.hpp"
#include "cpp/launch.hpp"
#include "cpp/queue.hpp"
#include "cpp/runtime.hpp"
#include "cpp/typed_kernel.hpp"

#endif
