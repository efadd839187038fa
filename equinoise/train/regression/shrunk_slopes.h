// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace equinoise {

/// Shrunk towards 0 by as much as noise explains of it, and no farther. [JamesStein1961]
double shrunk_number(double value, double stddev);

/// The largest eigenvalue, but for rare cases, of a symmetric matrix of nothing but noise, with
/// that standard deviation on the diagonal and the root of a half of it beside it.
double largest_of_noise(Eigen::Index size, double stddev);

/// What noise adds to eigenvalues of a symmetric matrix taken off: an eigenvalue l beyond the
/// largest R that noise alone has in its direction was (l + sqrt(l^2 - R^2)) / 2, one within it
/// counts as 0. [BenaychGeorgesNadakuditi2011]
Eigen::ArrayXd eigenvalues_without_noise(const Eigen::ArrayXd& found,
                                         const Eigen::ArrayXd& of_noise);

struct ShrunkSlopes {
  Eigen::ArrayXd slopes;
  /// The variance of slopes that the right-hand sides are likeliest with; 0: none can be told from
  /// noise.
  double variance = 0;
};

/// The mean of slopes t given right = values t + noise, if they are normal about 0 with a variance
/// that is chosen so that `right` is likeliest (empirical Bayes): the noise says how much is
/// shrunk, and nothing is left of what it hides.
///
/// values: (slopes) not negative. noise: (slopes) the variance of that of `right`. of_values:
/// (slopes) what the noise of the values adds to it, times the variance of slopes. scale: the order
/// of what slopes may be is the root of this. evidence: how much larger the logarithm of the
/// likelihood has to be than that of no slopes at all.
ShrunkSlopes shrunk_slopes(const Eigen::ArrayXd& values, const Eigen::ArrayXd& right,
                           const Eigen::ArrayXd& noise, const Eigen::ArrayXd& of_values,
                           double scale, double evidence);

}  // namespace equinoise
