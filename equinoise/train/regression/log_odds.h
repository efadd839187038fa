// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coefficients.h"
#include "equinoise/train/regression/newton_sums.h"

namespace equinoise {

/// Coefficients of a logistic regression, in log odds, with standard errors: the Newton step from
/// `at` (features + 1) by what was released there, not shrunk, as newton_step is, since an interval
/// around what is drawn to 0 covers nothing. Post-processing.
///
/// Of which features there are coefficients: see coding_of, where a record counts by how much is to
/// be learnt from it, and without_collinear. The step begins at the parameters without the others,
/// where second derivatives tell the gradient.
///
/// Errors: with M the noisy second derivatives of the features kept and the constant, the estimate
/// is the truth and M^-1 u, where u is the gradient at the truth, of covariance at most M for the
/// draw of the records, the noise of the gradient, that of all second derivatives times the way
/// from `at` to the truth, and what second derivatives change on it. The way found stands for that
/// to the truth. Nothing is told where second order (matrix_noise.h) is too large, where the way is
/// so long that second derivatives are not those of the truth, or where what they change on it may
/// be more than kMostOfCurvature standard errors, also by features that are left out.
Coefficients log_odds_of(const NoisyCurvature& noisy, const Eigen::VectorXd& at,
                         const EncodedTable& table);

}  // namespace equinoise
