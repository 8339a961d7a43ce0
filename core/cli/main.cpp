// The `bascule` program: its command line, and the one place where failures become messages and exit codes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>

#include "commands.hpp"
#include "console.hpp"
#include "core/base/text.hpp"
#include "core/config/keys.hpp"

namespace bascule::cli {
namespace {

constexpr const char* kDescription =
    "Bascule: one program, any vendor's GPU, chosen by configuration.\n\n"
    "Run kernels, check them, and measure one backend against another.";

constexpr const char* kFooter =
    "Exit codes: 0 success; 1 the work failed; 2 wrong options, configuration or input; 3 a required backend or device is\n"
    "not usable here; 4 it ran and the result is wrong; 5 the two reports cannot be compared;\n"
    "6 check: nothing failed, but an image had nothing to be compared with.\n\n"
    "Selectors: BACKEND, BACKEND:INDEX, uuid:HEX, pci:ADDRESS, emulated:ARCHITECTURE.\n"
    "Configuration: /etc/bascule.toml, ~/.config/bascule/bascule.toml, ./bascule.toml, the file that BASCULE_CONFIG names,\n"
    "BASCULE_* variables, then options; later wins. `bascule config --show` prints each value and its origin.";

constexpr const char* kRunFooter =
    "Each ARG is one kernel argument, in order:\n"
    "  TYPE:VALUE                    a scalar: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64\n"
    "  in:TYPE:PATH.npy[+OFFSET]     a buffer with the file's contents; the kernel sees it from element OFFSET on\n"
    "  in:TYPE:=v,v,...              a buffer with these values\n"
    "  out:TYPE:COUNT:PATH.npy       a buffer of COUNT elements, written to the file afterwards; - prints it\n"
    "  inout:TYPE:PATH.npy:OUT.npy   a buffer with the file's contents, written to the other file afterwards\n"
    "  bytes:HEX                     a value of these bytes (a struct)\n\n"
    "Example:\n"
    "  bascule run saxpy.cl:saxpy --backend opencl --grid 4 --block 64 f32:2 in:f32:x.npy out:f32:256:y.npy";

constexpr const char* kEmulateFooter =
    "The program loads the vendor's driver by its usual name and gets the emulated one, whose directory is put first on\n"
    "LD_LIBRARY_PATH; nothing else of it changes. Kernels run on this machine's CPU: results are right, times say nothing about\n"
    "a GPU. Only what the vendor's driver compiles itself can run (for cuda: PTX, no machine code).\n"
    "Programs that are set-user-ID, or that name the driver by an absolute path, are not reached.\n\n"
    "A failure at will: CALL[:WHICH]=RESULT,... where WHICH is a number from 1 on, or * for each (as without it); CALL is a\n"
    "function as exported (cuMemAlloc_v2), or kernel, copy or fill for work when it runs. Delays are written alike, with a time (us, ms, s).\n\n"
    "Examples:\n"
    "  bascule emulate cuda -- ./vector_add\n"
    "  bascule emulate cuda --gpu sm_80 --sanitize -- ./my_program --size 100\n"
    "  bascule emulate cuda --fail cuMemAlloc_v2:2=CUDA_ERROR_OUT_OF_MEMORY --explain -- ./my_program\n"
    "  bascule emulate cuda --delay kernel=20ms -- ./my_program";

// Keys and variables, from the table that the reader checks against.
std::string config_footer() {
  std::string text = "Keys, and the variables that set them:\n";
  for (const core::KeyDescription& key : core::known_keys()) {
    const bool driver = std::string_view(key.key) == "backend.NAME.driver";
    const std::string variable = key.variable != nullptr ? key.variable : driver ? "BASCULE_NAME_DRIVER" : "";
    text += std::string("  ") + key.key + (variable.empty() ? "" : "  (" + variable + ")") +
            (*key.default_value ? std::string("  default: ") + key.default_value : "") + "\n      " + key.description + '\n';
  }
  return text + "  " + core::kConfigFileVariable + "\n      " + core::kConfigFileDescription + '\n' +
         "\n`bascule doctor -v` lists each backend's own options.\n\n" + kFooter;
}

// What CLI11 would call a missing subcommand: a first word that is no command, or an option before the command.
void require_known_command(const CLI::App& root, int argc, char** argv) {
  const CLI::App* app = &root;
  std::string path = "bascule";
  for (int i = 1; i < argc; ++i) {
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty()) return;
    const std::string word = argv[i];
    std::vector<std::string> names;
    for (const CLI::App* command : commands) names.push_back(command->get_name());
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      if (word == "-h" || word == "--help" || word == "--version") return;
      const bool option = word.starts_with('-');
      throw Failure(ExitCode::kUsage, std::string(option ? "an option before the command: " : "there is no command ") + core::quoted(word) +
                                          (option ? "" : core::suggestion(word, names)),
                    "`" + path + " --help` lists the commands; options follow the command");
    }
    app = commands[static_cast<std::size_t>(found - names.begin())];
    path += " " + word;
  }
  if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) {
    throw Failure(ExitCode::kUsage, "a command is missing after `" + path + "`", "`" + path + " --help` lists the commands");
  }
}

// What is wrong with the options, in the form of every other error.
std::string parse_failure(const CLI::App* root, const CLI::Error& error) {
  std::string command = "bascule";
  for (const CLI::App* app = root; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    command += " " + app->get_name();
  }
  return "bascule: " + std::string(error.what()) + "\n  remedy: see `" + command + " --help`\n";
}

void add_common(CLI::App& command, CommonOptions& common, bool json_flag = true) {
  command.add_option("-b,--backend", common.backends, "Backends to try, in order: cuda,hip,musa,level_zero,opencl,cpu,null; or auto")
      ->type_name("A,B,...");
  command.add_option("-d,--device", common.device, "Device selector, such as cpu:0 or uuid:...")->type_name("SELECTOR");
  command.add_option("--config", common.config, "Configuration file, instead of the one that BASCULE_CONFIG names")->type_name("FILE");
  command.add_option("--set", common.settings, "Set one key of the configuration; repeatable")->type_name("KEY=VALUE");
  command.add_flag("-v,--verbose", common.verbosity, "Log more; twice for everything");
  if (json_flag) command.add_flag("--json", common.json, "Print JSON");
}

// What parsing leaves behind: the command to run.
class CommandLine {
 public:
  CommandLine() : app_(kDescription, "bascule") {
    app_.footer(kFooter);
    app_.failure_message(parse_failure);
    app_.set_version_flag("--version", std::string(bsc_version()));
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(34);
    add_inspection();
    add_measurement();
    add_packages();
    add_run();
  }

  ExitCode run(int argc, char** argv) {
    for (int i = 0; i < argc; ++i) bench_.command_line += (i ? " " : "") + std::string(argv[i]);
    require_known_command(app_, argc, argv);
    app_.parse(argc, argv);
    return action_();
  }

  int explain_parse_error(const CLI::ParseError& error) {
    const int code = app_.exit(error);
    return code == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }

 private:
  template <class Action>
  CLI::App* add(const char* name, const char* description, Action action, bool json_flag = true) {
    CLI::App* command = app_.add_subcommand(name, description);
    add_common(*command, common_, json_flag);
    command->callback([this, action] { action_ = action; });
    return command;
  }

  void add_inspection() {
    CLI::App* doctor = add("doctor", "Which backends work here, which do not, why, and what to do about it",
                           [this] { return run_doctor(common_, doctor_); });
    doctor->add_option("--require", doctor_.required, "Exit with 3 unless this backend is usable; repeatable")->type_name("BACKEND");
    add("devices", "Devices that can be used, with their limits", [this] { return run_devices(common_); });
    CLI::App* explain = add("explain", "Contract of a kernel, and for each variant whether the device can run it and why",
                            [this] { return run_explain(common_, explain_); });
    explain->add_option("TARGET", explain_.target, "A kernel of the kernel library, or a package file; without it: the library's kernels, one line each");
    explain->add_option("KERNEL", explain_.kernel, "Kernel within the package file");
    explain->add_option("--cases", explain_.cases, "Kernel library to look in")->type_name("LIBRARY.so");
    CLI::App* config = add("config", "Each value of the configuration and where it comes from", [this] { return run_config_show(common_); });
    config->footer(config_footer());
    config->add_flag("--show")->description("Print the configuration; what this command does anyway");
    CLI::App* cache = app_.add_subcommand("cache", "The cache of compiled kernels");
    cache->require_subcommand(1);
    CLI::App* info = cache->add_subcommand("info", "Where it is and what it holds");
    add_common(*info, common_);
    info->callback([this] { action_ = [this] { return run_cache_info(common_); }; });
    CLI::App* clear = cache->add_subcommand("clear", "Empty it; it fills again by itself");
    add_common(*clear, common_);
    clear->callback([this] { action_ = [this] { return run_cache_clear(common_); }; });
  }

  void add_measurement() {
    CLI::App* selftest = add("selftest", "Run every usable variant of every kernel against the float64 reference",
                             [this] { return run_selftest(common_, selftest_); });
    selftest->add_option("--kernel", selftest_.kernel, "Only this kernel");
    selftest->add_option("--variant", selftest_.variant, "Only this variant");
    selftest->add_option("--seed", selftest_.seed, "Seed of the inputs; 0: a fresh one, printed")->capture_default_str();
    selftest->add_option("--suite", selftest_.suite, "Cases to run; quick, llm and stream hold large ones")->capture_default_str();
    selftest->add_flag("--full-size", selftest_.full_size, "Make no case smaller and leave none out to save time, not even on emulated devices");
    selftest->add_option("--cases", selftest_.cases, "Library with the cases; default: Bascule's kernels")->type_name("LIBRARY.so");

    CLI::App* bench = add("bench", "Measure a suite on each device in turn; only checked results get a number",
                          [this] { return run_bench(common_, bench_); }, false);
    bench->add_option("suite,--suite", bench_.suite, "quick, llm or stream; default: the library's first");
    bench->add_option("--kernel", bench_.kernel, "Only this kernel");
    bench->add_option("--json", bench_.json_file, "Write everything, with every sample, to this file; - for standard output")->type_name("FILE");
    bench->add_option("--html", bench_.html_file, "Write a page with charts to this file")->type_name("FILE");
    bench->add_option("--cache", bench_.cache_mode, "warm: the same inputs again; cold: inputs rotated through twice the last-level cache")
        ->check(CLI::IsMember({"warm", "cold"}))
        ->capture_default_str();
    bench->add_option("--min-time", bench_.min_time, "Least sampling time per row and device, seconds")->check(CLI::Range(0.001, 3600.0))->capture_default_str();
    bench->add_option("--max-time", bench_.max_time, "Most sampling time per row and device, seconds")->check(CLI::Range(0.001, 3600.0))->capture_default_str();
    bench->add_option("--margin", bench_.margin, "Times closer than this fraction count as equivalent")->check(CLI::Range(0.01, 1.0))->capture_default_str();
    bench->add_option("--seed", bench_.seed, "Seed of the inputs")->capture_default_str();
    bench->add_flag("--full-size", bench_.full_size, "Do not shrink shapes to suit a CPU");
    bench->add_option("--cases", bench_.cases, "Library with the cases; default: Bascule's kernels")->type_name("LIBRARY.so");

    CLI::App* compare = add("compare", "Compare two files that `bench --json` wrote, row by row", [this] { return run_compare(common_, compare_); });
    compare->add_option("A", compare_.a, "First report")->required();
    compare->add_option("B", compare_.b, "Second report")->required();
    compare->add_option("--device-a", compare_.device_a, "Device of the first file, if it holds several");
    compare->add_option("--device-b", compare_.device_b, "Device of the second file, if it holds several");
    compare->add_option("--margin", compare_.margin, "Times closer than this fraction count as equivalent")->check(CLI::Range(0.01, 1.0))->capture_default_str();
  }

  void add_packages() {
    CLI::App* pack = add("pack", "Build a kernel package from its description and images", [this] { return run_pack(common_, pack_); });
    pack->add_option("DESCRIPTION", pack_.specifications, "JSON files with contracts and variants; see docs/package-format.md")->required();
    pack->add_option("-o,--output", pack_.output, "Package to write; default: the first description's name with .bpkg");
    CLI::App* check = add("check", "Run each image of a package here, with generated inputs and under the engine's sanitizer, against its reference",
                          [this] { return run_check(common_, check_); });
    check->add_option("PACKAGE", check_.package, "Package file")->required();
    check->add_option("--kernel", check_.kernel, "Only this kernel");
    check->add_option("--variant", check_.variant, "Only this image");
    check->add_option("--seed", check_.seed, "First seed of inputs and schedules; 0: a fresh one, printed")->capture_default_str();
    check->add_option("--seeds", check_.seeds, "How many seeds")->check(CLI::Range(1, 1000000))->capture_default_str();
    check->add_option("--time-limit", check_.time_limit, "Of one launch on the cpu device")->capture_default_str();
    check->footer("Exit codes: 0 every image that could be run agrees with its reference or another image; 4 one does not, or the sanitizer\n"
                  "found something; 6 nothing failed, but there was nothing to compare with (UNVERIFIED), or nothing could be run.");
    CLI::App* ptx = app_.add_subcommand("ptx", "PTX images");
    ptx->require_subcommand(1);
    CLI::App* ptx_check = ptx->add_subcommand("check", "Kernels, parameters, target and memory of a PTX file, and what of it is not supported");
    ptx_check->add_option("FILE", ptx_check_.file, "PTX file")->required();
    add_common(*ptx_check, common_);
    ptx_check->callback([this] { action_ = [this] { return run_ptx_check(common_, ptx_check_); }; });
    CLI::App* emulate = app_.add_subcommand("emulate", "Run any program with a vendor's driver emulated on this machine's CPU");
    emulate->footer(kEmulateFooter);
    emulate->add_option("DRIVER", emulate_.driver, "Which: cuda")->required();
    emulate->add_option("PROGRAM", emulate_.command, "The program and its arguments, after --");
    emulate->add_option("--gpu", emulate_.gpu, "The GPU to be: a name such as sm_80, or a file that describes one")->type_name("NAME|FILE");
    emulate->add_flag("--sanitize", emulate_.sanitize, "Check every access and synchronisation of kernels");
    emulate->add_flag("--explain", emulate_.explain, "Say on standard error why a call failed");
    emulate->add_option("--fail", emulate_.fail, "Make calls fail, see below")->type_name("LIST");
    emulate->add_option("--delay", emulate_.delay, "Make calls slow, see below")->type_name("LIST");
    emulate->callback([this] { action_ = [this] { return run_emulate(common_, emulate_); }; });
    CLI::App* conform = add("conform", "Run the conformance suite on a plugin: passing it is what makes a backend", [this] { return run_conform(common_, conform_); });
    conform->add_option("PLUGIN", conform_.plugin, "Backend name, manifest or plugin file")->required();
    conform->add_option("ARGUMENTS", conform_.arguments, "Handed on to the suite; after --, see `bascule conform PLUGIN -- --help`");
  }

  void add_run() {
    CLI::App* run = add("run", "Run one kernel of an image, raw, with the arguments as given", [this] { return run_run(common_, run_); });
    run->footer(kRunFooter);
    run->add_option("FILE[:KERNEL]", run_.target, "Kernel image; the kernel may be left out if there is only one")->required();
    run->add_option("ARG", run_.arguments, "Kernel arguments, see below");
    run->add_option("--grid", run_.grid, "Blocks (cpu host images: work items)")->type_name("X[,Y[,Z]]")->required();
    run->add_option("--block", run_.block, "Threads per block (cpu host images: grain)")->type_name("X[,Y[,Z]]")->required();
    run->add_option("--cluster", run_.cluster, "Blocks per cluster")->type_name("X,Y,Z");
    run->add_option("--shared", run_.shared_bytes, "Dynamic shared memory per block")->type_name("BYTES");
    run->add_option("--fill", run_.fill, "What outputs hold before: zero, nan or a byte such as 0xa5")->capture_default_str();
    run->add_option("--format", run_.format, "Image format, if the file's name does not tell: opencl-c, host, ptx, spirv, ...");
    run->add_option("--options", run_.build_options, "Options of the image's compiler");
    run->add_flag("--cooperative", run_.cooperative, "All blocks resident at once");
    run->add_flag("--time", run_.time, "Print the device's time of this one call");
    run->add_flag("--sanitize", run_.sanitize, "PTX on the cpu device: check every access and synchronisation");
    run->add_option("--seed", run_.seed, "PTX with --sanitize: order in which warps run; 0: in turn")->capture_default_str();
    run->add_flag("--trace", run_.trace, "PTX on the cpu device: log each operation with its values");
    run->add_flag("--stats", run_.statistics, "PTX on the cpu device: count executed instructions and lanes");
  }

  CLI::App app_;
  std::function<ExitCode()> action_;
  CommonOptions common_;
  DoctorOptions doctor_;
  ExplainOptions explain_;
  SelftestOptions selftest_;
  BenchOptions bench_;
  CompareOptions compare_;
  ConformOptions conform_;
  EmulateOptions emulate_;
  PackOptions pack_;
  RunOptions run_;
  CheckOptions check_;
  PtxCheckOptions ptx_check_;
};

int run_program(int argc, char** argv) {
  try {
    CommandLine line;
    try {
      return static_cast<int>(line.run(argc, argv));
    } catch (const CLI::ParseError& error) {
      return line.explain_parse_error(error);
    }
  } catch (const Failure& failure) {
    std::fprintf(stderr, "bascule: %s\n", printable_lines(failure.what()).c_str());
    if (!failure.remedy().empty()) std::fprintf(stderr, "  remedy: %s\n", printable_lines(failure.remedy()).c_str());
    return static_cast<int>(failure.code());
  } catch (const std::bad_alloc&) {
    std::fputs("bascule: out of memory\n  remedy: use smaller sizes, or a machine with more memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bascule: internal error: %s\n", error.what());
  }
  return static_cast<int>(ExitCode::kFailed);
}

}  // namespace
}  // namespace bascule::cli

int main(int argc, char** argv) { return bascule::cli::run_program(argc, argv); }
