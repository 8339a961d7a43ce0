// Choosing a variant: every refusal has a reason that says what is needed and what is there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/choice.hpp"

#include <doctest/doctest.h>

#include "core/package/test_packages.hpp"

using namespace bascule::core;
using namespace bascule::core::testing;

namespace {

bsc_status nothing(const void*, std::uint64_t, std::uint64_t, std::uint32_t, void*, bsc_host_team*) { return BSC_OK; }

// a: f32, n: u64, two spans: 48 bytes
struct Table {
  bsc_host_entry entry{"axpb_f32_v3", nothing, 48, 0, 0, 0, 0};
  bsc_host_table table{sizeof(bsc_host_table), BSC_HOST_ABI_VERSION, 1, sizeof(bsc_host_entry), &entry};
};

DeviceTraits cpu(std::string architecture = "x86-64-v3", std::int64_t avx2 = 1) {
  DeviceTraits device;
  device.id = "cpu:0";
  device.formats = {"host"};
  device.architecture = std::move(architecture);
  device.capabilities = {{"avx2", avx2}};
  return device;
}

DeviceTraits opencl() {
  DeviceTraits device;
  device.id = "opencl:0";
  device.formats = {"opencl-c"};
  device.max_block_threads = 1024;
  device.driver_version = "3.1";
  return device;
}

// The first variant's reason on the device, with a change of the sample.
std::string reason(const DeviceTraits& device, const std::string& metadata, const bsc_host_table* table, std::size_t variant = 0) {
  const auto package = load(metadata, {"image"}, table);
  const auto scores = score_variants(*package, package->kernels()[0], device);
  CHECK((scores[variant].score == 0) == !scores[variant].reason.empty());
  return scores[variant].reason;
}

std::string with(std::string_view from, std::string_view to) { return replaced(std::string(kAxpb), from, to); }

}  // namespace

TEST_CASE("the first usable variant in declared order is chosen") {
  const Table host;
  const auto package = load(kAxpb, {"image"}, &host.table);
  const Kernel& kernel = package->kernels()[0];
  CHECK(*choose_variant(*package, kernel, cpu()) == 0);
  CHECK(*choose_variant(*package, kernel, opencl()) == 1);
  DeviceTraits both = cpu();
  both.formats = {"opencl-c", "host"};
  CHECK(*choose_variant(*package, kernel, both) == 0);
  const auto scores = score_variants(*package, kernel, both);
  CHECK(scores[0].score == 1000);
  CHECK(scores[1].score == 999);
}

TEST_CASE("each way to be unusable has its reason") {
  const Table host;
  const std::string sample(kAxpb);
  CHECK(reason(opencl(), sample, &host.table) == "needs image format host, the device takes opencl-c");
  CHECK(reason(cpu("x86-64-v2"), sample, &host.table) == "needs x86-64-v3, the device is x86-64-v2");
  CHECK(reason(cpu("x86-64-v4"), sample, &host.table) == "");
  CHECK(reason(cpu(""), sample, &host.table) == "needs x86-64-v3, the device is of no known architecture");
  CHECK(reason(cpu("x86-64-v3", 0), sample, &host.table) == "needs capability avx2 >= 1, the device has 0");
  CHECK(reason(cpu(), with("\"avx2\"", "\"amx\""), &host.table) == "needs capability amx >= 1, which the device does not know");
  CHECK(reason(cpu("x86-64-v3", 3), with("\"at_least\": 1", "\"at_most\": 2"), &host.table) ==
        "needs capability avx2 <= 2, the device has 3");
  CHECK(reason(cpu("x86-64-v3", 2), with("\"at_least\": 1", "\"at_most\": 2"), &host.table).empty());
  CHECK(reason(cpu("x86-64-v3", 0), with("\"at_least\": 1", "\"at_least\": 1, \"at_most\": 2"), &host.table) ==
        "needs capability avx2 >= 1 and <= 2, the device has 0");
  CHECK(reason(cpu("x86-64-v3", 0), with(", \"at_least\": 1", ""), &host.table) == "needs capability avx2 >= 1, the device has 0");
  CHECK(reason(cpu(), sample, nullptr) == "host function axpb_f32_v3 is not in this process");
  CHECK(reason(opencl(), with("\"BLOCK\": 256", "\"BLOCK\": 2048"), nullptr, 1) ==
        "needs blocks of 2048 threads, the device allows 1024");
  const std::string driver = with("\"format\": \"opencl-c\"", "\"format\": \"opencl-c\", \"minimum_driver\": \"3.10\"");
  CHECK(reason(opencl(), driver, nullptr, 1) == "needs driver 3.10 or newer, the device has 3.1");
  const std::string wide = with("\"format\": \"opencl-c\"", "\"format\": \"opencl-c\", \"sub_group\": 32");
  CHECK(reason(opencl(), wide, nullptr, 1) == "needs sub-groups of 32, the device has 1 to 1");
}

TEST_CASE("driver versions are compared number by number") {
  const auto usable = [](const char* needed, const char* given) {
    DeviceTraits device = opencl();
    device.driver_version = given;
    const std::string metadata = with("\"format\": \"opencl-c\"", std::string("\"format\": \"opencl-c\", \"minimum_driver\": \"") + needed + "\"");
    return reason(device, metadata, nullptr, 1).empty();
  };
  CHECK(usable("535.104", "535.104.05"));
  CHECK(usable("535.9", "535.104"));
  CHECK_FALSE(usable("535.104", "535.9"));
  CHECK(usable("3.1", "PoCL 3.1"));
  CHECK_FALSE(usable("3.1", ""));
}

TEST_CASE("targets of GPUs: ptx runs on newer devices, machine code within its generation, sm_90a on itself alone") {
  const auto usable = [](const char* format, const char* target, const char* architecture) {
    DeviceTraits device;
    device.formats = {format};
    device.architecture = architecture;
    const std::string metadata =
        with("\"format\": \"opencl-c\", \"target\": \"\"",
             std::string("\"format\": \"") + format + "\", \"target\": \"" + target + "\"");
    return reason(device, metadata, nullptr, 1).empty();
  };
  CHECK(usable("ptx", "sm_80", "sm_90a"));
  CHECK(usable("ptx", "sm_80", "sm_120"));
  CHECK_FALSE(usable("ptx", "sm_90", "sm_80"));
  CHECK_FALSE(usable("ptx", "sm_90a", "sm_100a"));
  CHECK(usable("ptx", "sm_90a", "sm_90a"));
  CHECK(usable("cubin", "sm_80", "sm_89"));
  CHECK_FALSE(usable("cubin", "sm_80", "sm_90"));
  CHECK_FALSE(usable("hsaco", "gfx942", "gfx90a"));
  CHECK(usable("hsaco", "gfx942", "gfx942"));
}

TEST_CASE("a cpu device takes PTX up to the target that its capability states") {
  const auto why = [](const char* target, std::vector<DeviceCapability> capabilities) {
    DeviceTraits device = cpu();
    device.formats = {"host", "ptx"};
    device.capabilities.insert(device.capabilities.end(), capabilities.begin(), capabilities.end());
    const std::string metadata = with("\"format\": \"opencl-c\", \"target\": \"\"", std::string("\"format\": \"ptx\", \"target\": \"") + target + "\"");
    return reason(device, metadata, nullptr, 1);
  };
  CHECK(why("sm_80", {{"ptx_target", 90}}) == "");
  CHECK(why("sm_90a", {{"ptx_target", 90}}) == "");
  CHECK(why("", {}) == "");
  CHECK(why("sm_100a", {{"ptx_target", 90}}) == "needs sm_100a, the device executes PTX up to sm_90");
  CHECK(why("sm_80", {}) == "needs sm_80, the device is x86-64-v3");
  CHECK(why("gfx942", {{"ptx_target", 90}}) == "needs gfx942, the device is x86-64-v3");
}

TEST_CASE("PTX that is newer than what the driver compiles is passed over, with both versions") {
  const auto why = [](const char* image, std::vector<DeviceCapability> capabilities) {
    DeviceTraits device;
    device.formats = {"ptx"};
    device.architecture = "sm_90a";
    device.capabilities = std::move(capabilities);
    const auto package = load(with("\"format\": \"opencl-c\", \"target\": \"\"", "\"format\": \"ptx\", \"target\": \"sm_80\""), {image});
    return score_variants(*package, package->kernels()[0], device)[1].reason;
  };
  CHECK(why(".version 7.4\n.target sm_80", {{"ptx_version", 74}}) == "");
  CHECK(why("// by hand\n/* .version 6.0 */ .version\t8.0 .target sm_80", {{"ptx_version", 74}}) == "needs PTX 8.0, the driver compiles up to 7.4");
  CHECK(why(".version 9.0\n.target sm_80", {{"ptx_version", 0}}) == "");
  CHECK(why(".version 9.0\n.target sm_80", {}) == "");
  for (const char* unclear : {"", ".version", ".version 9", ".version 9.", ".version x.1", ".version 99999999999.0", ".version -8.0", "// .version 9.0", "/* .version 9.0"}) {
    CAPTURE(unclear);
    CHECK(why(unclear, {{"ptx_version", 74}}) == "");
  }
}

TEST_CASE("a reference runs only when it is forced") {
  const Table host;
  const auto package = load(with("\"class\": \"tuned\"", "\"class\": \"reference\""), {"image"}, &host.table);
  const Kernel& kernel = package->kernels()[0];
  CHECK(score_variants(*package, kernel, cpu())[0].reason == "is the reference, which runs only when it is forced");
  CHECK_FALSE(choose_variant(*package, kernel, cpu()).ok());
  CHECK(*choose_variant(*package, kernel, cpu(), "host_v3") == 0);
}

TEST_CASE("a host function that expects other arguments than the plan passes is not called") {
  Table host;
  host.entry.argument_bytes = 40;
  CHECK(reason(cpu(), std::string(kAxpb), &host.table) ==
        "host function axpb_f32_v3 expects 40 bytes of arguments, the plan passes 48");
  host.entry.argument_bytes = 0;  // does not say
  CHECK(reason(cpu(), std::string(kAxpb), &host.table).empty());
}

TEST_CASE("a host table of another version or shape has no functions") {
  Table host;
  CHECK(find_host_entry(&host.table, "axpb_f32_v3") == &host.entry);
  CHECK(find_host_entry(&host.table, "axpb_f32") == nullptr);
  CHECK(find_host_entry(nullptr, "axpb_f32_v3") == nullptr);
  bsc_host_table other = host.table;
  other.abi_version = 2;
  CHECK(find_host_entry(&other, "axpb_f32_v3") == nullptr);
  other = host.table;
  other.entry_stride = 4;
  CHECK(find_host_entry(&other, "axpb_f32_v3") == nullptr);
  other = host.table;
  other.entries = nullptr;
  CHECK(find_host_entry(&other, "axpb_f32_v3") == nullptr);
  host.entry.function = nullptr;
  CHECK(find_host_entry(&host.table, "axpb_f32_v3") == nullptr);
}

TEST_CASE("without a usable variant the error lists the reason of each") {
  const auto package = load(kAxpb, {"image"});
  DeviceTraits device = cpu("x86-64-v2");
  auto chosen = choose_variant(*package, package->kernels()[0], device);
  REQUIRE_FALSE(chosen.ok());
  CHECK(chosen.error().status == BSC_NO_VARIANT);
  CHECK(contains(chosen.error().message, "no variant of kernel axpb_f32 runs on cpu:0"));
  CHECK(contains(chosen.error().message, "host_v3: needs x86-64-v3, the device is x86-64-v2"));
  CHECK(contains(chosen.error().message, "opencl: needs image format opencl-c, the device takes host"));
}

TEST_CASE("a forced variant is taken or refused, never replaced") {
  const Table host;
  const auto package = load(kAxpb, {"image"}, &host.table);
  const Kernel& kernel = package->kernels()[0];
  DeviceTraits both = cpu();
  both.formats = {"host", "opencl-c"};
  CHECK(*choose_variant(*package, kernel, both, "opencl") == 1);
  auto unusable = choose_variant(*package, kernel, cpu(), "opencl");
  REQUIRE_FALSE(unusable.ok());
  CHECK(unusable.error().status == BSC_NO_VARIANT);
  CHECK(contains(unusable.error().message, "the forced variant opencl of kernel axpb_f32 does not run on cpu:0"));
  CHECK(contains(unusable.error().message, "needs image format"));
  auto unknown = choose_variant(*package, kernel, cpu(), "fast");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().status == BSC_NOT_FOUND);
  CHECK(contains(unknown.error().message, "it has host_v3, opencl"));
}

TEST_CASE("explain tells score and reason of each variant as JSON, also where none is usable") {
  const Table host;
  const auto package = load(kAxpb, {"image"}, &host.table);
  const Kernel& kernel = package->kernels()[0];
  const std::string usable = explain_choice(*package, kernel, cpu());
  CHECK(contains(usable, "\"chosen\": \"host_v3\""));
  CHECK(contains(usable, "\"score\": 1000"));
  CHECK(contains(usable, "needs image format opencl-c"));
  CHECK(contains(usable, "\"forced\": \"\""));
  CHECK(contains(explain_choice(*package, kernel, cpu("x86-64-v2")), "\"chosen\": null"));
  CHECK(contains(explain_choice(*package, kernel, cpu(), "opencl"), "\"forced\": \"opencl\""));
}

TEST_CASE("a plugin's description of a device is copied with its stride") {
  struct Extended {
    bsc_plugin_capability capability;
    std::uint64_t more;
  };
  const Extended capabilities[] = {{{"fp64", 1, ""}, 7}, {{"local_memory", 65536, "bytes"}, 7}};
  const char* formats[] = {"opencl-c", "spirv"};
  bsc_plugin_device_info info{};
  info.architecture = "gfx942";
  info.format_count = 2;
  info.formats = formats;
  info.capability_count = 2;
  info.capability_stride = sizeof(Extended);
  info.capabilities = &capabilities[0].capability;
  info.max_grid[1] = 65535;
  info.max_sub_group = 64;
  const DeviceTraits traits = device_traits(info, "hip:0");
  CHECK(traits.formats == std::vector<std::string>{"opencl-c", "spirv"});
  CHECK(traits.capabilities[1].name == "local_memory");
  CHECK(traits.capabilities[1].value == 65536);
  CHECK(traits.driver_version == "");
  CHECK(traits.max_grid[1] == 65535);
}
