// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "equinoise/data/encoder.h"
#include "equinoise/train/regression/coefficients.h"
#include "equinoise/train/regression/moments.h"

namespace equinoise {

/// So many standard deviations of its noise are left of a feature that has a coefficient: fewer are
/// hidden than at kHiddenBelow, since the interval allows for that noise and for the choice.
inline constexpr double kLeastRest = 3;

/// Least squares of noisy moments, with standard errors: not shrunk, as shrunk_regression is, since
/// an interval around what is drawn to 0 covers nothing. Post-processing of the moments.
///
/// Of which features there are coefficients: see coding_of and without_hidden; all figures are of
/// the regression without the others.
///
/// Errors: with M the noisy matrix of moments of (x, 1) and u = X'e + noise of x y - (noise of M)
/// t, the estimate is t + M^-1 u, exactly. The covariance of u given t follows from the noise, and
/// from the variance of e, which is taken as the same for all records; intervals by NoisyEquations.
/// They are for the relation among targets within their bound, of records that count by how far
/// out they lie.
///
/// parts: of disjoint groups, or of everybody. Coefficients are those of their sum; of more than
/// one part it is told how they fit each.
Coefficients coefficients_of(std::span<const Moments> parts, const MomentBounds& bounds,
                             const EncodedTable& table);

}  // namespace equinoise
