// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/without_replacement_renyi.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/log_moments.h"
#include "equinoise/privacy/accountants/log_space.h"

namespace equinoise {

namespace {

using Eigen::ArrayXd;

constexpr std::string_view kWhere = "privacy.without_replacement_renyi";
constexpr double kRelativeError = 1e-11;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kLargestDifference = 256;  // beyond it the simpler bound is good enough
constexpr double kLittleNoise = 0.25;        // below it the simpler bound is the better one

/// log E[(L - 1)^j], rounded up, for even j and the likelihood ratio L of the Gaussian pair, by the
/// trapezoid rule: a sum of positive terms, which keeps the digits that the alternating sum over
/// moments of L loses. Each integrand is entire, so the rule's error at an eighth of the deviation
/// is far below rounding.
class EvenCentralMoments {
 public:
  EvenCentralMoments(double noise, int64_t largest)
      : log_normaliser_(std::log(1 / (8 * std::sqrt(2 * M_PI)))) {
    const double variance = noise * noise;
    const double step = noise / 8;
    const auto order = static_cast<double>(largest);
    const double reach = noise * (14 + std::sqrt(order));
    const auto count = static_cast<Eigen::Index>(std::ceil((order + 2 * reach) / step)) + 1;
    log_gap_.resize(count);
    half_square_.resize(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const double x = -reach + static_cast<double>(i) * step;
      const double log_ratio = (2 * x - 1) / (2 * variance);
      log_gap_[i] =
          std::max(-1e6, log_ratio > 0 ? log_expm1(log_ratio) : std::log(-std::expm1(log_ratio)));
      half_square_[i] = x * x / (2 * variance);
    }
  }

  double log_moment(int64_t j) const {
    const ArrayXd exponent = static_cast<double>(j) * log_gap_ - half_square_;
    Eigen::Index peak = 0;
    const double largest = exponent.maxCoeff(&peak);
    const double rounding = 2e-15 * (std::fabs(largest) + 2 * half_square_[peak]);
    return largest + rounding + std::log((exponent - largest).exp().sum()) + log_normaliser_;
  }

 private:
  double log_normaliser_;  ///< of step / (noise sqrt(2 pi))
  ArrayXd log_gap_;        ///< log |L - 1| at the points
  ArrayXd half_square_;
};

/// log of the bound on E_r[|(p - q) / r|^j] for any three output distributions of the mechanism,
/// j = 0 .. largest; entries below 2 are not used.
std::vector<double> log_ternary_divergences(double noise, int64_t largest) {
  const double precision = 1 / (noise * noise);
  std::vector<double> log_even(static_cast<size_t>(std::min(largest, kLargestDifference)) + 2,
                               kInfinity);
  if (noise >= kLittleNoise) {
    const EvenCentralMoments moments(noise, static_cast<int64_t>(log_even.size()));
    for (size_t j = 2; j < log_even.size(); j += 2)
      log_even[j] = moments.log_moment(static_cast<int64_t>(j));
  }
  std::vector<double> bounds(static_cast<size_t>(largest) + 1, kInfinity);
  for (size_t j = 2; j < bounds.size(); ++j) {
    const auto order = static_cast<double>(j);
    bounds[j] = std::log(2.0) + order * (order - 1) / 2 * precision;  // |p - q| <= max(p, q)
    const size_t below = j - j % 2;
    const size_t above = j + j % 2;
    if (above >= log_even.size()) continue;
    // Odd j: Cauchy-Schwarz.
    bounds[j] = std::min(bounds[j], std::log(4.0) + (log_even[below] + log_even[above]) / 2);
  }
  bounds[2] = std::min(bounds[2], std::log(4.0) + log_expm1(precision));
  return bounds;
}

}  // namespace

std::vector<double> without_replacement_gaussian_renyi(double sample_rate, double noise_multiplier,
                                                       const std::vector<double>& orders) {
  check_interval(kWhere, "sample_rate", sample_rate, 0, 1);
  check_positive(kWhere, "noise_multiplier", noise_multiplier);
  std::vector<double> divergences(orders.size(), 0.0);
  if (orders.empty() || sample_rate == 0) return divergences;
  const auto largest = static_cast<int64_t>(std::ceil(*std::ranges::max_element(orders)));
  const BinomialSums sums(std::log(sample_rate), 0,
                          log_ternary_divergences(noise_multiplier, largest));
  std::vector<double> log_moments(static_cast<size_t>(largest) + 1, -1);
  const auto log_moment = [&](int64_t order) {
    double& value = log_moments[static_cast<size_t>(order)];
    return value >= 0 ? value : value = log1p_exp(sums.log_sum(order));
  };
  for (size_t i = 0; i < orders.size(); ++i) {
    const double sampled = interpolated_divergence(log_moment, orders[i]);
    const double unsampled = orders[i] / noise_multiplier / noise_multiplier / 2;
    divergences[i] = round_up(std::fmin(sampled, unsampled), kRelativeError);
  }
  return divergences;
}

}  // namespace equinoise
