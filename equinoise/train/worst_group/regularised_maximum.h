// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/train/worst_group/group_losses.h"

namespace equinoise {

/// The terms that make min over w, max over weights strongly convex and strongly concave.
struct Regularisation {
  std::vector<double> center;  ///< (num_parameters)
  double mu_w = 1;             ///< mu_w / 2 |w - center|^2
  double mu_lambda = 1;        ///< minus mu_lambda sum_i lambda_i log lambda_i
};

/// Phi(w) = mu_lambda logsumexp(L_i(w) / mu_lambda) + mu_w / 2 |w - center|^2 at one w: the maximum
/// over weights of sum_i lambda_i L_i(w) with both terms of the regularisation is closed form,
/// attained at lambda = softmax(L / mu_lambda). [ZhouBassily2024, Alg. 1]
struct MaximumAt {
  std::vector<double> losses;     ///< (groups)
  std::vector<double> gradients;  ///< (groups, num_parameters)
  std::vector<double> lambda;     ///< (groups)
  std::vector<double> gradient;   ///< (num_parameters) of Phi
  double objective = 0;
};

/// Errors: kUsage unless both mu are finite and > 0 and the centre has a value for each parameter.
MaximumAt regularised_maximum(const GroupLosses& losses, const Regularisation& regularisation,
                              std::span<const double> parameters);

/// The Hessian of Phi times `direction`.
void maximum_hessian_product(const GroupLosses& losses, const Regularisation& regularisation,
                             const MaximumAt& at, std::span<const double> parameters,
                             std::span<const double> direction, std::span<double> product);

/// A bound on |w - minimiser|: |grad| / mu_w, by strong convexity.
double distance_bound(std::span<const double> gradient, double mu_w);

/// A point with a proven bound on its distance from the exact minimiser.
struct CertifiedMinimum {
  std::vector<double> parameters;
  double distance_bound = 0;
  MaximumAt at;
};

/// Newton's method with conjugate gradients from the centre on, until the distance bound is at most
/// `distance`. There is no limit on iterations, because its effect would depend on the data.
///
/// Pre: `distance` is well above the rounding error of |grad| / mu_w. Errors: kUsage for a distance
/// that is not > 0, and as regularised_maximum.
CertifiedMinimum minimise_maximum(const GroupLosses& losses, const Regularisation& regularisation,
                                  double distance);

}  // namespace equinoise
