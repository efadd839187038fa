// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/regularised_maximum.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/train/worst_group/ball.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

using Vector = Eigen::VectorXd;

Eigen::Map<const Vector> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

std::span<const double> as_span(const Vector& vector) {
  return {vector.data(), static_cast<size_t>(vector.size())};
}

/// Steps along which the error of a value in double precision hides what they gain.
constexpr double kValueError = 1e-12;

/// Newton's method for Phi without constraint.
class Newton {
 public:
  Newton(const GroupLosses& losses, const Regularisation& regularisation)
      : losses_(losses), regularisation_(regularisation), w_(as_vector(regularisation.center)) {
    move_to(w_);
  }

  /// From wherever the last call ended.
  void descend(double distance) {
    while (!(distance_bound(at_.gradient, regularisation_.mu_w) <= distance)) take_step();
  }

  void start_at(const Vector& w) { move_to(w); }
  const Vector& parameters() const { return w_; }
  MaximumAt&& take() && { return std::move(at_); }

 private:
  void move_to(const Vector& w) {
    w_ = w;
    at_ = regularised_maximum(losses_, regularisation_, as_span(w_));
  }

  /// Conjugate gradients for Hessian * direction = -gradient, as far as the present gradient is
  /// worth.
  Vector direction() const {
    const Vector gradient = as_vector(at_.gradient);
    const double size = gradient.norm();
    const double enough = size * std::min(0.1, std::sqrt(size));
    Vector solution = Vector::Zero(gradient.size());
    Vector residual = -gradient;
    Vector conjugate = residual;
    Vector product(gradient.size());
    double squared = residual.squaredNorm();
    for (Eigen::Index i = 0; i < 2 * gradient.size() + 20 && std::sqrt(squared) > enough; ++i) {
      maximum_hessian_product(losses_, regularisation_, at_, as_span(w_), as_span(conjugate),
                              {product.data(), static_cast<size_t>(product.size())});
      const double step = squared / conjugate.dot(product);
      solution += step * conjugate;
      residual -= step * product;
      const double next = residual.squaredNorm();
      conjugate = residual + (next / squared) * conjugate;
      squared = next;
    }
    return solution;
  }

  /// Half and half again of Newton's step until it gains: by the value or, where rounding hides
  /// that, by the slope that is left, as in the approximate Wolfe condition. [HagerZhang2005]
  void take_step() {
    const Vector step = direction();
    const Vector from = w_;
    const double value = at_.objective;
    const double slope = as_vector(at_.gradient).dot(step);
    const double hidden = kValueError * std::fabs(value);
    for (double part = 1;; part /= 2) {
      move_to(from + part * step);
      if (at_.objective <= value + 1e-4 * part * slope) return;
      const double left = as_vector(at_.gradient).dot(step);
      if (at_.objective <= value + hidden && left <= 0.8 * std::fabs(slope)) return;
    }
  }

  const GroupLosses& losses_;
  const Regularisation& regularisation_;
  Vector w_;
  MaximumAt at_;
};

/// The minimiser on the ball is that of Phi + multiplier / 2 |w|^2 for the multiplier with which it
/// lies on the sphere; the norm falls with the multiplier.
CertifiedMinimum minimise_on_ball(const GroupLosses& losses, const Regularisation& regularisation,
                                  double distance, double radius) {
  const double mu_w = regularisation.mu_w;
  Regularisation shifted = regularisation;
  const auto shift = [&](double multiplier) {
    shifted.mu_w = mu_w + multiplier;
    for (size_t j = 0; j < shifted.center.size(); ++j)
      shifted.center[j] = regularisation.center[j] * (mu_w / shifted.mu_w);
  };
  Vector start = as_vector(regularisation.center);
  double low = 0;
  double high = 0;  // 0: no upper end is known
  double multiplier = 0;
  double accuracy = distance;
  for (;;) {
    shift(multiplier);
    Newton newton(losses, shifted);
    newton.start_at(start);
    newton.descend(accuracy);
    start = newton.parameters();
    CertifiedMinimum found;
    found.parameters.assign(start.begin(), start.end());
    project_on_ball(radius, found.parameters);
    found.at = regularised_maximum(losses, regularisation, found.parameters);
    found.distance_bound = distance_bound_on_ball(
        gap_bound_on_ball(found.parameters, found.at.gradient, mu_w, radius), mu_w);
    if (found.distance_bound <= distance) return found;
    const double norm = start.norm();
    if (norm <= radius && multiplier == 0) {
      accuracy /= 4;
      continue;
    }
    (norm > radius ? low : high) = multiplier;
    if (high == 0) {
      multiplier = std::max(2 * multiplier, mu_w);
    } else if (high - low > 1e-14 * high) {
      multiplier = (low + high) / 2;
    } else {
      low = 0.5 * low;  // the accuracy misled the search
      high *= 2;
    }
    if (std::fabs(norm - radius) <= 4 * accuracy) accuracy /= 4;
  }
}

}  // namespace

MaximumAt regularised_maximum(const GroupLosses& losses, const Regularisation& regularisation,
                              std::span<const double> parameters) {
  const double mu_w = regularisation.mu_w;
  const double mu_lambda = regularisation.mu_lambda;
  check_positive(kWhere, "mu_w", mu_w);
  check_positive(kWhere, "mu_lambda", mu_lambda);
  const size_t size = losses.num_parameters();
  const size_t num_groups = losses.num_groups();
  if (parameters.size() != size || regularisation.center.size() != size)
    throw Error(ErrorKind::kUsage, kWhere, "the centre needs a value for each parameter");
  MaximumAt at;
  at.losses.resize(num_groups);
  at.gradients.resize(num_groups * size);
  losses.evaluate(parameters, at.losses, at.gradients);
  const double largest = *std::max_element(at.losses.begin(), at.losses.end());
  double sum = 0;
  for (const double loss : at.losses) {
    at.lambda.push_back(std::exp((loss - largest) / mu_lambda));
    sum += at.lambda.back();
  }
  at.objective = largest + mu_lambda * std::log(sum);
  at.gradient.resize(size);
  for (size_t j = 0; j < size; ++j) {
    const double away = parameters[j] - regularisation.center[j];
    at.gradient[j] = mu_w * away;
    at.objective += mu_w / 2 * away * away;
  }
  for (size_t i = 0; i < num_groups; ++i) {
    at.lambda[i] /= sum;
    for (size_t j = 0; j < size; ++j) at.gradient[j] += at.lambda[i] * at.gradients[i * size + j];
  }
  return at;
}

void maximum_hessian_product(const GroupLosses& losses, const Regularisation& regularisation,
                             const MaximumAt& at, std::span<const double> parameters,
                             std::span<const double> direction, std::span<double> product) {
  const size_t size = losses.num_parameters();
  losses.hessian_product(parameters, at.lambda, direction, product);
  // The covariance of the groups' gradients under lambda, over mu_lambda, from centred slopes.
  std::vector<double> slopes(at.lambda.size());
  double mean = 0;
  for (size_t i = 0; i < slopes.size(); ++i) {
    for (size_t j = 0; j < size; ++j) slopes[i] += at.gradients[i * size + j] * direction[j];
    mean += at.lambda[i] * slopes[i];
  }
  for (size_t i = 0; i < slopes.size(); ++i) {
    const double factor = at.lambda[i] * (slopes[i] - mean) / regularisation.mu_lambda;
    for (size_t j = 0; j < size; ++j) product[j] += factor * at.gradients[i * size + j];
  }
  for (size_t j = 0; j < size; ++j) product[j] += regularisation.mu_w * direction[j];
}

double gap_bound(std::span<const double> gradient, double mu_w) {
  const double norm = euclidean_norm(gradient);
  return norm * norm / (2 * mu_w);
}

double distance_bound(std::span<const double> gradient, double mu_w) {
  return euclidean_norm(gradient) / mu_w;
}

double gap_bound_on_ball(std::span<const double> parameters, std::span<const double> gradient,
                         double mu_w, double radius) {
  // The maximum is attained at the point of the ball nearest to w - grad / mu_w.
  std::vector<double> nearest(parameters.size());
  for (size_t j = 0; j < nearest.size(); ++j) nearest[j] = parameters[j] - gradient[j] / mu_w;
  project_on_ball(radius, nearest);
  double slope = 0;
  double squared = 0;
  for (size_t j = 0; j < nearest.size(); ++j) {
    const double away = parameters[j] - nearest[j];
    slope += gradient[j] * away;
    squared += away * away;
  }
  return std::max(slope - mu_w / 2 * squared, 0.0);
}

double distance_bound_on_ball(double gap_bound, double mu_w) {
  return std::sqrt(2 * gap_bound / mu_w);
}

CertifiedMinimum minimise_maximum(const GroupLosses& losses, const Regularisation& regularisation,
                                  double distance, std::optional<double> radius) {
  check_positive(kWhere, "distance", distance);
  if (radius) {
    check_positive(kWhere, "radius", *radius);
    return minimise_on_ball(losses, regularisation, distance, *radius);
  }
  Newton newton(losses, regularisation);
  newton.descend(distance);
  CertifiedMinimum found;
  found.parameters.assign(newton.parameters().begin(), newton.parameters().end());
  found.at = std::move(newton).take();
  found.distance_bound = distance_bound(found.at.gradient, regularisation.mu_w);
  return found;
}

}  // namespace equinoise
