// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/centred_record.h"

namespace equinoise {

/// Bounds on a record's part of the moments of a regression: public, or released before.
struct MomentBounds {
  double row = 1;     ///< longer records (in L2) have less weight
  double target = 1;  ///< targets are clipped to this distance from `center`
  double center = 0;  ///< on the scale of the encoded target
};

/// The shares of the parts in the squared L2 norm of a record's contribution, for bounds of 1. They
/// add up to 1. Without second moments only the mean of the target is released.
struct MomentShares {
  double second = 0;          ///< of x x'
  double cross = 0;           ///< of x y
  double sum = 0;             ///< of x
  double weight = 0;          ///< of 1
  double target = 1;          ///< of y
  double target_squares = 0;  ///< of y^2

  bool has_slopes() const { return second > 0; }
};

/// The shares of a release with slopes: a compromise between the needs of slopes and of the mean.
inline constexpr MomentShares kWithSlopes = {.second = 0.3,
                                             .cross = 0.3,
                                             .sum = 0.1,
                                             .weight = 0.06,
                                             .target = 0.18,
                                             .target_squares = 0.06};

/// Weighted sums over records of x x', x y, x, 1, y and y^2, and the standard deviation of the
/// noise on an entry of each, 0 without noise.
struct Moments {
  Eigen::MatrixXd second;  ///< (features, features), symmetric
  Eigen::VectorXd cross;   ///< (features)
  Eigen::VectorXd sum;     ///< (features)
  double weight = 0;       ///< without second moments it is not released
  double target = 0;
  double target_squares = 0;

  /// On the diagonal of `second`; off the diagonal it is smaller by a factor of sqrt(2).
  double second_stddev = 0;
  double cross_stddev = 0;
  double sum_stddev = 0;
  double weight_stddev = 0;
  double target_stddev = 0;
  double target_squares_stddev = 0;
};

/// sum_k weights[k] * parts[k], for parts with slopes and independent noises of equal scale.
Moments combined(std::span<const Moments> parts, std::span<const double> weights);

/// The moments as one vector of integers, to which noise can be added.
///
/// Numeric features are relative to the middle and half width of NumberScale, the target to the
/// center; x consists of these. A record counts w^2 times, w = min(1, row / |x|). The weight
/// depends on features alone, so that it keeps a linear relation, while scaling down features but
/// not the target would bend it.
///
/// A record adds w^2 (a x x', b x y, c x, d, e y, f y^2). The entries of x x' off the diagonal are
/// added once and times the root of 2, and y is clipped to its bound. With the shares s of the
/// parts, a = sqrt(s.second) / row^2, b = sqrt(s.cross) / (row target) and so on, and w <= 1 and w
/// |x| <= row, the squared norm of that is at most s.second + s.cross + ... = 1. Each entry is then
/// cut towards 0 on the grid, which makes none longer. A null record adds nothing, nor does one
/// with a value that is not finite.
class MomentSums {
 public:
  /// `grid`: the value of one unit if a record's norm is at most 1; a power of two.
  MomentSums(const MomentBounds& bounds, const MomentShares& shares, double grid);

  /// The number of entries of the vector.
  static size_t num_entries(size_t num_features, const MomentShares& shares);

  /// (num_entries) the sums over all records of the table. NOT PRIVATE.
  std::vector<int64_t> sum_up(const EncodedTable& table, int threads = 1) const;

  /// (num_groups, num_entries) the sums over the records of each group of the table. A record is in
  /// one group or in none, so that it changes one of these vectors at most. NOT PRIVATE.
  std::vector<int64_t> sum_up_groups(const EncodedTable& table, size_t num_groups,
                                     int threads = 1) const;

  /// The L2 sensitivity of the vectors to one record: the norm above, with a bound on rounding in
  /// double precision.
  double sensitivity() const;

  /// The vector as moments, with noise of that standard deviation, in units, on each entry.
  Moments read(std::span<const int64_t> units, size_t num_features, double noise_stddev) const;

 private:
  /// Adds the record `count` times.
  void add_record(const EncodedTable& table, size_t record, int64_t count,
                  const CentredRecord& features, std::span<int64_t> units) const;

  MomentBounds bounds_;
  MomentShares shares_;
  double of_second_;  ///< the factor of an entry, in units
  double of_cross_;
  double of_sum_;
  double of_weight_;
  double of_target_;
  double of_target_squares_;
  double grid_;
};

}  // namespace equinoise
