// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "equinoise/privacy/random/source.h"

namespace equinoise {

// Rounding at random for rows of a released model: post-processing, in which probabilities may be
// rounded.

/// Whole counts that sum to `total`. Each code gets the whole part of its share, and one more with
/// the probability of the remaining fraction, by systematic sampling. Weights are >= 0; a code of
/// weight 0 gets nothing unless all are 0, when they count as equal.
void round_counts(std::span<const double> weights, size_t total, RandomSource& source,
                  std::vector<size_t>& counts);

}  // namespace equinoise
