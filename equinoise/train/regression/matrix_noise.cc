// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/matrix_noise.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace equinoise {

std::optional<Eigen::MatrixXd> inverse_of_moments(const Eigen::MatrixXd& matrix) {
  constexpr double kLeastCondition = 1e-10;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(matrix);
  if (cholesky.info() != Eigen::Success || !(cholesky.rcond() > kLeastCondition))
    return std::nullopt;
  return cholesky.solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.rows()));
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

double told_standard_error(const Eigen::MatrixXd& variances, const Eigen::MatrixXd& inverse,
                           const Eigen::MatrixXd& covariance, const Eigen::VectorXd& bias,
                           const Eigen::VectorXd& row) {
  const double first = row.dot(covariance * row);
  const Eigen::VectorXd g = inverse * row;
  const double second = second_order_variance(variances, g, covariance);
  const double most = kMostOfSecondOrder * std::sqrt(std::max(0.0, first));
  const bool is_told = first > 0 && second <= most * most && std::fabs(g.dot(bias)) <= most;
  return is_told ? std::sqrt(first) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace equinoise
