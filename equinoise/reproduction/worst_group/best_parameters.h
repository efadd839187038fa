// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/reproduction/worst_group/grouped_records.h"

namespace equinoise {

/// The parameters that minimise the mean loss of all records, or the largest mean loss of any group
/// to within 1e-4 (a regularised maximum with little curvature). NOT PRIVATE.
std::vector<double> best_on_average(const GroupedRecords& records);
std::vector<double> best_for_worst_group(const GroupedRecords& records);

}  // namespace equinoise
