// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "equinoise/synth/workload.h"

namespace equinoise {

/// A marginal that was chosen by an exponential mechanism with MarginalScores, of the distance less
/// what noise alone would be (noise_l1), and then measured. All of it is public or released.
struct MeasuredChoice {
  std::vector<WeightedMarginal> candidates;
  size_t chosen = 0;
  double epsilon = 0;         ///< of the choice
  double noise_stddev = 0;    ///< of the measurement
  double noisy_distance = 0;  ///< L1 distance of its noisy counts from what the model expected
};

/// (candidates) A number of records that the L1 distance between a marginal's counts and what the
/// model expected before the choice does not exceed, for all candidates at once, but with
/// probability `miss` over the choice and the noise.
///
/// Why: let e_r be the distance of candidate r, w_r its weight, n_r its cells, p_r its penalty, and
/// t what was chosen. (1) The exponential mechanism chooses a score that is lower than the largest
/// by more than (2 sensitivity / epsilon) (log(candidates) + u) with probability at most exp(-u),
/// so else w_r (e_r - p_r) <= w_t (e_t - p_t) + that, for all r. (2) With s the signs of count -
/// model, the noisy distance is at least the sum of s_i (count_i - model_i + noise_i) = e_t + the
/// sum of s_i noise_i. The signs do not depend on the noise, and discrete Gaussian noise is
/// subgaussian with its parameter [CanonneKamathSteinke2020, Cor. 17], so that this sum is below
/// -v noise_stddev sqrt(n_t) with probability at most exp(-v^2 / 2). Each gets half of `miss`. What
/// scores are rounded by is added. Both hold whatever records are, and given all that was released
/// before.
///
/// Source: [McKennaMullinsSheldonMiklau2022, bounds for marginals that were not measured].
/// Deviation: (2) holds for discrete noise. A bound says nothing of marginals that were no
/// candidates. Post-processing.
std::vector<double> distance_bounds(const Domain& domain, const MeasuredChoice& choice,
                                    double miss);

}  // namespace equinoise
