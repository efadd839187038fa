// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Sets of columns, by name.
using ColumnSets = std::vector<std::vector<std::string>>;

/// Sets of columns, by their places among the codings.
using ColumnPlaces = std::vector<std::vector<size_t>>;

/// The codings of a schema. Columns in no set are not used. Without sets all are used.
std::vector<ColumnCoding> codings_for(const Schema& schema, const ColumnSets& sets);

/// The sets, followed by sets of the unused columns, each with few possible rows.
ColumnPlaces places_of(const ColumnSets& sets, const std::vector<ColumnCoding>& codings);

/// A warning before an engine counts, if by public facts so many rows may differ that they take
/// more than half of the memory. "" if they fit, or if the schema has no number of records.
std::string why_rows_may_not_fit(const Schema& schema, const ColumnSets& sets);

}  // namespace equinoise
