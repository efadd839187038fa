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

/// By how many bins numbers of units are compared where the schema has no `public_bins`.
inline constexpr int kUnitBins = 65'536;

/// Leaves of each unit the rows that count, at most `max_records_per_unit`, and sorts all rows, so
/// that nothing depends on the order of the file; fills what the dataset says of units. `ids`:
/// whose its rows are. Rows that are nobody's are left out.
///
/// A cell has a code: that of a category, "other" and "missing" among them; of a number its public
/// bin (public_bins.h), of as many as the schema says, else of kUnitBins; "m" for a missing number
/// that is a value of its own; "d" for a cell that drops its record. Units are in the order of the
/// bytes of their ids, the rows of a unit in that of their codes, column by column as the schema
/// has them, "m" and "d" after numbers, then of the numbers themselves. Rows that are equal in all
/// of these are the same to everything that reads them.
///
/// Of a unit with more than k rows those k count whose SHA-256, as bytes, is smallest of the text
///
///     ID 0x1F CODE 0x1F ... CODE 0x1F COPY
///
/// with codes in decimal and COPY from 1 among the rows of equal codes, in the order above. The id
/// is part of it so that not the same cells survive for everybody.
///
/// It is a rule on each unit's rows alone: where the rows of one unit change, come or go in the
/// file, only rows of that unit do in the dataset, at most k of them.
void keep_rows_of_units(const UnitIds& ids, const Schema& schema, Dataset& dataset);

/// Rows of some units, unit by unit, and where those of each begin, (num_units + 1); without
/// `begin` where each row is a unit.
struct UnitRows {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> begin;
};

/// The rows of these units, in the order that is given: where a unit is a row, one each, of a
/// counted table that which stands for it. Errors: kInput for counted rows of units.
UnitRows rows_of_units(const Dataset& dataset, std::vector<uint32_t> units);

/// The two parts of a dataset by split_records over its units, in their order: nobody is in both.
/// Errors: as split_records.
struct UnitSplit {
  UnitRows train;
  UnitRows test;
};
UnitSplit split_units(const Dataset& dataset, double test_fraction, uint64_t split_seed);

/// Gives all rows of a unit the group that most of them have, of several the first one: whoever
/// changes between groups is in one. `groups`: (num_rows), as `unit_begin` divides them. `counts`:
/// (num_rows) 0 for a row that has no say, as its group is not known, unless none of its unit has
/// one; empty: all have.
void settle_groups(std::span<const uint32_t> unit_begin, std::span<GroupId> groups,
                   std::span<const uint8_t> counts = {});

/// Throws a usage error that names `what`, e.g. "--weights-from", if the schema has a column of
/// units: its figures would speak of rows.
void require_rows_as_units(const Schema& schema, std::string_view what);

}  // namespace equinoise
