// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "equinoise/data/schema.h"

namespace equinoise::cli {

/// Adds --schema and what a domain.json of private-pgm lacks: --num-records, --target, --dataset.
/// `file` must outlive parsing.
void add_schema_options(CLI::App& command, SchemaFile& file);

/// Adds what says how the text of a table is laid out: --delimiter, --decimal-comma, --header,
/// --no-header, --encoding, --na. `table` must outlive parsing.
void add_table_options(CLI::App& command, TableOptions& table);

/// Adds --labels, which goes with --data.
CLI::Option* add_labels_option(CLI::App& command, std::filesystem::path& labels);

}  // namespace equinoise::cli
