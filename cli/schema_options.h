// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "equinoise/data/schema/schema.h"

namespace equinoise::cli {

/// Adds --schema and what a domain.json of private-pgm lacks: --num-records, --target, --dataset.
/// `file` must outlive parsing.
void add_schema_options(CLI::App& command, SchemaFile& file);

/// Adds what says how the text of a table is laid out: --delimiter, --decimal-comma,
/// --decimal-point, --header, --no-header, --encoding, --na. One that does
/// nothing for the command's table (--data, --real) is refused. `table` must outlive parsing.
void add_table_options(CLI::App& command, TableOptions& table);

/// Adds --labels, which goes with --data.
CLI::Option* add_labels_option(CLI::App& command, std::filesystem::path& labels);

}  // namespace equinoise::cli
