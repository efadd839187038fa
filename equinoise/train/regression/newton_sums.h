// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/centred_record.h"

namespace equinoise {

/// The noisy derivatives of the logistic loss of all records at some parameters, for a Newton step.
/// The last feature is the constant 1.
struct NoisyCurvature {
  Eigen::VectorXd gradient;  ///< (features + 1)
  Eigen::MatrixXd second;    ///< (features + 1, features + 1) its derivatives, symmetric
  double gradient_stddev = 0;
  double second_stddev = 0;  ///< on the diagonal; off the diagonal smaller by a factor of sqrt(2)

  /// (size, size) of some rows of `second`.
  Eigen::MatrixXd second_variances(Eigen::Index size) const {
    const double of_diagonal = second_stddev * second_stddev;
    Eigen::MatrixXd variances = Eigen::MatrixXd::Constant(size, size, of_diagonal / 2);
    variances.diagonal().setConstant(of_diagonal);
    return variances;
  }

  /// Takes the mean of the second derivatives of both, by precision. Those of later steps differ
  /// little, and their noise is independent.
  void pool_second(const NoisyCurvature& other) {
    const double own = 1 / (second_stddev * second_stddev);
    const double of_other = 1 / (other.second_stddev * other.second_stddev);
    second = (own * second + of_other * other.second) / (own + of_other);
    second_stddev = 1 / std::sqrt(own + of_other);
  }
};

/// The gradient of the logistic loss of all records, and its derivatives, as one vector of integers
/// to which noise can be added.
///
/// Numeric features are relative to the middle and half width of NumberScale; u is these and 1, p
/// the probability of the second class at the parameters, y is 1 if the record is in it, else 0. A
/// record counts w^2 times, w = min(1, row_bound / |x|), which depends on its features alone and so
/// keeps the relation. It adds w^2 (g (p - y) u, h p (1 - p) u u'), where entries off the diagonal
/// are added once and times the root of 2.
///
/// With L^2 = row_bound^2 + 1, w^2 |u|^2 <= L^2 and w^2 |u| <= L. y is 0 or 1, so that with a = |p
/// - y| the product p (1 - p) is a (1 - a): a record with the longest possible gradient has no
/// second derivative. With g = sqrt(kGradientShare) / L and h = 4 sqrt(kSecondShare) / L^2 the
/// squared norm is at most kGradientShare a^2 + 16 kSecondShare a^2 (1 - a)^2, which is below 1 for
/// a from 0 to 1. Each entry is then cut towards 0 on the grid, which makes none longer. A null
/// record adds nothing, nor does one with a value that is not finite.
class NewtonSums {
 public:
  static constexpr double kGradientShare = 0.951;
  static constexpr double kSecondShare = 0.713;

  /// `grid`: the value of one unit if a record's norm is at most 1; a power of two.
  NewtonSums(double row_bound, double grid);

  /// The number of entries of the vector.
  static size_t num_entries(size_t num_features);

  /// (num_entries) the sums over all records of the table at the parameters (features + 1).
  /// NOT PRIVATE.
  std::vector<int64_t> sum_up(const EncodedTable& table, const Eigen::VectorXd& parameters,
                              int threads = 1) const;

  /// The L2 sensitivity of the vector to one record: the norm above, with a bound on rounding in
  /// double precision.
  double sensitivity() const { return (1 + kProductRounding) / grid_; }

  /// The vector as derivatives, with noise of that standard deviation, in units, on each entry.
  NoisyCurvature read(std::span<const int64_t> units, size_t num_features,
                      double noise_stddev) const;

 private:
  double row_bound_;
  double of_gradient_;  ///< the factor of an entry, in units
  double of_second_;
  double grid_;
};

}  // namespace equinoise
