// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/centred_record.h"

namespace equinoise {

/// Bounds on what a record adds to the moments of a regression: public, or what was released
/// before.
struct MomentBounds {
  double row = 1;     ///< records with features longer than this, in L2, count less
  double target = 1;  ///< a target is brought to within this of `center`
  double center = 0;  ///< on the scale of the encoded target
};

/// The parts of the squared L2 norm of all that a record adds, the bounds being 1. They add up to
/// 1. Without second moments only the mean of the target is released.
struct MomentShares {
  double second = 0;          ///< of x x'
  double cross = 0;           ///< of x y
  double sum = 0;             ///< of x
  double weight = 0;          ///< of 1
  double target = 1;          ///< of y
  double target_squares = 0;  ///< of y^2

  bool has_slopes() const { return second > 0; }
};

/// Of a release with slopes; half-way between what slopes and what the mean needs.
inline constexpr MomentShares kWithSlopes = {.second = 0.3,
                                             .cross = 0.3,
                                             .sum = 0.1,
                                             .weight = 0.06,
                                             .target = 0.18,
                                             .target_squares = 0.06};

/// Weighted sums over records of x x', x y, x, 1, y and y^2, and the standard deviation of the
/// noise on an entry of each, 0 where there is none.
struct Moments {
  Eigen::MatrixXd second;  ///< (features, features), symmetric
  Eigen::VectorXd cross;   ///< (features)
  Eigen::VectorXd sum;     ///< (features)
  double weight = 0;       ///< without second moments: not released
  double target = 0;
  double target_squares = 0;

  /// Of the diagonal of `second`; beside it the root of a half of that.
  double second_stddev = 0;
  double cross_stddev = 0;
  double sum_stddev = 0;
  double weight_stddev = 0;
  double target_stddev = 0;
  double target_squares_stddev = 0;
};

/// sum_k weights[k] * parts[k], of parts with slopes whose noises are independent and alike.
Moments combined(std::span<const Moments> parts, std::span<const double> weights);

/// The moments as one vector of integers, to which noise can be added.
///
/// Numeric features are taken from the middle and in half widths of NumberScale, the target from
/// the center; x is of these. A record counts w^2 times, w = min(1, row / |x|). The weight follows
/// from features alone, so that it leaves a linear relation as it is, where scaling down features
/// but not the target would bend it.
///
/// A record adds w^2 (a x x', b x y, c x, d, e y, f y^2), the parts beside the diagonal of x x'
/// once and times the root of 2, with y brought within its bound. With the shares s of the parts,
/// a = sqrt(s.second) / row^2, b = sqrt(s.cross) / (row target) and so on, and w <= 1 and
/// w |x| <= row, the squared norm of that is at most s.second + s.cross + ... = 1. Each entry is
/// then cut towards 0 on the grid, which makes none longer. A null record adds nothing, nor does
/// one with a value that is not finite.
class MomentSums {
 public:
  /// `grid`: what one unit is worth where a record's norm is at most 1; a power of two.
  MomentSums(const MomentBounds& bounds, const MomentShares& shares, double grid);

  /// How many entries the vector has.
  static size_t num_entries(size_t num_features, const MomentShares& shares);

  /// (num_entries) the sums over all records of the table. NOT PRIVATE.
  std::vector<int64_t> sum_up(const EncodedTable& table, int threads = 1) const;

  /// (num_groups, num_entries) the sums over the records of each group of the table. A record is in
  /// one group or in none, so that it changes one of these vectors at most. NOT PRIVATE.
  std::vector<int64_t> sum_up_groups(const EncodedTable& table, size_t num_groups,
                                     int threads = 1) const;

  /// How much one record can change the vectors, in L2: the norm above, and what double precision
  /// may add to it.
  double sensitivity() const;

  /// The vector as moments, with noise of that standard deviation, in units, on each entry.
  Moments read(std::span<const int64_t> units, size_t num_features, double noise_stddev) const;

 private:
  /// `count` times what the record adds.
  void add_record(const EncodedTable& table, size_t record, int64_t count,
                  const CentredRecord& features, std::span<int64_t> units) const;

  MomentBounds bounds_;
  MomentShares shares_;
  double of_second_;  ///< what an entry is multiplied by, in units
  double of_cross_;
  double of_sum_;
  double of_weight_;
  double of_target_;
  double of_target_squares_;
  double grid_;
};

}  // namespace equinoise
