// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coding.h"
#include "equinoise/train/regression/newton_sums.h"

namespace equinoise {

/// Of which features a logistic regression has coefficients, by what was released in a step before
/// the last: see coding_of, where a record counts by how much is to be learnt from it, and
/// without_hidden. Post-processing, as all of the following.
Coding coding_of(const NoisyCurvature& noisy, const EncodedTable& table);

/// Where the step after `at` (features + 1) leads in the regression of the features kept, the
/// parameters of the others and of what categories are held against being 0.
Eigen::VectorXd step_without_hidden(const Coding& coding, const NoisyCurvature& noisy,
                                    const Eigen::VectorXd& at, double num_records);

/// Coefficients of a logistic regression, in log odds, with intervals: the Newton step from `at`
/// (features + 1), where step_without_hidden led, by what was released there; not shrunk, as
/// newton_step is, since an interval around what is drawn to 0 covers nothing. The noise that
/// decided which features are kept is not that of the intervals, which need not pay for the choice.
///
/// Errors: with M the noisy second derivatives of the features kept and the constant, the estimate
/// is the truth and M^-1 u, where u is the gradient at the truth, of covariance at most M for the
/// draw of the records, the noise of the gradient, and that of the second derivatives times the
/// step; intervals by NoisyEquations. They are longer by about the most that the estimate is off
/// because second derivatives change on the way.
Coefficients log_odds_of(const Coding& coding, const NoisyCurvature& noisy,
                         const Eigen::VectorXd& at, const EncodedTable& table);

}  // namespace equinoise
