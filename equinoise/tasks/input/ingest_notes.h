// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// What the schema's rules did to the records, a line for each column and kind; first of all what
/// shows that the schema does not fit, if anything does in kTellingCells or more. `target`: a
/// numeric column against which errors are measured, or "". NOT PRIVATE.
std::vector<std::string> ingest_notes(const Dataset& dataset, std::string_view target = "");

/// The same of cells alone, where a record counts by column whatever the rules for others say.
std::vector<std::string> ingest_notes(std::span<const ColumnIngestCounts> columns,
                                      std::string_view target = "");

/// So many cells say something of the schema even where no more are expected: one record to predict
/// for may be an odd one.
inline constexpr int64_t kTellingCells = 20;

/// The columns whose cells are not what the schema says, for more than half of those that are not
/// missing: unlisted, malformed or outside the bounds. Where unlisted categories become "other"
/// they are meant to occur, and count only if there are no others. Columns with fewer than
/// `min_cells` that are not missing are left out. Then that no record contributes, where none
/// does. A sentence each. NOT PRIVATE.
std::vector<std::string> misfits(const Dataset& dataset, int64_t min_cells = 1);

/// "147 of 1,000 records (14.7 %) contribute nothing, by columns decile (147) and age (3)", if
/// there are any. NOT PRIVATE.
std::optional<std::string> dropped_records(const Dataset& dataset);

/// (rows) Whether a cell is missing in one of the columns that are `needed` and that `schema`, by
/// which the table was read, makes a value of. NOT PRIVATE.
std::vector<uint8_t> rows_with_gaps(const Dataset& dataset, const Schema& schema,
                                    const std::function<bool(const std::string&)>& needed);

/// "12 of 200 cells (6 %)": the count and the share, which is 0 % or 100 % only where it is exactly
/// that.
std::string count_and_share(int64_t count, int64_t total, std::string_view what);

/// What figures of rows are of: "records", or "rows that count (at most 5 of a person_id)".
std::string rows_that_count(const Schema& schema);

}  // namespace equinoise
