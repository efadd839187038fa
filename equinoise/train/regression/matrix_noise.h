// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>

namespace equinoise {

/// What the noise N of a symmetric matrix M does to what follows from its inverse. `variances`:
/// (rows, rows) of each entry, one draw for an entry and its mirror image. What M^-1 and N have in
/// common is of second order: where its mean or its standard deviation is above kMostOfSecondOrder
/// times that of the first, nothing should be told.
inline constexpr double kMostOfSecondOrder = 0.25;

/// Empty where the matrix is not positive definite, as noise may make it, or nearly singular.
std::optional<Eigen::MatrixXd> inverse_of_moments(const Eigen::MatrixXd& matrix);

/// The covariance of N t.
Eigen::MatrixXd covariance_of_product(const Eigen::MatrixXd& variances, const Eigen::VectorXd& t);

/// The variance of g' N v for v of mean 0 with that covariance, apart from the noise.
double second_order_variance(const Eigen::MatrixXd& variances, const Eigen::VectorXd& g,
                             const Eigen::MatrixXd& covariance);

/// The mean of N M^-1 N.
Eigen::MatrixXd mean_of_second_order(const Eigen::MatrixXd& variances,
                                     const Eigen::MatrixXd& inverse);

/// The standard error sqrt(row' covariance row) of row' t, t the estimate, where covariance is that
/// of first order; NaN where second order is too large, with `bias` = (the mean of N M^-1 N) t.
double told_standard_error(const Eigen::MatrixXd& variances, const Eigen::MatrixXd& inverse,
                           const Eigen::MatrixXd& covariance, const Eigen::VectorXd& bias,
                           const Eigen::VectorXd& row);

}  // namespace equinoise
