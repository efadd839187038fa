// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/graph/rows.h"

namespace equinoise {

enum class RowFormat { kCsv, kParquet };
inline constexpr EnumWords<RowFormat, 2> kRowFormats = {
    {{RowFormat::kCsv, "csv"}, {RowFormat::kParquet, "parquet"}}};

/// Errors: kUsage for names of columns that a file of that format cannot hold.
void check_row_format(RowFormat format, const std::vector<ColumnCodes>& columns);

/// Draws `num_rows` rows and hands them to `sink`, piece by piece, as a file: CSV with a header:
/// categories, numbers drawn within their bins, and what the schema reads as a missing cell for
/// missing ones.
///
/// Parquet has nulls for these, whole numbers as integers, other numbers as doubles, categories
/// that are true and false as booleans. Errors: kRuntime if interrupted, which it asks
/// every few thousand rows.
void write_rows(RowStream& rows, int64_t num_rows, const std::vector<ColumnCodes>& columns,
                RowFormat format, RandomSource& source,
                const std::function<void(std::string_view)>& sink,
                const TaskProgress& progress = kUnwatched);

/// The bytes of `num_rows` rows as CSV are at most so many, whatever they hold; as Parquet hardly
/// more. Public.
int64_t max_csv_bytes(const std::vector<ColumnCodes>& columns, int64_t num_rows);

/// The schema by which a file of rows is read, whatever the layout of the table that they are of.
Schema in_usual_layout(Schema schema);

}  // namespace equinoise
