// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/shrunk_slopes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace equinoise {

double shrunk_number(double value, double stddev) {
  return value == 0 ? 0 : value * std::max(0.0, 1 - stddev * stddev / (value * value));
}

double largest_of_noise(Eigen::Index size, double stddev) {
  return std::sqrt(2 * static_cast<double>(size)) * stddev;
}

Eigen::ArrayXd eigenvalues_without_noise(const Eigen::ArrayXd& found,
                                         const Eigen::ArrayXd& of_noise) {
  // Even without noise some directions carry no information.
  const Eigen::ArrayXd floor = of_noise.max(1e-12 * found.abs().maxCoeff());
  return (found > floor)
      .select((found + (found.square() - floor.square()).max(0).sqrt()) / 2,
              Eigen::ArrayXd::Zero(found.size()));
}

ShrunkSlopes shrunk_slopes(const Eigen::ArrayXd& values, const Eigen::ArrayXd& right,
                           const Eigen::ArrayXd& noise, const Eigen::ArrayXd& of_values,
                           double scale, double evidence) {
  constexpr int kNumVariances = 120;
  constexpr double kSmallestPart = 1e-4;
  constexpr double kLargestPart = 1e3;
  const Eigen::ArrayXd tiny =
      Eigen::ArrayXd::Constant(values.size(), std::numeric_limits<double>::min());
  // Without eigenvalue and without noise a direction holds only rounding.
  const Eigen::ArrayXd squares =
      (values > 0 || noise > 0).select(right.square(), Eigen::ArrayXd::Zero(values.size()));
  double best = -std::numeric_limits<double>::infinity();
  ShrunkSlopes found;
  Eigen::ArrayXd best_noise = noise;
  for (int k = -1; k < kNumVariances; ++k) {
    const double part = kSmallestPart * std::pow(kLargestPart / kSmallestPart,
                                                 static_cast<double>(k) / (kNumVariances - 1));
    const double variance = k < 0 ? 0 : part * scale;
    const Eigen::ArrayXd all = (variance * (values.square() + of_values) + noise).max(tiny);
    const double likelihood = -(all.log() + squares / all).sum() / 2;
    // Takes the smaller of two equally likely variances, and none without evidence for one.
    if (k >= 0 && !(likelihood > best)) continue;
    best = k < 0 ? likelihood + evidence : likelihood;
    best_noise = all;
    found.variance = variance;
  }
  found.slopes = found.variance * values / best_noise * right;
  return found;
}

}  // namespace equinoise
