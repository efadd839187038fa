// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/selection_bound.h"

#include <algorithm>
#include <cmath>

#include "equinoise/synth/fit.h"
#include "equinoise/synth/marginal_scores.h"

namespace equinoise {

std::vector<double> distance_bounds(const Domain& domain, const MeasuredChoice& choice,
                                    double miss) {
  const double largest = largest_weight(choice.candidates);
  const MarginalScores grid(largest);
  // A score is weight * (distance - penalty) in these units: sensitivity_units() of a weight
  // divided by one record.
  const auto weight_of = [&](const WeightedMarginal& candidate) {
    return grid.sensitivity_units(candidate.weight);
  };
  // The rounding of a sum over cells, each of which is rounded to the grid, and of the penalty.
  const auto cells_of = [&](const WeightedMarginal& candidate) {
    return domain.num_cells(candidate.attributes);
  };
  const auto rounding = [&](const WeightedMarginal& candidate) {
    return (cells_of(candidate) + 1) / 2 * MarginalScores::kRecordUnit;
  };
  const auto penalty = [&](const WeightedMarginal& candidate) {
    return noise_l1(choice.noise_stddev, cells_of(candidate));
  };
  const WeightedMarginal& chosen = choice.candidates[choice.chosen];
  const double half = std::log(2 / miss);
  const double distance =
      choice.noisy_distance + std::sqrt(2 * half * cells_of(chosen)) * choice.noise_stddev;
  const double lost = 2 * grid.sensitivity_units(largest) / choice.epsilon *
                      (std::log(static_cast<double>(choice.candidates.size())) + half);
  const double best = weight_of(chosen) * (distance - penalty(chosen) + rounding(chosen)) + lost;
  std::vector<double> bounds;
  bounds.reserve(choice.candidates.size());
  for (const WeightedMarginal& candidate : choice.candidates) {
    bounds.push_back(
        std::max(0.0, penalty(candidate) + rounding(candidate) + best / weight_of(candidate)));
  }
  return bounds;
}

}  // namespace equinoise
