// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coefficients.h"
#include "equinoise/train/regression/moments.h"

namespace equinoise {

/// The number of standard deviations of its noise that the remainder of a feature with a
/// coefficient must have (largest_hidden). It is lower than kHiddenBelow, since the interval allows
/// for that noise and for the choice.
inline constexpr double kMinRest = 3;

/// Least squares of noisy moments, with standard errors. They are not shrunk like
/// shrunk_regression, since an interval around a value that is drawn to 0 covers nothing.
/// Post-processing of the moments. coding_of and without_hidden choose the features with
/// coefficients; all figures are of the regression without the others.
///
/// Errors: with M the noisy matrix of moments of (x, 1) and u = X'e + noise of x y - (noise of M)
/// t, the estimate is t + M^-1 u, exactly. The covariance of u given t follows from the noise, and
/// from the variance of e, which is assumed equal for all records; intervals by NoisyEquations.
/// They concern targets clipped to their bound, and records weighted by the length of their
/// features.
///
/// parts: of disjoint groups, or one for all records. Coefficients are those of their sum; for
/// several parts the result has the fit to each.
Coefficients coefficients_of(std::span<const Moments> parts, const MomentBounds& bounds,
                             const EncodedTable& table);

}  // namespace equinoise
