// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coefficients.h"
#include "equinoise/train/regression/matrix_noise.h"

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
    std::string why;              ///< see Coefficient
  };

  std::vector<Eigen::Index> kept;
  std::vector<std::string> names;  ///< of the kept features: "age", "race=Black (against White)"
  std::vector<Hidden> hidden;
  /// (features) The reference category of each feature, itself if it is one; -1: a number.
  std::vector<Eigen::Index> references;
};

/// The second moments of all features and a constant by what is public about categories. No record
/// is in two categories of a column, so their entry is 0. The number of records in a category is
/// both its entry of the diagonal and its entry next to the constant, which become their mean by
/// precision, one draw of noise.
NoisyMatrix with_known_categories(NoisyMatrix moments, const EncodedTable& table);

/// The coding of a regression. Numbers are in their units. The reference category of each one-hot
/// block is the one with the largest released count. Categories with a count of at most `least`
/// standard deviations of its noise have no coefficient and join the reference. The intercept is
/// the expected target in the reference categories if all numbers are 0.
///
/// moments: of with_known_categories.
Coding coding_of(const NoisyMatrix& moments, const EncodedTable& table, double least);

/// The coding without features whose own contribution noise hides: first next to the constant and
/// those before, numbers in their order and then categories from the most frequent one; then next
/// to all that are left, from the weakest one. The remainder of a feature is v' M v, where v = (its
/// regression on these, -1). It is hidden up to `least` standard deviations of its noise.
/// Coefficients are those of the regression without these features. No feature is kept if noise
/// hides the constant.
///
/// moments: of the kept features and the constant.
Coding without_hidden(const Coding& coding, const NoisyMatrix& moments, double least);

/// A row for each kept feature, the intercept, and each hidden feature, without estimates.
std::vector<Coefficient> rows_of(const Coding& coding);

/// Gives each kept feature and the intercept the reason for no estimate, or for an interval without
/// ends. inverse: of the moments of the kept features and the constant.
void explain_missing(const Coding& coding, const NoisyMatrix& moments,
                     const Eigen::MatrixXd& inverse, std::vector<Coefficient>& rows);

/// (kept + 1, kept + 1) The matrix that turns estimates of the kept features and of a constant,
/// relative to middles and half widths, into the units of the columns.
Eigen::MatrixXd in_units_of_columns(const Coding& coding, const EncodedTable& table);

}  // namespace equinoise
