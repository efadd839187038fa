// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "equinoise/train/regression/moments.h"

namespace equinoise {

/// A linear regression from noisy moments.
struct ShrunkRegression {
  Eigen::VectorXd slopes;  ///< (features) of the moments, all 0 where noise hides what they are
  double intercept = 0;    ///< of targets less their center
  /// The variance of slopes that the moments are likeliest with; 0: none can be told from noise.
  double slope_variance = 0;
};

/// The mean of slopes given noisy moments, if slopes are normal about 0 with a variance that is
/// chosen so that the moments are likeliest (empirical Bayes): the noise says how much is shrunk,
/// and nothing is left of what it hides.
///
/// In the eigenvectors of the second moments about the mean, b = a t + noise, t the slopes and a
/// the eigenvalues. What noise adds to eigenvalues is taken off: an eigenvalue l beyond the largest
/// R of noise alone was (l + sqrt(l^2 - R^2)) / 2, one within it counts as 0.
/// [BenaychGeorgesNadakuditi2011] The noise of b is that of the residuals, of the release of x y,
/// and of a t, since a is noisy, too.
///
/// `num_records`: public; in the mean of the target alone null records count as records of mean 0.
/// `bound`: on targets. Depends on the moments and public facts alone: post-processing.
ShrunkRegression shrunk_regression(const Moments& moments, double num_records, double bound);

}  // namespace equinoise
