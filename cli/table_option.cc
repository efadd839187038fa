// SPDX-License-Identifier: Apache-2.0
#include "cli/table_option.h"

namespace equinoise::cli {

CLI::Option* add_table(CLI::App& command, const std::string& flag, TableSource& table,
                       const std::string& help, const CommonOptions& common) {
  // Through a string: CLI11 would cut a path at its first blank.
  return command.add_option_function<std::string>(
      flag, [&table, &common](const std::string& name) { table = common.host.table(name); }, help);
}

}  // namespace equinoise::cli
