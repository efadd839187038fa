#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace equinoise {

/// log k! for k = 0 .. largest, to two units in the last place.
std::vector<double> log_factorials(int64_t largest);

/// The divergence of a fractional order from those of the integers beside it, an upper bound: the
/// log moment (order - 1) D is convex in the order and 0 at order 1.
double interpolated_divergence(const std::function<double(int64_t)>& log_moment, double order);

}  // namespace equinoise
