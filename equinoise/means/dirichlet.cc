// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/dirichlet.h"

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <numeric>

namespace equinoise {

namespace {

using boost::math::digamma;

/// The alpha for which psi(alpha) - psi(k alpha) is `mean_log`, below -ln k; it rises with alpha.
double alpha_of_mean_log(double num_groups, double mean_log) {
  double low = -60;
  double high = 60;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return std::exp(middle);
    const double alpha = std::exp(middle);
    (digamma(alpha) - digamma(num_groups * alpha) < mean_log ? low : high) = middle;
  }
}

}  // namespace

DirichletFit fit_dirichlet(std::span<const double> sizes) {
  constexpr double kAllEqual = 1e-12;
  DirichletFit fit;
  const auto k = static_cast<double>(sizes.size());
  fit.num_records = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  double mean_log = 0;
  bool is_any_empty = false;
  for (const double size : sizes) {
    const double share = size / fit.num_records;
    fit.sum_of_squares += share * share;
    fit.realised_sum_log += std::log(std::max(1.0, size));
    is_any_empty = is_any_empty || size == 0;
    mean_log += std::log(share) / k;
  }
  if (k * fit.sum_of_squares - 1 <= kAllEqual) return fit;
  const bool is_all_in_one = *std::ranges::max_element(sizes) == fit.num_records;
  if (is_all_in_one) return fit;
  fit.alpha_moments = (1 - fit.sum_of_squares) / (k * fit.sum_of_squares - 1);
  if (!is_any_empty) fit.alpha_likelihood = alpha_of_mean_log(k, mean_log);
  return fit;
}

ExpectedSumLog expected_sum_log(int num_groups, double num_records, double alpha) {
  ExpectedSumLog result;
  const double k = num_groups;
  const double log_records = std::log(num_records);
  result.expected = k * (digamma(alpha) - digamma(k * alpha) + log_records);
  // E max(0, ln(n g)) is the integral of Pr[n g > e^t] over t > 0; a share g has a Beta
  // distribution.
  boost::math::quadrature::tanh_sinh<double> integrator;
  result.expected_floored = k * integrator.integrate(
                                    [&](double t) {
                                      const double share = std::min(1.0, std::exp(t - log_records));
                                      return boost::math::ibetac(alpha, (k - 1) * alpha, share);
                                    },
                                    0.0, log_records);
  result.upper_bound = k * std::log(num_records / k);
  result.lower_bound = k - 1 + std::log(num_records - k + 1);
  return result;
}

}  // namespace equinoise
