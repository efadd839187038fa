// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coefficients.h"

namespace equinoise {

/// A sum that noise does not hide is at least so many standard deviations of it.
inline constexpr double kHiddenBelow = 4;

/// Which features have coefficients: all but one of each one-hot block, since those of a block add
/// up to 1.
struct Coding {
  /// A feature without a coefficient.
  struct Hidden {
    std::string name;
    Eigen::Index feature = 0;
    Eigen::Index reference = -1;  ///< of its block; -1: a number
  };

  std::vector<Eigen::Index> kept;
  std::vector<std::string> names;  ///< of those kept: "age", "race=Black (against White)"
  std::vector<Hidden> hidden;
  /// (features) what each is held against, itself if others are against it; -1: a number.
  std::vector<Eigen::Index> references;
};

/// Numbers in their units; of each one-hot block the category that the release shows to count the
/// most is what the others are held against. Categories of which noise hides how much they count
/// have no coefficient; they are taken for what the others are held against. The intercept is
/// what is expected of somebody in these where all numbers are 0.
///
/// sums: (features) how much each counts, with noise of that standard deviation.
Coding coding_of(const Eigen::VectorXd& sums, double stddev, const EncodedTable& table);

/// The same without features of which noise hides what the others do not say: what is left of a
/// feature is v' M v, v = (what the constant and the features kept before it say of it, -1), which
/// is hidden up to `least` standard deviations of its noise. Coefficients are those of the
/// regression without these features. Nothing is kept where noise hides the constant.
///
/// matrix: (kept + 1, kept + 1) the noisy second moments of the features kept and the constant.
/// variances: of its noise, see matrix_noise.h.
Coding without_hidden(const Coding& coding, const Eigen::MatrixXd& matrix,
                      const Eigen::MatrixXd& variances, double least);

/// A row for each feature kept, the intercept, and each feature that is hidden; nothing estimated.
std::vector<Coefficient> rows_of(const Coding& coding);

/// (kept + 1, kept + 1) what estimates of the features kept and of a constant, from middles and in
/// half widths, are in the units of the columns.
Eigen::MatrixXd in_units_of_columns(const Coding& coding, const EncodedTable& table);

}  // namespace equinoise
