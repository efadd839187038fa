// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// A sentence for each grouping whose declared sizes differ from those of the table. Sizes that the
/// schema does not call exact are not compared, and none if there are too many combinations to
/// group by (kMaxGroups). A record without a group, because of a missing or unknown category, is
/// not counted in any. NOT PRIVATE: exact counts, for the table's owner.
std::vector<std::string> wrong_sizes(const Dataset& dataset, const Schema& schema);

}  // namespace equinoise
