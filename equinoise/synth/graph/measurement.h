// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/synth/graph/domain.h"

namespace equinoise {

/// Noisy counts of a marginal. They are released, so every use of them is post-processing.
struct NoisyMarginal {
  AttributeSet clique;
  double noise_stddev = 0;      ///< for every cell
  std::vector<double> values;   ///< (num_cells): weight * count + noise
  std::vector<double> weights;  ///< (num_cells): factors of counts; empty: all 1
};

/// The least noise for a fit: below it, squares of differences and of precisions leave the range of
/// a double.
inline constexpr double kMinMeasuredNoise = 1e-60;
inline constexpr double kMaxMeasured = 1e60;  ///< noise, values, a total; values over the noise

/// The reason why a measurement cannot be fitted: its noise is not from kMinMeasuredNoise to
/// kMaxMeasured, or a value is above kMaxMeasured, by itself or divided by the noise. "" if it can
/// be.
std::string problem_of(const NoisyMarginal& measurement);

/// Errors: kUsage if an attribute is outside the domain or not in order, the number of values or
/// weights is not that of the cells, problem_of() reports a problem, or a weight is not finite
/// and >= 0. `where` is named in messages.
void check_measurement(const Domain& domain, const NoisyMarginal& measurement,
                       const std::string& where);

/// The number of records, estimated from each marginal's sum and weighted by inverse variance. At
/// least 1.
double estimated_total(const std::vector<NoisyMarginal>& measurements);

}  // namespace equinoise
