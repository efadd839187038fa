// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/regularised_maximum.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/train/worst_group/ball.h"
#include "equinoise/train/worst_group/maximum_descent.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

/// Takes steps until the distance bound is at most `distance`.
void descend(double mu_w, double distance, MaximumDescent& newton) {
  while (!(distance_bound(newton.at().gradient, mu_w) <= distance)) newton.take_step();
}

/// The minimiser on the ball is that of Phi + multiplier / 2 |w|^2 for the multiplier with which it
/// lies on the sphere; the norm falls as the multiplier rises.
CertifiedMinimum minimise_on_ball(const GroupLosses& losses, const Regularisation& regularisation,
                                  double distance, double radius) {
  const double mu_w = regularisation.mu_w;
  Regularisation shifted = regularisation;
  const auto shift = [&](double multiplier) {
    shifted.mu_w = mu_w + multiplier;
    for (size_t j = 0; j < shifted.center.size(); ++j)
      shifted.center[j] = regularisation.center[j] * (mu_w / shifted.mu_w);
  };
  std::vector<double> start = regularisation.center;
  double low = 0;
  double high = 0;  // 0: no upper end found yet
  double multiplier = 0;
  double accuracy = distance;
  for (;;) {
    shift(multiplier);
    MaximumDescent newton(losses, shifted, start);
    descend(shifted.mu_w, accuracy, newton);
    start = newton.parameters();
    CertifiedMinimum found;
    found.parameters = start;
    project_on_ball(radius, found.parameters);
    found.at = regularised_maximum(losses, regularisation, found.parameters);
    found.distance_bound = distance_bound_on_ball(
        gap_bound_on_ball(found.parameters, found.at.gradient, mu_w, radius), mu_w);
    if (found.distance_bound <= distance) return found;
    const double norm = euclidean_norm(start);
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
  MaximumDescent newton(losses, regularisation, regularisation.center);
  descend(regularisation.mu_w, distance, newton);
  const double bound = distance_bound(newton.at().gradient, regularisation.mu_w);
  return {newton.parameters(), bound, newton.at()};
}

}  // namespace equinoise
