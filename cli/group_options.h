// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "equinoise/groups/grouping.h"

namespace equinoise::cli {

/// The values of --groups, --min-group-size and --small-groups.
struct GroupOptions {
  std::vector<std::string> names;
  int64_t min_size = 0;
  std::string small = "keep";

  /// The columns of each grouping.
  std::vector<std::vector<std::string>> groupings() const;
  GroupFloor floor() const;
};

void add_group_options(CLI::App& command, GroupOptions& options);

/// Adds only --min-group-size and --small-groups.
void add_group_floor_options(CLI::App& command, GroupOptions& options);

}  // namespace equinoise::cli
