// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace equinoise {

/// Wilcoxon's signed-rank test of paired differences, one-sided: small `p_value` where they tend to
/// be above 0. [Wilcoxon1945]
struct SignedRank {
  double statistic = 0;  ///< sum of the ranks of the positive differences
  double p_value = 1;    ///< chance of at least this statistic if each sign were a fair coin
};

/// Zeros are dropped; equal magnitudes share the mean of their ranks. The distribution of the
/// statistic is computed exactly given these ranks, from all signs, so that it also holds with
/// ties. The smallest p of n non-zero differences is 2^-n. Errors: kUsage for an empty list, more
/// than 1000 differences, or one that is not finite.
SignedRank signed_rank_test(std::span<const double> differences);

/// A mean with its standard error, the root of the sample variance (n - 1) over n.
struct SampleMean {
  double mean = 0;
  double standard_error = 0;  ///< NaN for one value
};

/// Errors: kUsage without values.
SampleMean sample_mean(std::span<const double> values);

}  // namespace equinoise
