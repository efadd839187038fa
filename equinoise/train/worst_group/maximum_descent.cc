// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/maximum_descent.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace equinoise {

namespace {

Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// The relative error of a value in double precision, which hides smaller gains of a step.
constexpr double kValueError = 1e-12;

}  // namespace

MaximumDescent::MaximumDescent(const GroupLosses& losses, const Regularisation& regularisation,
                               std::vector<double> start)
    : losses_(losses),
      regularisation_(regularisation),
      parameters_(std::move(start)),
      at_(regularised_maximum(losses_, regularisation_, parameters_)) {}

/// Conjugate gradients for Hessian * direction = -gradient, to an accuracy that the current
/// gradient justifies.
std::vector<double> MaximumDescent::direction() const {
  const auto gradient = as_vector(at_.gradient);
  const double size = gradient.norm();
  const double enough = size * std::min(0.1, std::sqrt(size));
  Eigen::VectorXd solution = Eigen::VectorXd::Zero(gradient.size());
  Eigen::VectorXd residual = -gradient;
  Eigen::VectorXd conjugate = residual;
  Eigen::VectorXd product(gradient.size());
  double squared = residual.squaredNorm();
  for (Eigen::Index i = 0; i < 2 * gradient.size() + 20 && std::sqrt(squared) > enough; ++i) {
    maximum_hessian_product(losses_, regularisation_, at_, parameters_,
                            {conjugate.data(), static_cast<size_t>(conjugate.size())},
                            {product.data(), static_cast<size_t>(product.size())});
    const double step = squared / conjugate.dot(product);
    solution += step * conjugate;
    residual -= step * product;
    const double next = residual.squaredNorm();
    conjugate = residual + (next / squared) * conjugate;
    squared = next;
  }
  return {solution.begin(), solution.end()};
}

/// Halves Newton's step until it gains, by the value or, if rounding hides that, by the remaining
/// slope, as in the approximate Wolfe condition. [HagerZhang2005]
void MaximumDescent::take_step() {
  const std::vector<double> step = direction();
  const std::vector<double> from = parameters_;
  const double value = at_.objective;
  const double slope = as_vector(at_.gradient).dot(as_vector(step));
  const double hidden = kValueError * std::fabs(value);
  for (double part = 1;; part /= 2) {
    for (size_t j = 0; j < from.size(); ++j) parameters_[j] = from[j] + part * step[j];
    at_ = regularised_maximum(losses_, regularisation_, parameters_);
    if (at_.objective <= value + 1e-4 * part * slope) return;
    const double left = as_vector(at_.gradient).dot(as_vector(step));
    if (at_.objective <= value + hidden && left <= 0.8 * std::fabs(slope)) return;
  }
}

}  // namespace equinoise
