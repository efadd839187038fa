// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/graph/graphical_model.h"

namespace equinoise {

/// Evidence from a stratum's label about the codes of its members, from the schema alone: a
/// category, or which codes belong to the category of a group attribute. Attributes are positions
/// among `columns`, with weights for each code.
Evidence stratum_evidence(const GroupLabel& label, const Schema& schema,
                          const std::vector<ColumnCodes>& columns);

/// The codes that all members have: evidence of one code.
std::map<size_t, uint32_t> fixed_codes(const Evidence& evidence);

}  // namespace equinoise
