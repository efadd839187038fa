// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/data/schema/toml_section.h"

namespace equinoise {

/// The name of the run file in an output folder.
inline constexpr const char* kRunFileName = "run.toml";

/// A setting and where it stands in a file.
struct RunFileSetting {
  Setting setting;
  std::string place;  ///< "run.toml:5"
};

/// A run file: a command of the tool and its options by name, as TOML.
struct RunFile {
  std::string command;  ///< "train", "plan means"
  std::vector<RunFileSetting> settings;
};

/// The value of a key as that of an option. Errors: kInput for one that no option has.
OptionValue read_option_value(const TomlSection& section, std::string_view key);

/// Reads a run file. Errors: kInput, naming file, line and column, for a file that is missing, no
/// TOML, of a later version, without a command, or with a value that no option has.
RunFile read_run_file(const std::filesystem::path& path);

/// A run file that repeats a run. `asked`: what its user asked for; a setting of the same name in
/// `settled`, which holds what the run made of it and of defaults, goes before it.
std::string run_file_text(const std::string& command, const std::vector<Setting>& asked,
                          const std::vector<Setting>& settled);

}  // namespace equinoise
