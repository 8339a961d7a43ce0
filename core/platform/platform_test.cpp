// Tests of environment, CPU, ELF check, libraries and paths.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <string>

#include "core/base/text.hpp"
#include "core/platform/cpu.hpp"
#include "core/platform/elf.hpp"
#include "core/platform/environment.hpp"
#include "core/platform/file.hpp"
#include "core/platform/library.hpp"
#include "core/platform/paths.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::core;
using bascule::test::TemporaryDirectory;
using Variables = Environment::Variables;

TEST_CASE("an empty variable is an unset one") {
  const Environment environment(Variables{{"BASCULE_DEVICE", ""}, {"BASCULE_LOG", "info"}, {"OTHER", "x"}});
  CHECK_FALSE(environment.get("BASCULE_DEVICE"));
  CHECK(environment.get("BASCULE_LOG") == "info");
  CHECK(environment.with_prefix("BASCULE_").size() == 1);
}

TEST_CASE("a privileged process sees no variable") {
  const Environment environment(Variables{{"HOME", "/home/u"}, {"BASCULE_PLUGIN_PATH", "/tmp/evil"}}, true);
  CHECK_FALSE(environment.get("BASCULE_PLUGIN_PATH"));
  CHECK(environment.with_prefix("BASCULE_").empty());
  CHECK_FALSE(config_directory(environment));
  CHECK_FALSE(cache_directory(environment));
  CHECK_FALSE(data_directory(environment));
}

TEST_CASE("the process's environment is read") {
  CHECK_FALSE(Environment::process().privileged());
  CHECK(Environment::process().get("PATH") == std::string(getenv("PATH")));
}

TEST_CASE("user directories follow XDG, then HOME, and are none where both are unset, empty or relative") {
  CHECK(cache_directory(Environment(Variables{{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}})) == "/x/bascule");
  CHECK(cache_directory(Environment(Variables{{"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}})) == "/h/.cache/bascule");
  CHECK(config_directory(Environment(Variables{{"XDG_CONFIG_HOME", ""}, {"HOME", "/h"}})) == "/h/.config/bascule");
  CHECK(data_directory(Environment(Variables{{"HOME", "/h"}})) == "/h/.local/share/bascule");
  CHECK_FALSE(cache_directory(Environment(Variables{{"HOME", ""}})));
  CHECK_FALSE(cache_directory(Environment(Variables{{"HOME", "here"}})));
  CHECK_FALSE(cache_directory(Environment()));
}

TEST_CASE("our own directory is that of this test program") {
  CHECK(own_library_directory() == parent_directory(real_path("/proc/self/exe")));
}

TEST_CASE("boot id and kernel release are known on Linux") {
  CHECK(boot_id().size() == 36);
  CHECK(kernel_release() != "");
}

TEST_CASE("the x86-64 level agrees with the features") {
  const auto features = join(cpu_features(), ",") + ",";
  const bool avx2 = features.find("avx2,") != std::string::npos && features.find("fma,") != std::string::npos;
  const bool avx512 = features.find("avx512vl,") != std::string::npos;
  CHECK(x86_64_level() >= 1);
  CHECK(x86_64_level() <= 4);
  if (x86_64_level() >= 3) CHECK(avx2);
  if (x86_64_level() >= 4) CHECK(avx512);
  if (!avx2) CHECK(x86_64_level() < 3);
  CHECK(cpu_description().find("x86-64-v") != std::string::npos);
}

namespace {
std::string elf_header(unsigned char elf_class, unsigned char order, unsigned machine, unsigned type) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = elf_class;
  header.e_ident[EI_DATA] = order;
  header.e_machine = static_cast<Elf64_Half>(machine);
  header.e_type = static_cast<Elf64_Half>(type);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header);
}
}  // namespace

TEST_CASE("a library of the wrong ELF class, order, machine or type is refused with what it is") {
  const TemporaryDirectory directory;
  const auto refusal = [&](const std::string& content) {
    const auto status = check_shared_object(directory.write("x.so", content));
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().status == BSC_BROKEN);
    CHECK(status.error().message.find(directory / "x.so") == 0);
    return status.error().message;
  };
  CHECK(refusal(elf_header(ELFCLASS32, ELFDATA2LSB, EM_386, ET_DYN)).find("32-bit library") != std::string::npos);
  CHECK(refusal(elf_header(ELFCLASS64, ELFDATA2MSB, EM_S390, ET_DYN)).find("big-endian") != std::string::npos);
  CHECK(refusal(elf_header(ELFCLASS64, ELFDATA2LSB, EM_RISCV, ET_DYN)).find("for RISC-V") != std::string::npos);
  CHECK(refusal(elf_header(ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_EXEC)).find("no shared object") != std::string::npos);
  CHECK(refusal(elf_header(ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_DYN).substr(0, 20)).find("cut off") !=
        std::string::npos);
  CHECK(refusal("").find("no ELF header") != std::string::npos);
  CHECK(refusal("{}").find("no ELF header") != std::string::npos);
  CHECK(check_shared_object(directory.write("good.so", elf_header(ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_DYN))).ok());
  CHECK(check_shared_object(directory.path()).error().message.find("no regular file") != std::string::npos);
  CHECK(check_shared_object(directory / "absent.so").error().status == BSC_NOT_FOUND);
}

TEST_CASE("a library is opened by absolute path only, and its real path is known") {
  CHECK(Library::open("libm.so.6").error().status == BSC_INVALID_ARGUMENT);
  CHECK(Library::open("./libm.so.6").error().status == BSC_INVALID_ARGUMENT);
  const auto broken = Library::open("/nonexistent/libx.so");
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().status == BSC_BROKEN);
  CHECK(broken.error().message.find("/nonexistent/libx.so") != std::string::npos);
  CHECK(broken.error().call == "dlopen");
}
