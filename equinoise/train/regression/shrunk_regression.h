// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "equinoise/train/regression/moments.h"

namespace equinoise {

/// A linear regression from noisy moments.
struct ShrunkRegression {
  Eigen::VectorXd slopes;  ///< (features) of the moments; all 0 if noise hides them
  double intercept = 0;    ///< of targets minus their center
  /// The variance of slopes under which the moments are likeliest; 0 if noise hides it.
  double slope_variance = 0;
};

/// A regression with slopes shrunk as far as noise explains them (shrunk_slopes), in the
/// eigenvectors of the second moments about the mean. The noise of x y is that of the residuals, of
/// its release, and of the second moments times the slopes.
///
/// `num_records`: public; in the mean of the target alone null records count as records of mean 0.
/// `bound`: on targets. Depends on the moments and public facts alone: post-processing.
ShrunkRegression shrunk_regression(const Moments& moments, double num_records, double bound);

}  // namespace equinoise
