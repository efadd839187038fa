#pragma once

#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// What a histogram says of every rate and constraint. Post-processing of the histogram.
struct RateValues {
  std::vector<double> rates;         ///< (rates), each within 0 to 1
  std::vector<double> denominators;  ///< (rates), at least min_denominator
  std::vector<double> constraints;   ///< (constraints), sums of coefficient * rate, without slack
};

/// histogram: (num_cells), of whatever mass, with or without noise. A denominator below
/// `min_denominator` counts as that: of a group that hardly occurs nothing large is said.
RateValues rate_values(const RateProgram& program, std::span<const double> histogram,
                       double min_denominator);

/// Adds to `weights` (num_cells) the derivative of sum_j multipliers[j] * constraint j at each
/// cell, where rates are not held within 0 to 1. A denominator that does not depend on predictions
/// is constant; another one that is raised to `min_denominator` is constant, too. multipliers:
/// (constraints); values: what rate_values gave for the histogram.
void add_cell_weights(const RateProgram& program, std::span<const double> histogram,
                      double min_denominator, std::span<const double> multipliers,
                      const RateValues& values, std::span<double> weights);

}  // namespace equinoise
