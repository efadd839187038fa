// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace equinoise {

/// The value shrunk towards 0 as far as noise explains it. [JamesStein1961]
double shrunk_number(double value, double stddev);

/// The largest eigenvalue, except in rare cases, of a symmetric matrix of pure noise, with that
/// standard deviation on the diagonal and a standard deviation smaller by sqrt(2) off it.
double largest_of_noise(Eigen::Index size, double stddev);

/// Eigenvalues of a symmetric matrix without the increase by noise. With R the largest eigenvalue
/// of pure noise in its direction, an eigenvalue l beyond R becomes (l + sqrt(l^2 - R^2)) / 2, and
/// one within it 0. [BenaychGeorgesNadakuditi2011]
Eigen::ArrayXd eigenvalues_without_noise(const Eigen::ArrayXd& found,
                                         const Eigen::ArrayXd& of_noise);

struct ShrunkSlopes {
  Eigen::ArrayXd slopes;
  /// The variance of slopes under which the right-hand sides are likeliest; 0 if noise hides it.
  double variance = 0;
};

/// The mean of slopes t given right = values t + noise, if they are normal about 0 with the
/// variance under which `right` is likeliest (empirical Bayes). The noise determines the shrinkage,
/// and hidden slopes become 0.
///
/// values: (slopes) not negative. noise: (slopes) the variance of the noise of `right`. of_values:
/// (slopes) the added variance by the noise of the values, per variance of slopes. scale: its root
/// is the order of magnitude of slopes. evidence: the least excess of the log likelihood over that
/// without slopes.
ShrunkSlopes shrunk_slopes(const Eigen::ArrayXd& values, const Eigen::ArrayXd& right,
                           const Eigen::ArrayXd& noise, const Eigen::ArrayXd& of_values,
                           double scale, double evidence);

}  // namespace equinoise
