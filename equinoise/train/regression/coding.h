// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coefficients.h"

namespace equinoise {

/// Noise hides a sum that is below this many standard deviations of the noise.
inline constexpr double kHiddenBelow = 4;

/// The features that have coefficients: all but one of each one-hot block, since those of a block
/// add up to 1.
struct Coding {
  /// A feature without a coefficient.
  struct Hidden {
    std::string name;
    Eigen::Index feature = 0;
    Eigen::Index reference = -1;  ///< the reference category of its block; -1: a number
  };

  std::vector<Eigen::Index> kept;
  std::vector<std::string> names;  ///< of the kept features: "age", "race=Black (against White)"
  std::vector<Hidden> hidden;
  /// (features) The reference category of each feature, itself if it is one; -1: a number.
  std::vector<Eigen::Index> references;
};

/// The coding of a regression. Numbers are in their units. The reference category of each one-hot
/// block is the one with the largest released count. Categories with a count that noise hides have
/// no coefficient and are treated as the reference. The intercept is the expected target in the
/// reference categories if all numbers are 0.
///
/// sums: (features) the count of each, with noise of standard deviation `stddev`.
Coding coding_of(const Eigen::VectorXd& sums, double stddev, const EncodedTable& table);

/// The coding without features whose own contribution noise hides. The remainder of a feature is v'
/// M v, where v = (its regression on the constant and the features kept before it, -1). It is
/// hidden up to `least` standard deviations of its noise. Coefficients are those of the regression
/// without these features. No feature is kept if noise hides the constant.
///
/// matrix: (kept + 1, kept + 1) the noisy second moments of the kept features and the constant.
/// variances: of its noise, see matrix_noise.h.
Coding without_hidden(const Coding& coding, const Eigen::MatrixXd& matrix,
                      const Eigen::MatrixXd& variances, double least);

/// A row for each kept feature, the intercept, and each hidden feature, without estimates.
std::vector<Coefficient> rows_of(const Coding& coding);

/// (kept + 1, kept + 1) The matrix that turns estimates of the kept features and of a constant,
/// relative to middles and half widths, into the units of the columns.
Eigen::MatrixXd in_units_of_columns(const Coding& coding, const EncodedTable& table);

}  // namespace equinoise
