// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "equinoise/synth/workload.h"

namespace equinoise {

/// A marginal that was chosen by an exponential mechanism with MarginalScores of the distance minus
/// that of noise alone (noise_l1), and then measured. All of it is public or released.
struct MeasuredChoice {
  std::vector<WeightedMarginal> candidates;
  size_t chosen = 0;
  double epsilon = 0;         ///< of the choice
  double noise_stddev = 0;    ///< of the measurement
  double noisy_distance = 0;  ///< L1 distance of its noisy counts from the model's expected ones
};

/// (candidates) Upper bounds, in records, on the L1 distance between a marginal's counts and the
/// model's expected counts before the choice. They hold for all candidates at once, except with
/// probability `miss` over the choice and the noise.
///
/// Proof: let e_r be the distance of candidate r, w_r its weight, n_r its cells, p_r its penalty,
/// and t the chosen one.
/// (1) The exponential mechanism chooses a score that is lower than the largest by more than
/// (2 sensitivity / epsilon) (log(candidates) + u) with probability at most exp(-u), so otherwise
/// w_r (e_r - p_r) <= w_t (e_t - p_t) + that, for all r.
/// (2) With s the signs of count - model, the noisy distance is at least the sum of
/// s_i (count_i - model_i + noise_i) = e_t + the sum of s_i noise_i. The signs do not depend on the
/// noise, and discrete Gaussian noise is subgaussian with its parameter [CanonneKamathSteinke2020,
/// Cor. 17]. So this sum is below -v noise_stddev sqrt(n_t) with probability at most exp(-v^2 / 2).
/// Each gets half of `miss`. The rounding of scores is added. Both hold for any records, and given
/// all earlier releases.
///
/// Source: [McKennaMullinsSheldonMiklau2022, bounds for marginals that were not measured].
/// Deviation: (2) holds for discrete noise. There is no bound for marginals that were no
/// candidates. Post-processing.
std::vector<double> distance_bounds(const Domain& domain, const MeasuredChoice& choice,
                                    double miss);

}  // namespace equinoise
