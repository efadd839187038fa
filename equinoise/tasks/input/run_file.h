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

/// A setting and its place in a file.
struct RunFileSetting {
  Setting setting;
  std::string place;  ///< "run.toml:5"
};

/// A run file: a command of the tool and its options by name, as TOML.
struct RunFile {
  std::string command;  ///< "train", "plan means"
  std::vector<RunFileSetting> settings;
};

/// The value of a key as an option value. Errors: kInput for a value that no option has.
OptionValue read_option_value(const TomlSection& section, std::string_view key);

/// Reads a run file. Errors: kInput, naming file, line and column, for a file that is missing,
/// invalid TOML or of a later version, that has no command, or that has a value no option has.
RunFile read_run_file(const std::filesystem::path& path);

/// A run file that repeats a run. `asked`: the user's settings. `settled`: settings that the run
/// derived, defaults included; they take precedence over `asked` of the same name.
std::string run_file_text(const std::string& command, const std::vector<Setting>& asked,
                          const std::vector<Setting>& settled);

}  // namespace equinoise
