// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise::cli {

/// Adds --schema and what a domain.json of private-pgm lacks: --num-records, --target, --dataset.
/// `file` must outlive parsing.
void add_schema_options(CLI::App& command, SchemaFile& file);

/// Adds what says how the text of a table is laid out: --delimiter, --decimal-comma,
/// --decimal-point, --header, --no-header, --encoding, --na. One that does
/// nothing for the command's table (--data, --real) is refused. `table` must outlive parsing.
void add_table_options(CLI::App& command, TableOptions& table);

/// Adds --missing with these uses, the task's own first. `file` must outlive parsing.
void add_missing_option(CLI::App& command, SchemaFile& file, const std::vector<std::string>& uses);

/// Adds --drop-incomplete, for models. `file` must outlive parsing.
void add_drop_option(CLI::App& command, SchemaFile& file);

/// Adds --labels, which goes with --data.
CLI::Option* add_labels_option(CLI::App& command, std::filesystem::path& labels);

}  // namespace equinoise::cli
