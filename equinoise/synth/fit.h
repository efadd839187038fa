// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/synth/graph/estimation.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// Fits models to what a synthesizer has measured. Post-processing of released measurements.
///
/// A fit ends where its loss is what noise of the measured size has on average, half a unit for
/// each cell: what lies beyond follows the noise and not the records (Morozov's discrepancy
/// principle). Deviation: the published methods take a fixed number of steps.
class Fitter {
 public:
  struct Effort {
    double noise_level;      ///< ends at so many times the loss that noise has on average
    double stall_tolerance;  ///< see EstimationOptions
    int max_iterations;
  };
  static constexpr Effort kRough = {0.6, 0.005, 300};   ///< to choose what to measure next
  static constexpr Effort kFine = {0.7, 0.0005, 1000};  ///< to draw rows from
  /// To many marginals that were measured together, where less is seldom reached and never worth
  /// it.
  static constexpr Effort kTogether = {0.8, 0.005, 300};
  static constexpr Effort kExact = {0, 0.0001, 300};  ///< of one-way marginals, which is cheap

  static constexpr Effort kShrunk = {0.02, 0.0005, 300};  ///< to shrunk counts, without their noise

  /// Keeps references to all of them. `fixed` and `total`: see EstimationOptions.
  Fitter(const Domain& domain, const SynthConfig& config, const std::vector<Factor>& fixed,
         const SynthObserver& observer, std::optional<double> total = {})
      : domain_(domain), config_(config), fixed_(fixed), observer_(observer), total_(total) {}

  /// `start`: an earlier model over the same domain, or nullptr. Errors: kRuntime if the observer
  /// says that the run was interrupted.
  GraphicalModel fit(const std::vector<NoisyMarginal>& measurements, const Effort& effort,
                     const GraphicalModel* start) const;

 private:
  const Domain& domain_;
  const SynthConfig& config_;
  const std::vector<Factor>& fixed_;
  const SynthObserver& observer_;
  std::optional<double> total_;
};

/// An estimate, from a release alone, of how far `expected` is from the true counts in L1 norm: the
/// distance from the noisy ones less what noise of that size adds on average.
double noisy_distance(const NoisyMarginal& measurement, std::span<const double> expected);

/// The mean absolute value of a Gaussian of that standard deviation, for so many cells.
double noise_l1(double noise_stddev, double num_cells);

/// Throws the error of a run that was interrupted, if it was.
void check_interrupted(const SynthObserver& observer);

}  // namespace equinoise
