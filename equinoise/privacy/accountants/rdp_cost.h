// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/privacy/accountants/composition.h"

namespace equinoise {

/// Adds events up by their Renyi divergences at `orders`. Errors of add(): kUsage, naming the
/// event, for one that RDP cannot bound under the relation.
Composition rdp_composition(Relation relation, const std::vector<double>& orders);

}  // namespace equinoise
