// Kernels under a contract: choice, checks, workspace, graphs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <thread>

#include "core/package/pack.hpp"
#include "core/runtime/testing/fake_instance.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::testing;

namespace {

constexpr const char* kSource = R"json({
  "package": {"name": "test", "version": "1.0.0"},
  "kernels": [{
    "name": "axpb", "version": "1.0",
    "parameters": [
      {"name": "a", "kind": "scalar", "type": "f32"}, {"name": "b", "kind": "scalar", "type": "f32"},
      {"name": "n", "kind": "scalar", "type": "u64"},
      {"name": "x", "kind": "buffer", "type": "f32", "access": "in", "length": "n"},
      {"name": "y", "kind": "buffer", "type": "f32", "access": "out", "length": "n"}],
    "requires": [{"expression": "n != 13", "message": "n must not be 13"}],
    "variants": [
      {"name": "wide", "format": "host", "target": "x86-64-v4", "class": "tuned",
       "launches": [{"function": "axpb", "grid": ["n"], "block": [64],
                     "arguments": ["a", "b", "n", "x", "y"]}]},
      {"name": "plain", "format": "host", "target": "", "class": "portable",
       "launches": [{"function": "axpb", "grid": ["n"], "block": [64],
                     "arguments": ["a", "b", "n", "x", "y"]}]},
      {"name": "second", "format": "host", "target": "", "class": "portable",
       "launches": [{"function": "axpb", "grid": ["n"], "block": [64],
                     "arguments": ["a", "b", "n", "x", "y"]}]}]
  }, {
    "name": "workspace", "version": "1.0",
    "parameters": [{"name": "y", "kind": "buffer", "type": "u32", "access": "out", "length": "1"}],
    "variants": [
      {"name": "plain", "format": "host", "target": "", "class": "portable",
       "workspace": "256", "workspace_init": "zero",
       "launches": [{"function": "use_workspace", "grid": [1], "block": [1],
                     "arguments": [{"workspace": {"offset": "0", "bytes": "256", "type": "u32"}}, "y"]}]}]
  }, {
    "name": "nowhere", "version": "1.0",
    "parameters": [{"name": "y", "kind": "buffer", "type": "u32", "access": "out"}],
    "variants": [
      {"name": "wide", "format": "host", "target": "x86-64-v4", "class": "tuned",
       "launches": [{"function": "add_one", "grid": ["y.length"], "block": [1], "arguments": ["y"]}]}]
  }]})json";

std::vector<std::byte> packed() {
  const bascule::test::TemporaryDirectory directory;
  auto bytes = bascule::core::pack_files({directory.write("test.json", kSource)});
  REQUIRE_MESSAGE(bytes.ok(), (bytes.ok() ? "" : bytes.error().message));
  return std::move(bytes).value();
}

bsc_package* load(bsc_instance* instance) {
  const auto bytes = packed();
  bsc_package* package = nullptr;
  ErrorHolder error;
  REQUIRE_MESSAGE(bsc_package_load(instance, bytes.data(), bytes.size(), test_table(), &package, &error) == BSC_OK,
                  error.message());
  return package;
}

bsc_kernel* create(bsc_device* device, bsc_package* package, const char* name, const char* variant = nullptr) {
  bsc_kernel* kernel = nullptr;
  ErrorHolder error;
  REQUIRE_MESSAGE(bsc_kernel_create(device, package, name, variant, &kernel, &error) == BSC_OK, error.message());
  return kernel;
}

// The five arguments of axpb, changed by the tests.
struct Call {
  float a = 2, b = 3;
  std::uint64_t n;
  std::vector<bsc_argument> arguments;
  Call(bsc_buffer* x, bsc_buffer* y, std::uint64_t count) : n(count) {
    arguments = {value_argument(&a, 4), value_argument(&b, 4), value_argument(&n, 8), buffer_argument(x, count * 4),
                 buffer_argument(y, count * 4)};
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

}  // namespace

TEST_CASE("a kernel is chosen by score, launched under its contract and computes") {
  Fixture fixture;
  bsc_package* package = load(fixture.instance);
  CHECK(std::string(bsc_package_kernel_name(package, 0)) == "axpb");
  CHECK(bsc_package_kernel_name(package, 3) == nullptr);
  bsc_kernel* kernel = create(fixture.device, package, "axpb");
  CHECK(std::string(bsc_kernel_variant(kernel)) == "plain");  // wide needs x86-64-v4
  std::vector<float> x(100), y(100);
  std::iota(x.begin(), x.end(), 0.f);
  bsc_buffer* bx = fixture.buffer(400);
  bsc_buffer* by = fixture.buffer(400);
  REQUIRE(bsc_queue_upload(fixture.queue, bx, 0, x.data(), 400, nullptr) == BSC_OK);
  const Call call(bx, by, 100);
  ErrorHolder error;
  REQUIRE_MESSAGE(bsc_queue_launch(fixture.queue, kernel, nullptr, 5, call.arguments.data(), nullptr, &error) == BSC_OK,
                  error.message());
  REQUIRE(bsc_queue_read(fixture.queue, by, 0, y.data(), 400, nullptr, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  for (int i = 0; i < 100; ++i) REQUIRE(y[static_cast<std::size_t>(i)] == 2 * static_cast<float>(i) + 3);
  bsc_kernel_release(kernel);
  bsc_package_release(package);
  bsc_buffer_release(bx);
  bsc_buffer_release(by);
}

TEST_CASE("arguments that break the contract are refused with what was expected and what was given") {
  Fixture fixture;
  bsc_package* package = load(fixture.instance);
  bsc_kernel* kernel = create(fixture.device, package, "axpb");
  bsc_buffer* bx = fixture.buffer(400);
  bsc_buffer* by = fixture.buffer(400);
  const auto refused = [&](const std::vector<bsc_argument>& arguments, const std::vector<std::string>& words) {
    ErrorHolder error;
    CHECK(bsc_queue_launch(fixture.queue, kernel, nullptr, arguments.size(), arguments.data(), nullptr, &error) ==
          BSC_INVALID_ARGUMENT);
    for (const std::string& word : words) CHECK_MESSAGE(error.mentions(word), error.message());
  };
  {
    Call call(bx, by, 100);
    call.arguments.pop_back();
    refused(call.arguments, {"axpb", "4", "5"});
  }
  {
    Call call(bx, by, 100);
    std::swap(call.arguments[2], call.arguments[3]);
    refused(call.arguments, {"axpb", "n"});
  }
  {
    Call call(bx, by, 100);
    call.arguments[0].bytes = 8;
    refused(call.arguments, {"a", "4", "8"});
  }
  {
    Call call(bx, by, 101);  // y is too short for n
    call.arguments[3].bytes = call.arguments[4].bytes = 400;
    refused(call.arguments, {"x", "100", "101"});
  }
  {
    Call call(bx, by, 13);
    refused(call.arguments, {"n must not be 13"});
  }
  {
    Call call(bx, by, 10);
    call.arguments[3].offset = 2;
    refused(call.arguments, {"x", "2", "4"});
  }
  {
    Call call(bx, by, 10);
    call.arguments[1].kind = BSC_ARG_LOCAL;
    refused(call.arguments, {"local"});
  }
  CHECK(bsc_queue_submitted(fixture.queue) == 0);
  bsc_kernel_release(kernel);
  bsc_package_release(package);
  bsc_buffer_release(bx);
  bsc_buffer_release(by);
}

TEST_CASE("an empty launch under a contract completes and runs nothing") {
  Fixture fixture;
  bsc_package* package = load(fixture.instance);
  bsc_kernel* kernel = create(fixture.device, package, "axpb");
  bsc_buffer* buffer = fixture.buffer(0);
  const Call call(buffer, buffer, 0);
  bsc_event* event = nullptr;
  REQUIRE(bsc_queue_launch(fixture.queue, kernel, nullptr, 5, call.arguments.data(), &event, nullptr) == BSC_OK);
  CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_OK);
  CHECK(fixture.plugin.launches == 0);
  bsc_event_release(event);
  bsc_kernel_release(kernel);
  bsc_package_release(package);
  bsc_buffer_release(buffer);
}

TEST_CASE("a variant can be forced by the caller or by the configuration; an unusable or unknown one is an error") {
  FakePlugin plugin;
  bsc_instance* instance = make_instance({{"fake", &plugin}}, "", {{"axpb", "second"}});
  bsc_device* device = bsc_instance_default_device(instance);
  bsc_package* package = load(instance);
  bsc_kernel* configured = create(device, package, "axpb");
  CHECK(std::string(bsc_kernel_variant(configured)) == "second");
  bsc_kernel* asked = create(device, package, "axpb", "plain");
  CHECK(std::string(bsc_kernel_variant(asked)) == "plain");
  bsc_kernel* none = nullptr;
  ErrorHolder error;
  CHECK(bsc_kernel_create(device, package, "axpb", "wide", &none, &error) == BSC_NO_VARIANT);
  CHECK(error.mentions("x86-64-v4"));
  CHECK(bsc_kernel_create(device, package, "axpb", "imaginary", &none, &error) == BSC_NOT_FOUND);
  CHECK(error.mentions("plain"));
  CHECK(bsc_kernel_create(device, package, "imaginary", nullptr, &none, &error) == BSC_NOT_FOUND);
  CHECK(error.mentions("axpb"));
  CHECK(bsc_kernel_create(device, package, "nowhere", nullptr, &none, &error) == BSC_NO_VARIANT);
  CHECK(error.mentions("wide"));
  bsc_kernel_release(configured);
  bsc_kernel_release(asked);
  bsc_package_release(package);
  bsc_instance_release(instance);
  CHECK(plugin.live_instances == 0);
}

TEST_CASE("a second creation gives the same kernel, kernels of one table share a module, and threads agree") {
  Fixture fixture;
  bsc_package* package = load(fixture.instance);
  std::vector<bsc_kernel*> kernels(8);
  std::vector<std::thread> threads;
  for (auto& kernel : kernels) {
    threads.emplace_back([&] { bsc_kernel_create(fixture.device, package, "axpb", nullptr, &kernel, nullptr); });
  }
  for (auto& thread : threads) thread.join();
  for (bsc_kernel* kernel : kernels) CHECK(kernel == kernels[0]);
  bsc_kernel* other = create(fixture.device, package, "workspace");
  CHECK(fixture.plugin.live_modules == 1);
  bsc_package_release(package);  // kernels keep what they need
  bsc_buffer* by = fixture.buffer(400);
  const Call call(by, by, 1);
  CHECK(bsc_queue_launch(fixture.queue, kernels[0], nullptr, 5, call.arguments.data(), nullptr, nullptr) == BSC_OK);
  for (bsc_kernel* kernel : kernels) bsc_kernel_release(kernel);
  bsc_kernel_release(other);
  bsc_buffer_release(by);
}

TEST_CASE("explain names every variant with score and reason, for unusable kernels too") {
  Fixture fixture;
  bsc_package* package = load(fixture.instance);
  for (const char* name : {"axpb", "nowhere"}) {
    char* json = nullptr;
    REQUIRE(bsc_kernel_explain(fixture.device, package, name, &json, nullptr) == BSC_OK);
    const std::string text = json;
    bsc_free(json);
    CHECK(text.find("\"wide\"") != std::string::npos);
    CHECK(text.find("x86-64-v4") != std::string::npos);
  }
  CHECK(fixture.plugin.live_modules == 0);
  CHECK(std::string(bsc_package_describe(package)).find("axpb") != std::string::npos);
  bsc_package_release(package);
}

TEST_CASE("a workspace is cleared for every launch, by the plugin's fill or without it, launched or replayed") {
  for (const bool fill : {true, false}) {
    for (const bool native_graph : {true, false}) {
      FakeOptions options;
      options.with_fill = fill;
      options.with_graph = native_graph;
      Fixture fixture(options);
      bsc_package* package = load(fixture.instance);
      bsc_kernel* kernel = create(fixture.device, package, "workspace");
      bsc_buffer* y = fixture.filled({0});
      const bsc_argument argument = buffer_argument(y, 4);
      for (int i = 0; i < 3; ++i) {
        REQUIRE(bsc_queue_launch(fixture.queue, kernel, nullptr, 1, &argument, nullptr, nullptr) == BSC_OK);
        CHECK(fixture.read(y) == std::vector<std::uint32_t>{1});
      }
      REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
      REQUIRE(bsc_queue_launch(fixture.queue, kernel, nullptr, 1, &argument, nullptr, nullptr) == BSC_OK);
      bsc_graph* graph = nullptr;
      REQUIRE(bsc_queue_end_recording(fixture.queue, &graph, nullptr) == BSC_OK);
      for (int i = 0; i < 3; ++i) {
        REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
        CHECK(fixture.read(y) == std::vector<std::uint32_t>{1});
      }
      REQUIRE(bsc_graph_update_launch(graph, 0, nullptr, 1, &argument, nullptr) == BSC_OK);
      REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
      CHECK(fixture.read(y) == std::vector<std::uint32_t>{1});
      bsc_graph_release(graph);
      bsc_kernel_release(kernel);
      bsc_package_release(package);
      bsc_buffer_release(y);
    }
  }
}

TEST_CASE("a package that is truncated, empty or foreign is INVALID_PACKAGE at every length") {
  Fixture fixture;
  const auto bytes = packed();
  bsc_package* package = nullptr;
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 7) {
    REQUIRE(bsc_package_load(fixture.instance, bytes.data(), length, test_table(), &package, nullptr) ==
            BSC_INVALID_PACKAGE);
  }
  CHECK(bsc_package_load_file(fixture.instance, "/nonexistent/file.bpkg", &package, nullptr) != BSC_OK);
}

TEST_CASE("a kernel of another device or instance is refused") {
  Fixture fixture;
  Fixture other;
  bsc_package* package = load(fixture.instance);
  bsc_kernel* kernel = nullptr;
  ErrorHolder error;
  CHECK(bsc_kernel_create(other.device, package, "axpb", nullptr, &kernel, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("different instances"));
  kernel = create(fixture.device, package, "workspace");
  bsc_buffer* y = other.filled({0});
  const bsc_argument argument = buffer_argument(y, 4);
  CHECK(bsc_queue_launch(other.queue, kernel, nullptr, 1, &argument, nullptr, &error) == BSC_INVALID_ARGUMENT);
  bsc_buffer_release(y);
  bsc_kernel_release(kernel);
  bsc_package_release(package);
}
