// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace equinoise {

/// Counts that were released with noise, or sums of such.
struct NoisyCounts {
  std::vector<double> counts;
  std::vector<double> variances;  ///< of the noise in each
};

/// Noisy counts, each moved towards what a model expects of its cell by how much noise it carries:
/// its posterior mean, where true counts are the expected ones times ratios of a law that all cells
/// share and that is estimated from the noisy counts themselves.
///
/// Post-processing of a release and a model that follows from releases. The law is a mixture of
/// normals around ratios from 0 to 4096, fitted by expectation-maximisation with a few made-up
/// cells near the ratio 1 [Stephens2017]. Cells that noise hides get what the model expects, or
/// what such cells hold on average; cells that stand out of it stay as they are; none is below 0.
/// `empty`: how likely it is, before any count is seen, that a cell holds nothing, over how likely
/// that it holds what is expected. Pre: `expected`, of each cell, finite and >= 0. Variances stay
/// those of the release.
void shrink_counts(std::span<NoisyCounts> released, std::span<const std::vector<double>> expected,
                   double empty);

}  // namespace equinoise
