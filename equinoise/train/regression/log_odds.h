// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coding.h"
#include "equinoise/train/regression/newton_sums.h"

namespace equinoise {

/// The coding of a logistic regression, from releases of steps before the last: see coding_of,
/// where a record counts by its information, and without_hidden. Post-processing, as all of the
/// following.
Coding coding_of(const NoisyCurvature& noisy, const EncodedTable& table);

/// The parameters after the step from `at` (features + 1) in the regression of the kept features.
/// Parameters of hidden features and of reference categories are 0.
Eigen::VectorXd step_without_hidden(const Coding& coding, const NoisyCurvature& noisy,
                                    const Eigen::VectorXd& at, double num_records);

/// Coefficients of a logistic regression, in log odds, with intervals. They are the Newton step
/// from `at` (features + 1), the result of step_without_hidden, by the release there. They are not
/// shrunk like newton_step, since an interval around a value that is drawn to 0 covers nothing. The
/// noise that decided which features are kept is not that of the intervals, which need not pay for
/// the choice.
///
/// Errors: with M the noisy second derivatives of the kept features and the constant, the estimate
/// is the truth and M^-1 u. Here u is the gradient at the truth, of covariance at most M for the
/// draw of the records, the noise of the gradient, and that of the second derivatives times the
/// step; intervals by NoisyEquations. They are longer by an approximate bound on the error from the
/// change of second derivatives along the step.
Coefficients log_odds_of(const Coding& coding, const NoisyCurvature& noisy,
                         const Eigen::VectorXd& at, const EncodedTable& table);

}  // namespace equinoise
