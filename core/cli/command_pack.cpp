// `bascule pack`: a kernel package from its description and images.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "core/package/pack.hpp"

namespace bascule::cli {

ExitCode run_pack(const CommonOptions& common, const PackOptions& options) {
  const std::string output = options.output.empty()
                                 ? std::filesystem::path(options.specifications.front()).replace_extension(".bpkg").string()
                                 : options.output;
  const core::Status packed = core::pack_to_file(options.specifications, output);
  if (!packed.ok()) {
    const ExitCode code = packed.error().status == BSC_IO_ERROR ? ExitCode::kFailed : ExitCode::kUsage;
    throw Failure(code, packed.error().message,
                  packed.error().remedy.empty() ? "check the path and its permissions" : packed.error().remedy);
  }
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(output, error);
  if (common.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"package", output}, {"bytes", bytes}}.dump(1).c_str());
  } else {
    std::printf("wrote %s (%s)\n", printable(output).c_str(), format_bytes(bytes).c_str());
  }
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
