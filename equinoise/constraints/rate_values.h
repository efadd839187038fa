// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// The values of every rate and constraint according to a histogram, as post-processing of it.
struct RateValues {
  std::vector<double> rates;         ///< (rates), each within 0 to 1
  std::vector<double> denominators;  ///< (rates), as raised or given
  std::vector<double> constraints;   ///< (constraints), sums of coefficient * rate, without slack
};

/// histogram: (num_cells), of whatever mass, with or without noise. A denominator below
/// `min_denominator` counts as that, so that a group that hardly occurs gets no large rates.
RateValues rate_values(const RateProgram& program, std::span<const double> histogram,
                       double min_denominator);

/// The same over these denominators, (rates).
RateValues rate_values(const RateProgram& program, std::span<const double> histogram,
                       std::span<const double> denominators);

/// The values of every constraint according to a step's histogram, (constraints): its numerators
/// over the denominators of the mean over steps, `smoothed`, for which rate_values gave `values`. A
/// step's rate is held within 1 of the smoothed one: the noise of a cell that is empty, or nearly
/// so, would be divided by a raised denominator. Of a denominator below one record it is the
/// smoothed one: a batch has such a group or not, so what is held within 1 would be biased.
std::vector<double> step_constraints(const RateProgram& program, std::span<const double> histogram,
                                     std::span<const double> smoothed, const RateValues& values);

/// How a constraint was kept in training, over the steps whose iterates are averaged. It says
/// nothing about the model: the value for a mean of iterates is not the mean of their values, and
/// if steps lie on both sides of the slack the two may be far apart.
struct ConstraintTrace {
  double mean = 0;         ///< sum of coefficient * rate, of the mean histogram; NaN, as are the
                           ///< others, where a denominator says nothing
                           ///< (known_constraints)
  double mean_stddev = 0;  ///< of that, by noise and by the draw of batches
  double spread = 0;       ///< standard deviation over the steps of the smoothed value
  double explained = 0;    ///< the same as noise and the draw of batches would make it
  double limit = 0;        ///< on the spread of a model that stands still, but for a chance
  bool at_limit = false;   ///< the last multiplier is near the largest that it may be
  double multiplier = 0;   ///< the last one
};

/// The variances of the constraints' values, (constraints), to first order, where the cells'
/// errors are independent and have these variances, (num_cells).
std::vector<double> constraint_variances(const RateProgram& program,
                                         std::span<const double> histogram, double min_denominator,
                                         std::span<const double> cell_variances);

/// Whether each constraint's value is meaningful, (constraints): the denominators of all its rates
/// are at least `min_denominator` and exceed their errors by the 1.96 standard deviations of a 95 %
/// interval. Variances as above.
std::vector<bool> known_constraints(const RateProgram& program, std::span<const double> histogram,
                                    double min_denominator, std::span<const double> cell_variances);

/// Adds to `weights` (num_cells) the derivative of sum_j multipliers[j] * constraint j at each
/// cell, where rates are not held within 0 to 1. A denominator that does not depend on predictions
/// is constant; another one that was raised is constant, too. multipliers: (constraints); values:
/// what rate_values gave for the histogram.
void add_cell_weights(const RateProgram& program, std::span<const double> histogram,
                      std::span<const double> multipliers, const RateValues& values,
                      std::span<double> weights);

}  // namespace equinoise
