// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace equinoise {

struct DraftOptions {
  std::string dataset = {};      ///< "": the name of the file
  std::string target = {};       ///< "": none
  size_t max_categories = 1000;  ///< texts with more distinct values are ignored
};

/// A schema in TOML for a table without a schema, marked `reviewed = false`. NOT PRIVATE: bounds,
/// values, means and the number of records are learnt from the records.
///
/// Reads the table once; memory is bounded by the number of columns and `max_categories`. Numbers
/// with more than 20 distinct values become numeric with outward rounded bounds and the rounded
/// mean and standard deviation as scale; other columns with at most `max_categories` distinct
/// values become categorical; what has one value, identifies records or is free text is ignored.
/// A comment for each column says what was seen. The draft parses, and read_table accepts the table
/// with it.
///
/// Errors: those of the table's reader; kInput for a header with a column twice or without a name,
/// no rows, no column that can be used; kUsage for an unknown target, a target that would be
/// ignored, a bad dataset name, or max_categories outside 20 .. 65,000.
std::string draft_schema(const std::filesystem::path& table, const DraftOptions& options);

}  // namespace equinoise
