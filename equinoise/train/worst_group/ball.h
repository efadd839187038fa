// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace equinoise {

/// The Euclidean norm, without overflow of squares.
double euclidean_norm(std::span<const double> values);

/// Moves `point` to the nearest one of the ball of `radius` about 0; an infinite radius leaves it.
void project_on_ball(double radius, std::span<double> point);

}  // namespace equinoise
