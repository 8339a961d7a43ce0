// A program whose objects die with the process: in a destructor of a static object, after main has returned, with work still
// under way. It must end quietly and with status 0.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/bascule.hpp>
#include <cstdio>

namespace {

struct Kept {
  bascule::Runtime runtime;
  bascule::Queue queue;
  bascule::Buffer<float> buffer;
  bascule::Event event;
};

Kept& kept() {
  static Kept objects;
  return objects;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  bascule::Options options;
  options.ignore_files = true;
  options.settings = {{"backends", argument_count > 1 ? arguments[1] : "null"}};
  Kept& objects = kept();
  objects.runtime = bascule::Runtime::open(options);
  objects.queue = objects.runtime.device().create_queue();
  objects.buffer = objects.runtime.device().allocate<float>(1 << 20);
  for (int i = 0; i < 8; ++i) objects.queue.fill(objects.buffer, 1.f);
  objects.event = objects.queue.record();
  return 0;
} catch (const bascule::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
