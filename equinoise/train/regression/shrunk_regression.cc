// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/shrunk_regression.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "equinoise/train/regression/shrunk_slopes.h"

namespace equinoise {

ShrunkRegression shrunk_regression(const Moments& moments, double num_records, double bound) {
  constexpr double kEvidence = 1;    // the least gain from one more number [Akaike1974]
  constexpr double kMinPart = 0.05;  // of records, that weights are assumed to leave
  const Eigen::Index p = moments.sum.size();
  const double n =
      p == 0 ? num_records : std::clamp(moments.weight, kMinPart * num_records, num_records);
  const double mean =
      std::clamp(shrunk_number(moments.target / n, moments.target_stddev / n), -bound, bound);
  ShrunkRegression fit{Eigen::VectorXd::Zero(p), mean};
  if (p == 0) return fit;
  const auto square = [](double value) { return value * value; };
  const Eigen::VectorXd row_mean = moments.sum / n;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(moments.second -
                                                             n * row_mean * row_mean.transpose());
  const Eigen::MatrixXd& vectors = eigen.eigenvectors();
  const Eigen::VectorXd cross = vectors.transpose() * (moments.cross - n * mean * row_mean);
  // The subtracted means have noise themselves, which matters most if the means are far from 0.
  const Eigen::ArrayXd off = (vectors.transpose() * row_mean).array().square();
  const auto size = static_cast<double>(p);
  const double of_sum = square(moments.sum_stddev);
  const double of_weight = square(moments.weight_stddev);
  const Eigen::ArrayXd values = eigenvalues_without_noise(
      eigen.eigenvalues().array(), (square(largest_of_noise(p, moments.second_stddev)) +
                                    2 * (size + 1) * of_sum * off + of_weight * off.square())
                                       .sqrt());
  const double min_variance = std::max(moments.target_squares_stddev / n, 1e-9 * bound * bound);
  const double variance = std::clamp(moments.target_squares / n - mean * mean, min_variance,
                                     std::max(min_variance, bound * bound));
  const Eigen::ArrayXd of_release =
      square(moments.cross_stddev) + square(mean) * of_sum +
      (square(moments.target_stddev) + square(mean) * of_weight) * off;
  const Eigen::ArrayXd of_values = square(moments.second_stddev) / 2 * (size + 1) +
                                   of_sum * off * (size + 2) +
                                   (of_sum + of_weight * off) * off.sum();
  const ShrunkSlopes shrunk = shrunk_slopes(values, cross.array(), variance * values + of_release,
                                            of_values, variance / size, kEvidence);
  fit.slope_variance = shrunk.variance;
  fit.slopes = vectors * shrunk.slopes.matrix();
  fit.intercept -= row_mean.dot(fit.slopes);
  return fit;
}

}  // namespace equinoise
