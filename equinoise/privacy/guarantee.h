// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/privacy/units.h"

namespace equinoise {

/// The guarantee of a release: (epsilon, delta)-differential privacy under `relation`, as computed
/// by `accountant`.
struct Guarantee {
  Epsilon epsilon;
  Delta delta;
  std::string accountant;
  Relation relation;
};

/// The realised cost to the members of a group of a run whose noise depends on its own noisy
/// outputs; at most what was charged. It depends on outputs and is known only afterwards, so it is
/// not a guarantee.
struct RealisedGuarantee {
  double share = 0;  ///< of the budget of groups
  double rho = 0;    ///< of zero-concentrated DP
  Guarantee privacy;
};

}  // namespace equinoise
