// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/private_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/conversion.h"
#include "equinoise/privacy/accountants/log_space.h"
#include "equinoise/privacy/accountants/renyi.h"

namespace equinoise {

namespace {

constexpr double kRelativeError = 1e-11;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log of the mean of the distribution with parameters `shape` and gamma = e^-u; rises with u > 0.
/// mean = shape (1 - gamma) / (gamma (1 - gamma^shape)), or its limit at shape 0.
double log_mean(double shape, double u) {
  if (shape == 0) return log_expm1(u) - std::log(u);
  if (shape > 0) return std::log(shape) + log_expm1(u) - std::log(-std::expm1(-shape * u));
  return std::log(-shape) + log_expm1(u) - log_expm1(-shape * u);
}

/// The amount that the random number of runs adds to the divergence of one run. It is the same at
/// every order, except for log(mean) / (order - 1). Any order bounds all: the best is taken.
double negative_binomial_surcharge(const PrivacyCost& run, double shape, double log_inverse_gamma,
                                   const std::vector<double>& orders) {
  double least = run.pure;
  for (size_t i = 0; i < orders.size(); ++i) {
    least =
        std::min(least, (1 - 1 / orders[i]) * run.divergences[i] + log_inverse_gamma / orders[i]);
  }
  return (1 + shape) * least;
}

double poisson_divergence(const PrivacyCost& run, double mean, size_t index,
                          const std::vector<double>& orders) {
  const double order = orders[index];
  const double epsilon = std::log1p(1 / (order - 1)) * (1 - 1e-15);
  const double delta = renyi_delta(orders, run.divergences, epsilon);
  const double log_some = std::log(mean) + (order - 1) * (run.divergences[index] + mean * delta);
  return log_add(-mean, log_some) / (order - 1);
}

}  // namespace

double log_inverse_gamma(std::string_view where, double shape, double mean) {
  const double target = std::log(mean) + 1e-12;  // above the rounding of log_mean
  double low = 0;
  double high = 1;
  while (!(log_mean(shape, high) >= target)) {
    high *= 2;
    if (high > 1e12) {
      throw Error(ErrorKind::kUsage, where, "no distribution of shape {} has a mean as large as {}",
                  shape, mean);
    }
  }
  while (high - low > 1e-13 * high) {
    const double middle = low + (high - low) / 2;
    (log_mean(shape, middle) >= target ? high : low) = middle;
  }
  return high;
}

PrivacyCost best_of_runs(std::string_view where, const PrivacyCost& run, double mean, double shape,
                         const std::vector<double>& orders) {
  if (run.delta > 0) {
    throw Error(ErrorKind::kUsage, where,
                "there is no bound for the best of several runs that have a delta of their own");
  }
  const bool is_poisson = std::isinf(shape);
  if (std::isinf(mean) && (is_poisson || std::isinf(run.pure) || run.sampler_error > 0)) {
    throw Error(ErrorKind::kUsage, where,
                "the best of an unknown number of runs is bounded only for pure DP runs without "
                "sampler errors and a finite shape; give the mean number of runs");
  }
  if (mean < 1 && !is_poisson) {
    throw Error(ErrorKind::kUsage, where,
                "there is at least one run, so the mean must be >= 1, got {}", mean);
  }
  if (mean == 1 && !is_poisson) return run;

  PrivacyCost best{std::vector<double>(orders.size(), kInfinity), kInfinity, 0, 0};
  // On average `mean` runs are made, and each may differ from the stated one.
  if (run.sampler_error > 0) best.sampler_error = multiply_up(run.sampler_error, mean);
  if (!is_poisson) best.pure = round_up((2 + shape) * run.pure, 1e-15);
  const bool has_mean = !std::isinf(mean);
  const double surcharge =
      !is_poisson && has_mean
          ? negative_binomial_surcharge(run, shape, log_inverse_gamma(where, shape, mean), orders)
          : kInfinity;
  for (size_t i = 0; i < orders.size(); ++i) {
    double& divergence = best.divergences[i];
    if (is_poisson) {
      divergence = poisson_divergence(run, mean, i, orders);
    } else if (has_mean) {
      divergence = run.divergences[i] + surcharge + std::log(mean) / (orders[i] - 1);
    }
    if (!std::isinf(best.pure))
      divergence = std::fmin(divergence, pure_renyi(best.pure, orders[i]));
    divergence = round_up(divergence, kRelativeError);
  }
  return best;
}

}  // namespace equinoise
