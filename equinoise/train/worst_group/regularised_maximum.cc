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
  const double largest = *std::ranges::max_element(at.losses);
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

double distance_bound(std::span<const double> gradient, double mu_w) {
  return euclidean_norm(gradient) / mu_w;
}

CertifiedMinimum minimise_maximum(const GroupLosses& losses, const Regularisation& regularisation,
                                  double distance) {
  check_positive(kWhere, "distance", distance);
  MaximumDescent newton(losses, regularisation, regularisation.center);
  double bound = distance_bound(newton.at().gradient, regularisation.mu_w);
  while (!(bound <= distance)) {
    newton.take_step();
    bound = distance_bound(newton.at().gradient, regularisation.mu_w);
  }
  return {newton.parameters(), bound, newton.at()};
}

}  // namespace equinoise
