// SPDX-License-Identifier: Apache-2.0
// No choice without a charge: the exponential mechanism takes a permit by value.
#include <vector>

#include "equinoise/privacy/mechanisms/exponential.h"

size_t choose(equinoise::Permit permit, const std::vector<int64_t>& scores,
              equinoise::RandomSource& source) {
  const equinoise::Sensitivity sensitivity(1, equinoise::Norm::kMax,
                                           equinoise::Relation::kReplaceOne);
#ifdef MUST_COMPILE
  return equinoise::choose_exponentially(std::move(permit), sensitivity, scores, source);
#else
  return equinoise::choose_exponentially(permit, sensitivity, scores, source);
#endif
}
