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

/// The delta of a run, rounded up.
double delta_up(const PrivacyProfile& run, double epsilon) {
  return std::fmin(1, run.delta(epsilon) * (1 + kProfileError) + run.absolute_error());
}

/// The least e > 0, rounded up, with (1 - gamma) delta(e) <= gamma (exp(e) - 1): what a change of a
/// record does to the weight of a run that is beaten with probability p is then at most exp(e).
double beaten_epsilon(const PrivacyProfile& run, double log_inverse_gamma) {
  const double odds = std::expm1(log_inverse_gamma) * (1 + 1e-12);
  const auto is_enough = [&](double e) {
    return odds * delta_up(run, e) <= std::expm1(e) * (1 - 1e-12);
  };
  double high = 1;
  while (!is_enough(high)) high *= 2;
  double low = 0;
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

/// The masses of the largest convex function of exp(epsilon) below `delta` at 2 kHalf + 1 places up
/// to `end` on either side, and 1 at exp(epsilon) = 0: above every profile that is below `delta`.
template <typename Delta>
ProfilePointer convex_profile(const Delta& delta, double end) {
  constexpr int kHalf = 4096;
  struct Knot {
    double loss;
    double delta;
    double fall;  ///< of delta in exp(epsilon) from the knot before, times exp(loss) of this knot
  };
  std::vector<Knot> knots;
  for (int i = -kHalf; i <= kHalf; ++i) {
    Knot knot{end * i / kHalf, 0, 0};
    knot.delta = delta(knot.loss);
    for (;;) {
      if (knots.empty()) {
        knot.fall = 1 - knot.delta;
        break;
      }
      const Knot& before = knots.back();
      knot.fall = (before.delta - knot.delta) / -std::expm1(before.loss - knot.loss);
      // Falls are compared at the knot before: a convex function falls ever more slowly.
      if (knot.fall * std::exp(before.loss - knot.loss) <= before.fall) break;
      knots.pop_back();
    }
    knots.push_back(knot);
  }
  std::vector<PointMass> masses;
  for (size_t i = 0; i < knots.size(); ++i) {
    const double next =
        i + 1 < knots.size() ? knots[i + 1].fall * std::exp(knots[i].loss - knots[i + 1].loss) : 0;
    masses.push_back({knots[i].loss, std::fmax(0, knots[i].fall - next) * (1 + 1e-9)});
  }
  return point_masses_profile(std::move(masses), knots.back().delta * (1 + 1e-9));
}

}  // namespace

ProfilePointer best_of_runs_profile(std::string_view where, const PrivacyProfile& run, double mean,
                                    double shape) {
  constexpr double kTail = 1e-30;
  const bool is_poisson = std::isinf(shape);
  const double pure = is_poisson ? kInfinity : (2 + shape) * run.largest_loss() * (1 + 1e-15);
  const double shift =
      is_poisson ? mean * delta_up(run, 0)
                 : (1 + shape) * beaten_epsilon(run, log_inverse_gamma(where, shape, mean));
  const auto above = [&](double epsilon) {
    const double delta = std::fmin(1, mean * delta_up(run, epsilon - shift));
    if (run.infinite_mass() > 0 || epsilon < 0) return delta;
    const double of_pure = epsilon >= pure ? 0 : -std::expm1(epsilon - pure);
    return std::fmin(delta, of_pure);
  };
  const auto delta = [&](double epsilon) {
    if (epsilon >= 0) return above(epsilon);
    const double other = -std::expm1(epsilon) + std::exp(epsilon) * above(-epsilon);
    // No run at all, which the Poisson distribution allows, is not in `above`.
    return is_poisson ? other : std::fmin(other, above(epsilon));
  };
  double end = 1;
  while (above(end) > mean * (run.infinite_mass() + run.absolute_error()) * (1 + 1e-6) + kTail &&
         end < 1e6)
    end *= 2;
  return convex_profile(delta, end);
}

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
