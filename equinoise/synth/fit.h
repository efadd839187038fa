// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/synth/graph/estimation.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// Fits models to a synthesizer's measurements. Post-processing of released measurements.
///
/// A fit ends when its loss reaches the average loss of noise of the measured size, half a unit for
/// each cell: a closer fit follows the noise and not the records (Morozov's discrepancy principle).
/// Deviation: the published methods take a fixed number of steps.
class Fitter {
 public:
  struct Effort {
    double noise_level;      ///< ends at this multiple of the average loss of noise
    double stall_tolerance;  ///< see EstimationOptions
    int max_iterations;
  };
  static constexpr Effort kRough = {0.6, 0.005, 300};   ///< to choose the next measurement
  static constexpr Effort kFine = {0.7, 0.0005, 1000};  ///< to draw rows from
  /// Effort for many marginals that were measured together, when a lower loss is seldom reached and
  /// never worth it.
  static constexpr Effort kTogether = {0.8, 0.005, 300};
  static constexpr Effort kExact = {0, 0.0001, 300};  ///< for one-way marginals, which is cheap

  static constexpr Effort kShrunk = {0.02, 0.0005, 300};  ///< to shrunk counts, without their noise

  /// Keeps references to all of them. `fixed` and `total`: see EstimationOptions.
  Fitter(const Domain& domain, const SynthConfig& config, const std::vector<Factor>& fixed,
         const TaskProgress& progress, std::optional<double> total = {})
      : domain_(domain), config_(config), fixed_(fixed), progress_(progress), total_(total) {}

  /// Fits a model. `start`: an earlier model over the same domain, or nullptr. Errors: kRuntime if
  /// interrupted.
  GraphicalModel fit(const std::vector<NoisyMarginal>& measurements, const Effort& effort,
                     const GraphicalModel* start) const;

 private:
  const Domain& domain_;
  const SynthConfig& config_;
  const std::vector<Factor>& fixed_;
  const TaskProgress& progress_;
  std::optional<double> total_;
};

/// An estimate, from a release alone, of the L1 distance of `expected` from the true counts: the
/// distance from the noisy counts minus the average contribution of noise of that size.
double noisy_distance(const NoisyMarginal& measurement, std::span<const double> expected);

/// The mean absolute value of a Gaussian of that standard deviation, summed over `num_cells` cells.
double noise_l1(double noise_stddev, double num_cells);

}  // namespace equinoise
