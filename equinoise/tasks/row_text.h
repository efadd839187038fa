#pragma once

#include <string>

#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/graph/rows.h"

namespace equinoise {

/// Rows as CSV with a header: categories, numbers drawn within their bins, and what the schema
/// reads as a missing cell for missing ones.
std::string rows_to_csv(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                        RandomSource& source);

/// The bytes of `num_rows` such rows with header are at most so many, whatever they hold. Public.
int64_t most_csv_bytes(const std::vector<ColumnCodes>& columns, int64_t num_rows);

}  // namespace equinoise
