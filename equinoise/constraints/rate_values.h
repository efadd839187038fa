// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// The values of every rate and constraint from a histogram, as post-processing of it.
struct RateValues {
  std::vector<double> rates;         ///< (rates), each within 0 to 1
  std::vector<double> denominators;  ///< (rates), as raised or given
  std::vector<double> constraints;   ///< (constraints), sums of coefficient * rate, without slack
};

/// histogram: (num_cells), of any total, with or without noise. Denominators are raised to at least
/// `min_denominator`, so that a group that hardly occurs gets no large rates.
RateValues rate_values(const RateProgram& program, std::span<const double> histogram,
                       double min_denominator);

/// The values with these denominators, (rates).
RateValues rate_values(const RateProgram& program, std::span<const double> histogram,
                       std::span<const double> denominators);

/// The values of every constraint from one step's histogram, (constraints). Its numerators are
/// divided by the denominators of `smoothed`, the mean histogram over steps, for which rate_values
/// gave `values`. A step's rate is kept within 1 of the smoothed one, because the noise of an empty
/// or nearly empty cell would be divided by a raised denominator. If a denominator is below one
/// record the smoothed rate is used: a batch has such a group or not, so a rate kept within 1 would
/// be biased.
std::vector<double> step_constraints(const RateProgram& program, std::span<const double> histogram,
                                     std::span<const double> smoothed, const RateValues& values);

/// A record of a constraint's value in training, over the steps whose iterates are averaged. It
/// does not describe the model: the value for a mean of iterates is not the mean of their values.
/// If steps lie on both sides of the slack, the two may be far apart.
struct ConstraintTrace {
  double mean = 0;  ///< sum of coefficient * rate, of the mean histogram; NaN, as are the others,
                    ///< if a denominator is too uncertain (known_constraints)
  double mean_stddev = 0;  ///< of the mean, from noise and from the draw of batches
  double spread = 0;       ///< standard deviation over the steps of the smoothed value
  double explained = 0;    ///< the spread that noise and the draw of batches would cause
  double limit = 0;        ///< of the spread of a model at rest, except by rare chance
  bool at_limit = false;   ///< the last multiplier is near its largest allowed value
  double multiplier = 0;   ///< the last multiplier
};

/// The variances of the constraints' values, (constraints), to first order. The cells' errors are
/// taken as independent with the variances `cell_variances`, (num_cells).
std::vector<double> constraint_variances(const RateProgram& program,
                                         std::span<const double> histogram, double min_denominator,
                                         std::span<const double> cell_variances);

/// Returns whether each constraint's value is meaningful, (constraints): the denominators of all
/// its rates are at least `min_denominator` and exceed their errors by the 1.96 standard deviations
/// of a 95 % interval. Variances: as for constraint_variances.
std::vector<bool> known_constraints(const RateProgram& program, std::span<const double> histogram,
                                    double min_denominator, std::span<const double> cell_variances);

/// Adds to `weights` (num_cells) the derivative of sum_j multipliers[j] * constraint j at each
/// cell, for rates that are not clipped to [0, 1]. A denominator that does not depend on
/// predictions is constant, and so is a raised one. multipliers: (constraints); values: the result
/// of rate_values for the histogram.
void add_cell_weights(const RateProgram& program, std::span<const double> histogram,
                      std::span<const double> multipliers, const RateValues& values,
                      std::span<double> weights);

}  // namespace equinoise
