// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/tasks/input/run_file.h"

namespace equinoise::cli {

/// Adds --config to a command whose options a run file can give.
void add_config_option(CLI::App& command);

/// The result of --config on a command line.
struct RunFileWords {
  std::vector<std::string> words;     ///< the whole command line, the file's options included
  std::vector<RunFileSetting> added;  ///< the settings taken from the file
  std::vector<std::string> notes;     ///< settings that the command line overrides, one line each
};

/// Inserts the options of a run file behind the command, as if they had been typed, if `words` hold
/// --config FILE. A typed option overrides the file's. Errors: those of read_run_file; kInput,
/// naming file and line, for a file of another command, a name that is no option of it (with the
/// nearest), or a value of another type than the option's.
RunFileWords expand_run_file(CLI::App& app, const std::vector<std::string>& words);

/// "run.toml:5: epsilon is set there" for settings of the file that a message names, or "".
std::string places_of(const std::vector<RunFileSetting>& settings, std::string_view message);

/// The options given to the command, by name, without those that belong to one run alone: its
/// output, the run it resumes, the key of its spend.
std::vector<Setting> asked_settings(const CLI::App& command);

}  // namespace equinoise::cli
