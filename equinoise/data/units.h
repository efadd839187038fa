// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/unit_ids.h"

namespace equinoise {

/// The number of bins in which numbers of units are compared if the schema has no `public_bins`.
inline constexpr int kUnitBins = 65'536;

/// Keeps the rows of each unit that count, at most `max_records_per_unit`, and sorts all rows, so
/// that nothing depends on the order of the file; sets the dataset's members about units. `ids`:
/// the units of its rows. Rows without a unit are left out.
///
/// A cell has a code: that of a category, including "other" and "missing"; for a number its public
/// bin (public_bins.h), of as many bins as the schema has, else of kUnitBins; "m" for a missing
/// number that is a value of its own; "d" for a cell that drops its record.
///
/// Units are in the order of the bytes of their ids. The rows of a unit are in the order of their
/// codes, column by column as in the schema, "m" and "d" after numbers, and then of the numbers
/// themselves. Rows that are equal in all of these are the same for all code that reads them.
///
/// For a unit with more than k rows, those k count for which the SHA-256, as bytes, of this text is
/// smallest:
///
///     ID 0x1F CODE 0x1F ... CODE 0x1F COPY
///
/// with codes in decimal and COPY from 1 among the rows of equal codes, in the order above. The id
/// is part of the text, so that different units keep different cells.
///
/// The rule uses each unit's rows alone: if the rows of one unit change, are added or removed in
/// the file, only rows of that unit change in the dataset, at most k of them.
void keep_rows_of_units(const UnitIds& ids, const Schema& schema, Dataset& dataset);

/// Rows of some units, unit by unit, and the beginning of each unit's rows, (num_units + 1).
/// Without `begin` each row is a unit.
struct UnitRows {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> begin;
};

/// The rows of these units, in the given order. If a unit is a row, one each; in a counted table
/// the row that represents it. Errors: kInput for counted rows of units.
UnitRows rows_of_units(const Dataset& dataset, std::vector<uint32_t> units);

/// The two parts of a dataset by split_records over its units, in their order: no unit is in both.
/// Errors: as split_records.
struct UnitSplit {
  UnitRows train;
  UnitRows test;
};
UnitSplit split_units(const Dataset& dataset, double test_fraction, uint64_t split_seed);

/// Gives all rows of a unit the group that most of them have, on ties the first one. A unit whose
/// rows differ is then in one group. `groups`: (num_rows), as `unit_begin` divides them. `counts`:
/// (num_rows) 0 for a row that is not counted, as its group is not known, unless that holds for all
/// rows of its unit.
void settle_groups(std::span<const uint32_t> unit_begin, std::span<GroupId> groups,
                   std::span<const uint8_t> counts);

/// Throws a usage error that names `what`, e.g. "--weights-from", if the schema has a column of
/// units: its figures would refer to rows.
void require_rows_as_units(const Schema& schema, std::string_view what);

}  // namespace equinoise
