// SPDX-License-Identifier: Apache-2.0
// No noise without a charge: the mechanism takes a permit by value.
#include <vector>

#include "equinoise/privacy/mechanisms/gaussian_sum.h"

void release(equinoise::Permit permit, std::vector<int64_t>& units,
             equinoise::RandomSource& source) {
  const equinoise::Sensitivity sensitivity(1, equinoise::Norm::kL2, equinoise::Relation::kZeroOut);
#ifdef MUST_COMPILE
  equinoise::add_gaussian_noise(std::move(permit), sensitivity, units, source);
#else
  equinoise::add_gaussian_noise(sensitivity, units, source);
#endif
}
