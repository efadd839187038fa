#include "equinoise/means/shrinkage.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

namespace {

struct Moment {
  double centre;
  double excess;  ///< sum (e - m)^2 / (v + tau^2) - (k - 1), which falls in tau^2
};

Moment moment_at(double tau_squared, std::span<const double> estimates,
                 std::span<const double> variances) {
  double weights = 0;
  double weighted = 0;
  for (size_t k = 0; k < estimates.size(); ++k) {
    const double weight = 1 / (variances[k] + tau_squared);
    weights += weight;
    weighted += weight * estimates[k];
  }
  const double centre = weighted / weights;
  double sum = 0;
  for (size_t k = 0; k < estimates.size(); ++k) {
    const double distance = estimates[k] - centre;
    sum += distance * distance / (variances[k] + tau_squared);
  }
  return {centre, sum - (static_cast<double>(estimates.size()) - 1)};
}

/// By bisection: the moment falls from above 0 to below.
double solve(std::span<const double> estimates, std::span<const double> variances) {
  double low = 0;
  double high = *std::max_element(variances.begin(), variances.end());
  while (moment_at(high, estimates, variances).excess > 0) high *= 2;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (moment_at(middle, estimates, variances).excess > 0 ? low : high) = middle;
  }
}

}  // namespace

Shrinkage shrink_estimates(std::span<const double> estimates, std::span<const double> variances,
                           double lower, double upper) {
  Shrinkage result;
  if (estimates.empty()) return result;
  if (estimates.size() > 1 && moment_at(0, estimates, variances).excess > 0)
    result.tau_squared = solve(estimates, variances);
  result.centre = moment_at(result.tau_squared, estimates, variances).centre;
  for (size_t k = 0; k < estimates.size(); ++k) {
    const double kept = result.tau_squared / (result.tau_squared + variances[k]);
    result.shrunk.push_back(
        std::clamp(result.centre + kept * (estimates[k] - result.centre), lower, upper));
  }
  return result;
}

}  // namespace equinoise
