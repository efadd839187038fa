// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Where the declared sizes of groups are not those of the table, a sentence for each grouping;
/// sizes that the schema does not call exact are not compared, and none where there are too many
/// combinations to group by (kMaxGroups). A record that a missing or unknown
/// category leaves without a group is in none. NOT PRIVATE: exact counts, for the table's owner.
std::vector<std::string> wrong_sizes(const Dataset& dataset, const Schema& schema);

}  // namespace equinoise
