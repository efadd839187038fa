// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/units.h"
#include "equinoise/report/training/unit_outlook.h"

namespace equinoise {

/// What `equinoise plan --unit` tells: the noise that one released number of rows gets at that
/// budget, and what is left out, for the schema's max_records_per_unit and others. Nothing is read
/// or spent.
///
/// With at most k rows of a unit a number of rows changes by k at most, and a sum of numbers by k
/// times half of their bounds (about the middle), so that noise at a budget is k times that for a
/// row. Of r rows min(r, k) count. The mean of all rows is the kept share s times that of rows that
/// count and 1 - s times that of the others, so that leaving these out moves it by at most 1 - s
/// times the width of the bounds. Errors: kUsage for a schema without a column of units.
UnitOutlook outlook_on_units(const Schema& schema, Epsilon epsilon, Delta delta);

}  // namespace equinoise
