// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/groups/grouping.h"

namespace equinoise {

/// (num_strata) the public sizes of strata: `given` by name, else of the schema; where these make
/// up the table, others are empty. A grouping without columns is the whole table.
///
/// Errors: kUsage for sizes of what is no stratum, that are no whole numbers, that are more than
/// the records of the table, or that leave some unknown; names the strata.
std::vector<double> public_stratum_sizes(const Schema& schema, const Grouping& grouping,
                                         const std::vector<std::string>& names,
                                         const std::map<std::string, double>& given);

}  // namespace equinoise
