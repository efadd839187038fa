// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/synth/graph/domain.h"

namespace equinoise {

/// Noisy counts of a marginal. Already released, so whatever is done with them is post-processing.
struct NoisyMarginal {
  AttributeSet clique;
  double noise_stddev = 0;      ///< of every cell
  std::vector<double> values;   ///< (num_cells): weight * count + noise
  std::vector<double> weights;  ///< (num_cells): what counts are multiplied with; empty: all 1
};

/// What a model can be fitted to: beyond, squares of differences and of precisions leave the range
/// of a double.
inline constexpr double kMinMeasuredNoise = 1e-60;
inline constexpr double kMaxMeasured = 1e60;  ///< noise, values, a total; values over the noise

/// Why nothing can be fitted to a measurement: its noise is not from kMinMeasuredNoise to
/// kMaxMeasured, or a value is above kMaxMeasured, by itself or over the noise. "" if it can be.
std::string problem_of(const NoisyMarginal& measurement);

/// Errors: kUsage if an attribute is outside the domain or not in order, the number of values or
/// weights is not that of the cells, there is a problem_of() it, or a weight is not finite and >=
/// 0. `where` is named in messages.
void check_measurement(const Domain& domain, const NoisyMarginal& measurement,
                       const std::string& where);

/// The number of records by inverse variance: each marginal's sum estimates it. At least 1.
double estimated_total(const std::vector<NoisyMarginal>& measurements);

}  // namespace equinoise
