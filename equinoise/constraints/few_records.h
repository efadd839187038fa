// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Warns of rates of so few records that noise hides them: for each group of the worst one. Where
/// it is not public how many have the label of a rate, one warning gives the share that each group
/// needs, if a rare label would be too few. `where`: "in a batch".
std::vector<std::string> few_records_warnings(const Schema& schema,
                                              std::span<const RateProgram::CellRate> rates,
                                              double num_records, double noise_of_cell,
                                              std::string_view where, std::string_view consequence);

}  // namespace equinoise
