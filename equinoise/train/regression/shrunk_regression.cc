// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/shrunk_regression.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "equinoise/train/regression/shrunk_slopes.h"

namespace equinoise {

ShrunkRegression shrunk_regression(const Moments& moments, double num_records, double bound) {
  constexpr double kLeastPart = 0.05;  // of records that weights are taken to leave
  const Eigen::Index p = moments.sum.size();
  const double n =
      p == 0 ? num_records : std::clamp(moments.weight, kLeastPart * num_records, num_records);
  const double mean =
      std::clamp(shrunk_number(moments.target / n, moments.target_stddev / n), -bound, bound);
  ShrunkRegression fit{Eigen::VectorXd::Zero(p), mean};
  if (p == 0) return fit;
  const Eigen::VectorXd row_mean = moments.sum / n;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(moments.second -
                                                             n * row_mean * row_mean.transpose());
  const Eigen::VectorXd cross =
      eigen.eigenvectors().transpose() * (moments.cross - n * mean * row_mean);
  const Eigen::ArrayXd values =
      eigenvalues_without_noise(eigen.eigenvalues().array(), moments.second_stddev);
  const double least_variance = std::max(moments.target_squares_stddev / n, 1e-9 * bound * bound);
  const double variance = std::clamp(moments.target_squares / n - mean * mean, least_variance,
                                     std::max(least_variance, bound * bound));
  const double of_release = moments.cross_stddev * moments.cross_stddev +
                            mean * mean * moments.sum_stddev * moments.sum_stddev;
  const double of_values =
      moments.second_stddev * moments.second_stddev / 2 * static_cast<double>(p);
  const ShrunkSlopes shrunk = shrunk_slopes(values, cross.array(), variance * values + of_release,
                                            of_values, variance / static_cast<double>(p));
  fit.slope_variance = shrunk.variance;
  fit.slopes = eigen.eigenvectors() * shrunk.slopes.matrix();
  fit.intercept -= row_mean.dot(fit.slopes);
  return fit;
}

}  // namespace equinoise
