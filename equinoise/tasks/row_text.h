#pragma once

#include <string>

#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/graph/rows.h"

namespace equinoise {

/// Rows as CSV with a header: categories, numbers drawn within their bins, empty cells for missing
/// ones.
std::string rows_to_csv(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                        RandomSource& source);

}  // namespace equinoise
