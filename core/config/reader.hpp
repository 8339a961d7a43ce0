// ConfigReader: takes the sources one after the other and checks each value where its position is still known.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "core/config/config.hpp"
#include "core/config/keys.hpp"

namespace bascule::core {

class ConfigReader {
 public:
  explicit ConfigReader(const Environment& environment) : environment_(environment) {}

  Status read(const ConfigSources& sources);
  Config take() { return std::move(config_); }

 private:
  enum class Missing { kSkip, kError };

  Status read_files(const ConfigSources& sources);
  // `restricted`: a file that anybody may have put there; keys that name code or caches are refused.
  Status read_file_at(const std::string& path, Missing missing, const std::string& named_by, bool restricted);
  Status read_text(std::string_view text, const std::string& name, const std::string& directory, bool restricted);
  Status read_variables();
  Status read_setting(const Setting& setting);

  Status apply(const RawValue& value, bool restricted);
  Status apply_typed(const KeyDescription& description, const RawValue& value);
  Status apply_scalar(const KeyDescription& description, const RawValue& value);
  Status apply_path_list(const KeyDescription& description, const RawValue& value);
  void set_directories();

  const Environment& environment_;
  Config config_;
};

}  // namespace bascule::core
