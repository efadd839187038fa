// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/units.h"
#include "equinoise/report/training/unit_outlook.h"

namespace equinoise {

/// The output of `equinoise plan --unit`: for the schema's max_records_per_unit and for others, the
/// noise of one released number of rows at that budget, and the loss from rows left out. Nothing is
/// read or spent.
///
/// With at most k rows of a unit a count of rows changes by at most k, and a sum of numbers by k
/// times half of their bounds (about the middle). The noise at a budget is therefore k times that
/// for a row. Of r rows min(r, k) are used. The mean of all rows is the kept share s times that of
/// used rows and 1 - s times that of the others, so leaving these out moves it by at most 1 - s
/// times the width of the bounds. Errors: kUsage for a schema without a column of units.
UnitOutlook outlook_on_units(const Schema& schema, Epsilon epsilon, Delta delta);

}  // namespace equinoise
