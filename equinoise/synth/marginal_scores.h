// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// Scores of the distance between a model and a marginal, for private choices: integers on a public
/// grid.
///
/// score = weight * (sum over cells of |count - model| - penalty), in units of `unit()`. The
/// model's expected counts are rounded to the grid first: they are public, so they become other
/// public numbers and the sum is exact. Sensitivity: for a fixed model one record changes one count
/// by 1, hence the sum by at most 1 and the score by at most `weight`, in grid units
/// sensitivity_units(). The score is clamped to 64 bits at the end, which never increases a
/// difference. Relation: zero_out and add_remove alike.
class MarginalScores {
 public:
  /// The grid of a marginal's sums, in records.
  static constexpr double kRecordUnit = 0x1p-12;

  /// Weights are taken relative to `largest_weight` > 0 and rounded down, but to no less than one
  /// unit of 2^-16 of it. Pre: finite.
  explicit MarginalScores(double largest_weight) : largest_weight_(largest_weight) {}

  /// `counts` and `expected` of the same cells; expected and penalty finite.
  int64_t score(std::span<const uint32_t> counts, std::span<const double> expected, double weight,
                double penalty) const;

  /// The sum over cells of |count - model| alone, in units of kRecordUnit; one record changes it by
  /// at most a record, 1 / kRecordUnit units. At most 2^62. Pre: expected finite.
  static int64_t distance(std::span<const uint32_t> counts, std::span<const double> expected);

  /// The largest change of a score with that weight by one record.
  double sensitivity_units(double weight) const;

  /// The value of one unit of a score, in weighted records.
  double unit() const;

 private:
  int64_t weight_units(double weight) const;

  double largest_weight_;
};

}  // namespace equinoise
