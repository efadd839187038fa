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

/// The effects of the schema's rules on the records, a line for each column and kind. First the
/// signs that the schema does not fit, if any, from kTellingCells cells on. `target`: a numeric
/// column against which errors are measured, or "". NOT PRIVATE.
std::vector<std::string> ingest_notes(const Dataset& dataset, std::string_view target = "");

/// The same for cells only, if records count by column, independent of the rules for other columns.
std::vector<std::string> ingest_notes(std::span<const ColumnIngestCounts> columns,
                                      std::string_view target = "");

/// The columns that do not fit the schema: more than half of their non-missing cells are unlisted,
/// malformed or outside the bounds. If unlisted categories become "other", they are expected, and
/// count only if there are no listed ones. Columns with fewer than `min_cells` non-missing cells
/// are left out. Then a sentence if no record contributes. A sentence each. NOT PRIVATE.
std::vector<std::string> misfits(const Dataset& dataset, int64_t min_cells = 1);

/// "147 of 1,000 records (14.7 %) contribute nothing, by columns decile (147) and age (3)", if
/// there are any. NOT PRIVATE.
std::optional<std::string> dropped_records(const Dataset& dataset);

/// (rows) Whether a cell is missing in one of the `needed` columns in which `schema`, by which the
/// table was read, turns missing cells into a value. NOT PRIVATE.
std::vector<uint8_t> rows_with_gaps(const Dataset& dataset, const Schema& schema,
                                    const std::function<bool(const std::string&)>& needed);

/// The unit of figures of rows: "records", or "rows that count (at most 5 of a person_id)".
std::string rows_that_count(const Schema& schema);

}  // namespace equinoise
