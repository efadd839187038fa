// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/fit.h"

#include <cmath>
#include <numbers>

#include "equinoise/synth/synth_progress.h"

namespace equinoise {

GraphicalModel Fitter::fit(const std::vector<NoisyMarginal>& measurements, const Effort& effort,
                           const GraphicalModel* start) const {
  check_interrupted(progress_);
  double num_cells = 0;
  for (const NoisyMarginal& measurement : measurements)
    num_cells += static_cast<double>(measurement.values.size());
  const double loss_of_noise = effort.noise_level * num_cells / 2;
  EstimationOptions options;
  options.stall_tolerance = effort.stall_tolerance;
  options.max_iterations = effort.max_iterations;
  options.threads = config_.threads;
  options.fixed_potentials = fixed_;
  options.total = total_;
  options.on_progress = [&](const EstimationProgress& state) {
    return state.loss > loss_of_noise && !progress_.interrupted();
  };
  ModelEstimate estimate = estimate_model(domain_, measurements, options, start);
  check_interrupted(progress_);
  return std::move(estimate.model);
}

double noise_l1(double noise_stddev, double num_cells) {
  return std::sqrt(2 / std::numbers::pi) * noise_stddev * num_cells;
}

double noisy_distance(const NoisyMarginal& measurement, std::span<const double> expected) {
  double sum = 0;
  for (size_t cell = 0; cell < expected.size(); ++cell)
    sum += std::abs(measurement.values[cell] - expected[cell]);
  return sum - noise_l1(measurement.noise_stddev, static_cast<double>(expected.size()));
}

}  // namespace equinoise
