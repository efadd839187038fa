// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/privacy/units.h"

namespace equinoise {

/// What a release promises: (epsilon, delta)-differential privacy under `relation`, as computed by
/// `accountant`.
struct Guarantee {
  Epsilon epsilon;
  Delta delta;
  std::string accountant;
  Relation relation;
};

/// What a run whose noise follows its own noisy outputs cost the members of a group in the end, at
/// most what was charged. Output-dependent: told after the fact, no promise.
struct RealisedGuarantee {
  double share = 0;  ///< of the budget of groups
  double rho = 0;    ///< of zero-concentrated DP
  Guarantee privacy;
};

}  // namespace equinoise
