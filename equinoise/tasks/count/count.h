// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/tasks/input/ingest_notes.h"

namespace equinoise {

/// The request of `equinoise count`.
struct CountRequest {
  SchemaFile schema;
  TableSource from;                ///< an engine, or a table that is read here
  std::filesystem::path out_path;  ///< Parquet if it ends in .parquet, otherwise CSV; "": none
  bool force = false;
  /// Receives the CSV instead of a file.
  std::function<void(std::string_view)> write = nullptr;
};

/// Counts of a table. NOT PRIVATE except for the names.
struct CountReport {
  std::string source;
  int64_t num_rows = 0;              ///< counted rows; for units those that are used
  std::optional<int64_t> num_units;  ///< if the schema has a column of units
  int64_t num_distinct = 0;          ///< rows of the counted table
  double seconds = 0;
  /// Counts for all rows. Not set if rows of units were selected, which comes after the schema's
  /// rules.
  std::vector<ColumnIngestCounts> columns;
  std::vector<std::string> files;
};

template <>
inline constexpr auto fields_of<CountReport> = std::tuple(
    computed(
        "notice",
        +[](const CountReport&) {
          return std::string(kDoNotPublish) + "all counts, and the files";
        },
        "What may not be done with it"),
    field("source", &CountReport::source, "What was counted"),
    field("rows", &CountReport::num_rows, "Counted rows"),
    field("distinct_rows", &CountReport::num_distinct, "Rows of the counted table"),
    field("seconds", &CountReport::seconds, "Time"),
    computed(
        "notes", +[](const CountReport& report) { return ingest_notes(report.columns); },
        "What the schema's rules did to records"),
    field("files", &CountReport::files, "Files that were written"),
    field("units", &CountReport::num_units, "If the schema has a column of units").or_nothing());

/// Counts the equal rows of a table by the codes of their cells, in an engine or here. Writes them
/// in the order of these codes with the column of counts (data/schema/count_column.h): a table for
/// the schema of the original. Memory grows with the distinct rows; for a table that is read here,
/// with all rows if its units may have several.
///
/// Errors: kInput (schema; table; another number of rows, or units, than the schema's public one; a
/// cell that is not a number in a column whose malformed cells stop a run), kUsage (an --out that
/// exists, or cannot hold the table; a table that is already counted), kRuntime. Nothing is written
/// then.
CountReport count_table(const CountRequest& request, TaskProgress& progress);

/// A schema for counting a table, valid for any later treatment of missing cells. Errors: those of
/// load_schema.
Schema load_counting_schema(SchemaFile file);

}  // namespace equinoise
