// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/graph/factor.h"

namespace equinoise {

/// Combinations that no record can have, declared publicly: [{"columns": ["sex", "relation"],
/// "impossible": [["Female", "Husband"], ...]}, ...], with categories as texts and numbers for the
/// bin that they are in. Returns tables of 0 (possible) and kLogZero. `ignored`: columns of the
/// table that rows do not have. Errors: kInput that names `origin`, the combination and the
/// mistake.
std::vector<Factor> parse_structural_zeros(std::string_view text,
                                           const std::vector<ColumnCodes>& columns,
                                           const Domain& domain, std::string_view origin,
                                           const std::vector<std::string>& ignored = {});

/// The part of a table for records whose codes of some attributes are `fixed`, over the other
/// attributes, numbered by their position in `kept`.
Factor restrict_zeros(const Factor& zeros, const Domain& domain, const std::vector<size_t>& kept,
                      const std::map<size_t, uint32_t>& fixed);

}  // namespace equinoise
