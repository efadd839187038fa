// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/tasks/input/request_option.h"

namespace equinoise {

// Options that several requests have. The fields must outlive the options.

/// The table of a command that reads counted rows and engines.
inline constexpr const char* kTableHelp =
    "Table: a file (CSV, ARFF, JSON, Parquet), folder or database (docs/guide/tables.md)";

/// A schema, the parts missing from a domain.json of private-pgm, and the layout of the table's
/// text.
RequestOptions schema_options(SchemaFile& file);

/// The same with --domain for a domain.json, of synthetic rows.
RequestOptions domain_options(SchemaFile& file,
                              const OptionFacts& target = {.name = "target",
                                                           .help = "Target column, for --domain"});

/// The layout of a table's text.
RequestOptions layout_options(TableOptions& table);

/// The treatment of missing cells: the words of `uses`, the default first.
RequestOptions missing_options(SchemaFile& file, const std::vector<MissingUse>& uses);

/// --drop-incomplete, for models.
RequestOptions drop_options(SchemaFile& file);

/// The labels of images in --data.
RequestOptions label_options(std::filesystem::path& labels);

RequestOptions floor_options(GroupFloor& floor);

/// Groupings and the floor for small groups.
RequestOptions group_options(std::vector<std::vector<std::string>>& groupings, GroupFloor& floor);

/// A column with the survey weight of each record. `more`: additional text of the command.
RequestOptions weight_options(std::string& column, std::string_view more);

/// A ledger and the key of a spend. `payee`: "release"
RequestOptions ledger_options(std::string& path, std::string& key, std::string_view payee);

/// A test seed and the flag that allows it.
RequestOptions seed_options(std::optional<size_t>& seed);

RequestOptions constraint_options(std::vector<std::string>& lines, std::filesystem::path& path);

RequestOptions strict_options(bool& strict);

/// --verbose, for commands that print less than their page.
RequestOptions verbose_options(bool& verbose);

}  // namespace equinoise
