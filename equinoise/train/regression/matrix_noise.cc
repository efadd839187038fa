// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/matrix_noise.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace equinoise {

namespace {

/// The upper tail probability of a standard normal number.
double part_above(double z) { return std::erfc(z / std::sqrt(2)) / 2; }

/// (rows) What x is to the shared draws: their part of N x is that much in row j, and x(j) in the
/// last row.
Eigen::ArrayXd with_last(const Eigen::VectorXd& x) { return x.array() + x(x.size() - 1); }

/// (rows) The part of p' N a by a shared draw of 1.
Eigen::ArrayXd shared_product(const Eigen::VectorXd& p, const Eigen::VectorXd& a) {
  return p.array() * with_last(a) + p(p.size() - 1) * a.array();
}

}  // namespace

NoisyMatrix NoisyMatrix::part(std::vector<Eigen::Index> features) const {
  features.push_back(matrix.rows() - 1);
  return {matrix(features, features),
          {noise.variances(features, features), noise.shared(features)}};
}

std::optional<Eigen::MatrixXd> inverse_of_moments(const Eigen::MatrixXd& matrix) {
  constexpr double kMinCondition = 1e-10;
  const Eigen::PartialPivLU<Eigen::MatrixXd> factors(matrix);
  if (!(factors.rcond() > kMinCondition)) return std::nullopt;
  return factors.inverse();
}

Eigen::MatrixXd covariance_of_product(const MatrixNoise& noise, const Eigen::VectorXd& t) {
  const Eigen::Index last = t.size() - 1;
  Eigen::MatrixXd covariance = noise.variances.cwiseProduct(t * t.transpose());
  covariance.diagonal() = noise.variances * t.cwiseAbs2();
  const Eigen::ArrayXd to_row = with_last(t);
  const Eigen::VectorXd across = noise.shared.array() * to_row * t.array();
  covariance.diagonal() += (noise.shared.array() * to_row.square()).matrix();
  covariance.col(last) += across;
  covariance.row(last) += across.transpose();
  covariance(last, last) += noise.shared.dot(t.cwiseAbs2());
  return covariance;
}

double second_order_variance(const MatrixNoise& noise, const Eigen::VectorXd& g,
                             const Eigen::MatrixXd& covariance) {
  const Eigen::Index last = g.size() - 1;
  const Eigen::VectorXd squares = g.cwiseAbs2();
  const double all = squares.dot(noise.variances * covariance.diagonal()) +
                     g.dot(noise.variances.cwiseProduct(covariance) * g);
  const Eigen::ArrayXd to_row = with_last(g);
  const Eigen::ArrayXd of_shared = to_row.square() * covariance.diagonal().array() +
                                   2 * to_row * g.array() * covariance.col(last).array() +
                                   squares.array() * covariance(last, last);
  // An entry of the diagonal has no mirror image.
  return all - squares.dot(noise.variances.diagonal().cwiseProduct(covariance.diagonal())) +
         noise.shared.dot(of_shared.matrix());
}

Eigen::MatrixXd mean_of_second_order(const MatrixNoise& noise, const Eigen::MatrixXd& inverse) {
  const Eigen::Index last = inverse.rows() - 1;
  Eigen::MatrixXd mean = noise.variances.cwiseProduct(inverse);
  mean.diagonal() = noise.variances * inverse.diagonal();
  const Eigen::VectorXd both = inverse.diagonal() + inverse.col(last);
  const Eigen::VectorXd across = noise.shared.cwiseProduct(both);
  mean.diagonal() += across + noise.shared.cwiseProduct(
                                  (inverse.col(last).array() + inverse(last, last)).matrix());
  mean.col(last) += across;
  mean.row(last) += across.transpose();
  mean(last, last) += noise.shared.dot(inverse.diagonal());
  return mean;
}

double mean_of_products(const MatrixNoise& noise, const Eigen::VectorXd& p,
                        const Eigen::VectorXd& a, const Eigen::VectorXd& q,
                        const Eigen::VectorXd& b) {
  const Eigen::MatrixXd& variances = noise.variances;
  const Eigen::VectorXd both = p.cwiseProduct(q);
  const Eigen::VectorXd across = a.cwiseProduct(b);
  return both.dot(variances * across) + p.cwiseProduct(b).dot(variances * q.cwiseProduct(a)) -
         both.cwiseProduct(across).dot(variances.diagonal()) +
         (noise.shared.array() * shared_product(p, a) * shared_product(q, b)).sum();
}

Eigen::VectorXd largest_hidden(const MatrixNoise& noise, const Eigen::MatrixXd& second_order,
                               const Eigen::MatrixXd& columns, double least) {
  // mean_of_products of four times the same, of all columns at once.
  const Eigen::MatrixXd squares = columns.cwiseAbs2();
  const Eigen::ArrayXXd of_shared =
      (squares + 2 * columns * columns.row(columns.rows() - 1).asDiagonal()).array().square();
  const Eigen::VectorXd variances =
      2 * squares.cwiseProduct(noise.variances * squares).colwise().sum().transpose() -
      squares.cwiseAbs2().transpose() * noise.variances.diagonal() +
      of_shared.matrix().transpose() * noise.shared;
  return least * variances.cwiseMax(0).cwiseSqrt() +
         columns.cwiseProduct(second_order * columns).colwise().sum().transpose();
}

double variance_of_trace(const MatrixNoise& noise, const Eigen::MatrixXd& product) {
  const Eigen::Index last = product.rows() - 1;
  // An entry off the diagonal and its mirror image are one draw.
  const Eigen::MatrixXd both = product + product.transpose();
  return noise.variances.cwiseProduct(both.cwiseAbs2()).sum() / 2 -
         noise.variances.diagonal().dot(product.diagonal().cwiseAbs2()) +
         noise.shared.dot((product.diagonal() + both.col(last)).cwiseAbs2());
}

NoisyEquations::NoisyEquations(MatrixNoise noise, Eigen::MatrixXd inverse, Eigen::VectorXd solution,
                               Eigen::MatrixXd right)
    : noise_(std::move(noise)),
      inverse_(std::move(inverse)),
      solution_(std::move(solution)),
      right_(std::move(right)),
      second_order_(mean_of_second_order(noise_, inverse_)),
      error_(right_ + covariance_of_product(noise_, solution_)),
      covariance_(inverse_ * error_ * inverse_) {}

std::optional<NoisyEstimate> NoisyEquations::estimate(const Eigen::VectorXd& row, double found,
                                                      double least) const {
  // The solution replaces the truth in its own variance, and its noise enlarges that variance. On
  // ten tables intervals cover too little if all of that is subtracted, and too much if none is.
  constexpr double kPartOfOwnNoise = 0.5;
  const Eigen::VectorXd w = inverse_ * row;
  const double left = 1 / row.dot(w);
  const Eigen::VectorXd v = left * w;
  const double square = mean_of_products(noise_, v, v, v, v);
  const double room = left - (least > 0 ? largest_hidden(noise_, second_order_, v, least)(0) : 0);
  const auto mean = [&](const Eigen::VectorXd& x) {
    return v.dot(second_order_ * x) - left * mean_of_products(noise_, v, w, w, x);
  };
  const double divisor = left + mean(v);
  const double bias = mean(solution_);
  // The variance at a distance x from `found` is constant + 2 linear x + square x^2.
  const double linear = mean_of_products(noise_, v, solution_, v, v);
  const double smallest = square > 0 ? linear * linear / square : 0;
  const double constant =
      std::max({v.dot(error_ * v) - kPartOfOwnNoise * second_order_variance(noise_, v, covariance_),
                v.dot(right_ * v), smallest});
  if (!(room > 0) || !(divisor > 0) || !(constant > 0)) return std::nullopt;
  // Tests a statistic that has covariance `shared`, at least 0, with the remainder.
  const auto is_refused = [&](double difference, double stddev, double shared) {
    constexpr double kTail = 0.025;
    const double z = difference / stddev;
    const double above = part_above(z) / part_above(z - room * stddev / shared);
    return !(above >= kTail && above <= 1 - kTail);
  };
  const auto stddev_at = [&](double x) {
    return std::sqrt(std::max(0.0, constant + 2 * linear * x + square * x * x));
  };
  const auto is_refused_at = [&](double x) {
    const double shared = linear + square * x;
    return is_refused(std::copysign(1, shared) * (divisor * x + bias), stddev_at(x),
                      std::fabs(shared));
  };
  const double away = -bias / divisor;
  const double value = found + away;
  if (!is_refused(divisor, std::sqrt(square), square)) {  // where x is infinite
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return NoisyEstimate{value, -kInfinite, kInfinite};
  }
  const double error = stddev_at(away) / divisor;
  const auto end = [&](double unit) {
    double inner = 0;  // parts of the way to infinity
    double outer = 1;
    for (int k = 0; k < 50; ++k) {
      const double middle = (inner + outer) / 2;
      (is_refused_at(away + unit * middle / (1 - middle)) ? outer : inner) = middle;
    }
    return value + unit * inner / (1 - inner);
  };
  return NoisyEstimate{value, end(-error), end(error), error};
}

}  // namespace equinoise
