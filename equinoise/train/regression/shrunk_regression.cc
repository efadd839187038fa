// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/shrunk_regression.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace equinoise {

namespace {

/// Shrunk towards 0 by as much as noise explains of it, and no farther.
double shrunk_mean(double mean, double stddev) {
  if (mean == 0) return 0;
  return mean * std::max(0.0, 1 - stddev * stddev / (mean * mean));
}

}  // namespace

ShrunkRegression shrunk_regression(const Moments& moments, double num_records, double bound) {
  constexpr int kNumVariances = 120;
  constexpr double kSmallestPart = 1e-4;  // of the variance that would explain all of the target's
  constexpr double kLargestPart = 1e3;
  constexpr double kLeastPart = 0.05;  // of records that weights are taken to leave
  const Eigen::Index p = moments.sum.size();
  const double n =
      p == 0 ? num_records : std::clamp(moments.weight, kLeastPart * num_records, num_records);
  const double mean =
      std::clamp(shrunk_mean(moments.target / n, moments.target_stddev / n), -bound, bound);
  ShrunkRegression fit{Eigen::VectorXd::Zero(p), mean};
  if (p == 0) return fit;
  const Eigen::VectorXd row_mean = moments.sum / n;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(moments.second -
                                                             n * row_mean * row_mean.transpose());
  const Eigen::VectorXd cross =
      eigen.eigenvectors().transpose() * (moments.cross - n * mean * row_mean);
  const double largest_of_noise = std::sqrt(2 * static_cast<double>(p)) * moments.second_stddev;
  const Eigen::ArrayXd found = eigen.eigenvalues().array();
  // Without noise there still are directions of which the table says nothing.
  const double floor = std::max(largest_of_noise, 1e-12 * std::fabs(found.maxCoeff()));
  const Eigen::ArrayXd values =
      (found > floor)
          .select((found + (found.square() - floor * floor).max(0).sqrt()) / 2,
                  Eigen::ArrayXd::Zero(p));
  const double least_variance = std::max(moments.target_squares_stddev / n, 1e-9 * bound * bound);
  const double variance = std::clamp(moments.target_squares / n - mean * mean, least_variance,
                                     std::max(least_variance, bound * bound));
  const double of_release = moments.cross_stddev * moments.cross_stddev +
                            mean * mean * moments.sum_stddev * moments.sum_stddev;
  const double of_values =
      moments.second_stddev * moments.second_stddev / 2 * static_cast<double>(p);
  // Without eigenvalue and without noise a direction says nothing but rounding.
  const Eigen::ArrayXd squares =
      ((values > 0).select(Eigen::ArrayXd::Ones(p), of_release > 0 ? 1.0 : 0.0)) *
      cross.array().square();
  const Eigen::ArrayXd without = variance * values + of_release;
  const Eigen::ArrayXd tiny = Eigen::ArrayXd::Constant(p, std::numeric_limits<double>::min());
  double best = -std::numeric_limits<double>::infinity();
  Eigen::ArrayXd best_noise = without;
  for (int k = -1; k < kNumVariances; ++k) {
    const double part = kSmallestPart * std::pow(kLargestPart / kSmallestPart,
                                                 static_cast<double>(k) / (kNumVariances - 1));
    const double slope_variance = k < 0 ? 0 : part * variance / static_cast<double>(p);
    const Eigen::ArrayXd all = (slope_variance * (values.square() + of_values) + without).max(tiny);
    const double likelihood = -(all.log() + squares / all).sum() / 2;
    // The smaller variance where both are as likely.
    if (k >= 0 && !(likelihood > best)) continue;
    best = likelihood;
    best_noise = all;
    fit.slope_variance = slope_variance;
  }
  const Eigen::ArrayXd slopes = fit.slope_variance * values / best_noise * cross.array();
  fit.slopes = eigen.eigenvectors() * slopes.matrix();
  fit.intercept -= row_mean.dot(fit.slopes);
  return fit;
}

}  // namespace equinoise
