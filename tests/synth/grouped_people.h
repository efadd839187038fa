// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/synth/column_codes.h"

namespace equinoise::testing {

/// Bins of ten years, that from 20 cut at 25; three places in one list.
struct GroupedPeople {
  Schema schema = parse_schema(R"(
schema = "equinoise/1"
dataset = "people"
reviewed = true
[public]
num_records = 100
[groups.band]
column = "age"
cuts = [25, 40]
[groups.place]
column = "town"
values = ["north", "south"]
rest = "elsewhere"
[columns.age]
type = "numeric"
bounds = [0, 60]
whole = true
[columns.town]
type = "categorical"
values = ["north", "east", "south", "west"]
)",
                               "people");
  std::vector<ColumnCodes> columns = column_codes(schema, {.num_bins = 6});
};

}  // namespace equinoise::testing
