// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema.h"

namespace equinoise {

/// Rows of some units, unit by unit, and where those of each begin, (num_units + 1).
struct UnitRows {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> begin;
};

/// The rows of these units of a dataset that has some, in the order that is given.
UnitRows rows_of_units(const Dataset& dataset, std::span<const uint32_t> units);

/// Gives all rows of a unit the group that most of them have, of several the first one: whoever
/// changes between groups is in one. `groups`: (num_rows), as `unit_begin` divides them.
void settle_groups(std::span<const uint32_t> unit_begin, std::span<GroupId> groups);

/// Throws a usage error that names `what`, e.g. "synth evaluate", if the schema has a column of
/// units: its figures would speak of rows.
void require_rows_as_units(const Schema& schema, std::string_view what);

}  // namespace equinoise
