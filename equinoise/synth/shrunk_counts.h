// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace equinoise {

/// Counts that were released with noise, or sums of such counts.
struct NoisyCounts {
  std::vector<double> counts;
  std::vector<double> variances;  ///< of the noise in each
};

/// Shrinks noisy counts towards a model's expected counts, the more the noisier they are. The
/// result is the posterior mean, where true counts are the expected ones times ratios. All cells
/// share a distribution of ratios, which is estimated from the noisy counts themselves.
/// Post-processing of a release and a model that follows from releases.
///
/// The distribution is a mixture of normals around ratios from 0 to 4096, fitted by
/// expectation-maximisation with a few made-up cells near the ratio 1 [Stephens2017]. Cells that
/// noise hides become the model's expected count, or the average of such cells; cells that exceed
/// the noise stay unchanged; none is below 0. `empty`: the prior odds that a cell holds nothing
/// against holding the expected count. Pre: `expected`, of each cell, finite and >= 0. Variances
/// stay those of the release.
void shrink_counts(std::span<NoisyCounts> released, std::span<const std::vector<double>> expected,
                   double empty);

}  // namespace equinoise
