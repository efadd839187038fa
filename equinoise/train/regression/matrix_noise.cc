// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/matrix_noise.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

namespace equinoise {

std::optional<Eigen::MatrixXd> inverse_of_moments(const Eigen::MatrixXd& matrix) {
  constexpr double kLeastCondition = 1e-10;
  const Eigen::PartialPivLU<Eigen::MatrixXd> factors(matrix);
  if (!(factors.rcond() > kLeastCondition)) return std::nullopt;
  return factors.inverse();
}

Eigen::MatrixXd covariance_of_product(const Eigen::MatrixXd& variances, const Eigen::VectorXd& t) {
  Eigen::MatrixXd covariance = variances.cwiseProduct(t * t.transpose());
  covariance.diagonal() = variances * t.cwiseAbs2();
  return covariance;
}

double second_order_variance(const Eigen::MatrixXd& variances, const Eigen::VectorXd& g,
                             const Eigen::MatrixXd& covariance) {
  const Eigen::VectorXd squares = g.cwiseAbs2();
  const double all = squares.dot(variances * covariance.diagonal()) +
                     g.dot(variances.cwiseProduct(covariance) * g);
  // An entry of the diagonal has no mirror image.
  return all - squares.dot(variances.diagonal().cwiseProduct(covariance.diagonal()));
}

Eigen::MatrixXd mean_of_second_order(const Eigen::MatrixXd& variances,
                                     const Eigen::MatrixXd& inverse) {
  Eigen::MatrixXd mean = variances.cwiseProduct(inverse);
  mean.diagonal() = variances * inverse.diagonal();
  return mean;
}

double mean_of_products(const Eigen::MatrixXd& variances, const Eigen::VectorXd& p,
                        const Eigen::VectorXd& a, const Eigen::VectorXd& q,
                        const Eigen::VectorXd& b) {
  const Eigen::VectorXd both = p.cwiseProduct(q);
  const Eigen::VectorXd across = a.cwiseProduct(b);
  return both.dot(variances * across) + p.cwiseProduct(b).dot(variances * q.cwiseProduct(a)) -
         both.cwiseProduct(across).dot(variances.diagonal());
}

NoisyEquations::NoisyEquations(Eigen::MatrixXd variances, Eigen::MatrixXd inverse,
                               Eigen::VectorXd solution, Eigen::MatrixXd right)
    : variances_(std::move(variances)),
      inverse_(std::move(inverse)),
      solution_(std::move(solution)),
      right_(std::move(right)),
      second_order_(mean_of_second_order(variances_, inverse_)),
      error_(right_ + covariance_of_product(variances_, solution_)),
      covariance_(inverse_ * error_ * inverse_) {}

std::optional<NoisyEstimate> NoisyEquations::estimate(const Eigen::VectorXd& row,
                                                      double found) const {
  // The solution stands for the truth in its own variance, which its noise enlarges. On ten tables
  // intervals cover too little with all of that taken off, and too much with none.
  constexpr double kPartOfOwnNoise = 0.5;
  constexpr double kSquare = kNormalQuantile * kNormalQuantile;
  const Eigen::VectorXd w = inverse_ * row;
  const double left = 1 / row.dot(w);
  const Eigen::VectorXd v = left * w;
  const auto mean = [&](const Eigen::VectorXd& x) {
    return v.dot(second_order_ * x) - left * mean_of_products(variances_, v, w, w, x);
  };
  const double divisor = left + mean(v);
  const double bias = mean(solution_);
  // The variance at a distance x from what was found is constant + 2 linear x + square x^2.
  const double square = mean_of_products(variances_, v, v, v, v);
  const double linear = mean_of_products(variances_, v, solution_, v, v);
  const double least = square > 0 ? linear * linear / square : 0;
  const double constant = std::max(
      {v.dot(error_ * v) - kPartOfOwnNoise * second_order_variance(variances_, v, covariance_),
       v.dot(right_ * v), least});
  const double a = divisor * divisor - kSquare * square;
  const bool may_be_none = !(left > kNormalQuantile * std::sqrt(square));
  if (may_be_none || !(divisor > 0) || !(a > 0) || !(constant > 0)) return std::nullopt;
  const double b = divisor * bias - kSquare * linear;
  const double root = std::sqrt(std::max(0.0, b * b - a * (bias * bias - kSquare * constant)));
  const double away = -bias / divisor;
  const double variance = constant + 2 * linear * away + square * away * away;
  return NoisyEstimate{found + away, found - (b + root) / a, found + (root - b) / a,
                       std::sqrt(std::max(0.0, variance)) / divisor};
}

}  // namespace equinoise
