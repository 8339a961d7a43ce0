// See corpus.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <sstream>

#include "tests/support/simt_call.hpp"

namespace bascule::test::corpus {
namespace {

const bsc_simt_api* api() {
  static const bsc_simt_api* const found = [] {
    void* const library = dlopen(BASCULE_TEST_SIMT, RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, dlerror());
    const auto query = reinterpret_cast<bsc_simt_query_function>(dlsym(library, BSC_SIMT_QUERY_SYMBOL));
    REQUIRE((query != nullptr));
    return query();
  }();
  return found;
}

constexpr std::size_t kGuardBytes = 256;
constexpr unsigned char kGuard = 0xa5;

}  // namespace

void* guarded_memory(std::size_t bytes) {
  const std::size_t all = (bytes + 3 * kGuardBytes - 1) / kGuardBytes * kGuardBytes;
  auto* const memory = static_cast<unsigned char*>(std::aligned_alloc(kGuardBytes, all));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, kGuard, all);
  return memory + kGuardBytes;
}

void free_guarded_memory(void* memory) { std::free(static_cast<unsigned char*>(memory) - kGuardBytes); }

bool guards_are_whole(const void* memory, std::size_t bytes) {
  const auto* const begin = static_cast<const unsigned char*>(memory);
  const auto whole = [](const unsigned char* at) { return std::all_of(at, at + kGuardBytes, [](unsigned char byte) { return byte == kGuard; }); };
  return whole(begin - kGuardBytes) && whole(begin + bytes);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file, path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Setting> settings() {
  constexpr std::size_t kPlain = 3;
  std::vector<Setting> result(kPlain + BASCULE_CORPUS_SEEDS);
  result[0].name = "best level, one thread";
  result[1].name = "best level, three threads";
  result[1].threads = 3;
  result[2].name = "lowest level";
  result[2].options.cpu_level = 2;
  for (std::size_t i = kPlain; i < result.size(); ++i) {
    // Odd and even seeds: copies of cp.async as late and as early as may be.
    result[i].options.sanitize = 1;
    result[i].options.seed = std::max<std::uint64_t>(seed() + i, 1);
    result[i].threads = i % 4 == 3 ? 2 : 1;
    result[i].name = "sanitizer, seed " + std::to_string(result[i].options.seed);
  }
  for (Setting& setting : result) {
    setting.options.workers = setting.threads;
    setting.options.watchdog_ns = std::uint64_t{120} * 1000000000;
  }
  return result;
}

Program::Program(const std::string& text, const std::string& name, const Setting& setting) : setting_(setting) {
  services_.header = {sizeof services_, BSC_STRUCT_HOST_SERVICES, nullptr};
  services_.context = this;
  services_.log = log;
  services_.allocate = [](void*, std::uint64_t bytes, std::uint64_t alignment) -> void* {
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  };
  services_.deallocate = [](void*, void* pointer) { std::free(pointer); };
  services_.cache_get = [](void*, const bsc_plugin_cache_key*, void**, std::uint64_t*) -> bsc_status { return BSC_NOT_FOUND; };
  services_.cache_put = [](void*, const bsc_plugin_cache_key*, const void*, std::uint64_t) {};
  bsc_plugin_error error = empty_error();
  const bsc_status status = api()->load(text.data(), text.size(), name.c_str(), &setting.options, &services_, &module_, &error);
  REQUIRE_MESSAGE(status == BSC_OK, error.message);
}

Program::~Program() {
  if (module_ != nullptr) api()->unload(module_);
}

void Program::log(void* program, std::uint32_t, const char* message) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static_cast<Program*>(program)->printed_.emplace_back(message);
}

bsc_status Program::launch(std::string_view kernel, const Shape& shape, const Arguments& arguments, bsc_plugin_error& error) {
  bsc_simt_launch launch = {};
  bsc_simt_function_info info = {};
  REQUIRE_MESSAGE(find_kernel(*api(), module_, kernel, launch.function, info), std::string(kernel));
  for (std::size_t i = 0; i < 3; ++i) {
    launch.grid[i] = shape.grid[i];
    launch.block[i] = shape.block[i];
    launch.cluster[i] = shape.cluster[i];
  }
  launch.shared_bytes = shape.shared_bytes;
  launch.flags = shape.flags;
  launch.arguments = arguments.bytes().data();
  launch.argument_bytes = arguments.bytes().size();
  launch.ranges = arguments.ranges().data();
  launch.range_count = arguments.ranges().size();
  bsc_simt_job* job = nullptr;
  const bsc_status status = api()->prepare(module_, &launch, &job, &error);
  return status == BSC_OK ? run_job(*api(), job, setting_.threads, error) : status;
}

void Program::run(std::string_view kernel, const Shape& shape, const Arguments& arguments) {
  bsc_plugin_error error = empty_error();
  const bsc_status status = launch(kernel, shape, arguments, error);
  REQUIRE_MESSAGE(status == BSC_OK, error.message);
  REQUIRE_MESSAGE(arguments.guards_are_whole(), std::string(kernel));
}

std::string Program::fault(std::string_view kernel, const Shape& shape, const Arguments& arguments) {
  bsc_plugin_error error = empty_error();
  const bsc_status status = launch(kernel, shape, arguments, error);
  REQUIRE_MESSAGE(status != BSC_OK, std::string(kernel));
  return error.message;
}

void Program::expect_no_findings() {
  char* json = nullptr;
  bsc_plugin_error error = empty_error();
  REQUIRE(api()->report(module_, &json, &error) == BSC_OK);
  const std::string text = json;
  api()->release_text(json);
  CHECK_MESSAGE(text.find("\"findings\": []") != std::string::npos, text);
}

std::string written_by_hand(std::string_view name) { return std::string(BASCULE_TEST_PTX "/") + std::string(name) + ".ptx"; }
std::string compiled(std::string_view name) { return std::string(BASCULE_TEST_COMPILED_PTX "/") + std::string(name) + ".ptx"; }

bool have_compiled() {
  constexpr bool have = BASCULE_TEST_HAVE_COMPILED;
  if (!have) MESSAGE("skipped: there was no Clang 22 to compile these kernels");
  return have;
}

std::uint16_t half_of(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (magnitude >= 65520.0) return sign | 0x7c00;
  const int exponent = magnitude < std::ldexp(1.0, -14) ? -14 : std::ilogb(magnitude);
  const double steps = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  // Rounding up to the next power of two carries into the exponent by itself.
  return static_cast<std::uint16_t>(sign + ((exponent + 14) << 10) + static_cast<int>(steps));
}

double value_of(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

}  // namespace bascule::test::corpus
