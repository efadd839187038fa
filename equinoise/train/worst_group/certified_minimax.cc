// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/certified_minimax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/train/worst_group/ball.h"
#include "equinoise/train/worst_group/maximum_descent.h"

namespace equinoise {

namespace {

constexpr double kFirstCurvature = 1e-3;  // relative to the largest loss at the start, as the next
constexpr double kFirstSmoothing = 0.1;
constexpr double kShrinking = 0.1;

/// The maximum of the losses minus their weighted mean.
double smoothing_gap(const MaximumAt& at) {
  return *std::ranges::max_element(at.losses) -
         std::inner_product(at.lambda.begin(), at.lambda.end(), at.losses.begin(), 0.0);
}

/// Shrinks the regularisations nu / 2 |w|^2 and mu_lambda. If the minimiser then leaves the ball,
/// it searches for the multiplier nu with which it lies on the sphere.
class MinimaxSearch {
 public:
  MinimaxSearch(const GroupLosses& losses, const MinimaxTerms& terms, std::vector<double> start)
      : losses_(losses),
        terms_(terms),
        parameters_(std::move(start)),
        regularisation_{std::vector<double>(parameters_.size()), 1, 1} {
    best_ = {parameters_, {0, std::numeric_limits<double>::infinity(), terms.radius}};
    const MaximumAt at = look_at(parameters_);
    const double scale = std::max(best_.certificate.upper, terms.tolerance);
    regularisation_.mu_w = kFirstCurvature * scale;
    regularisation_.mu_lambda = kFirstSmoothing * scale;
    min_smoothing_ =
        terms.tolerance / (4 * std::max(1.0, std::log(static_cast<double>(at.losses.size()))));
  }

  CertifiedMinimax run(const MinimaxWatcher& watch) && {
    while (!is_done()) {
      MaximumDescent newton(losses_, regularisation_, parameters_);
      do {
        newton.take_step();
        ++num_steps_;
        look_at(newton);
        watch(best_.parameters);
      } while (!is_done() && !is_near(newton));
      parameters_ = newton.parameters();
      shrink(newton.at());
    }
    return std::move(best_);
  }

 private:
  bool is_done() const {
    return best_.certificate.gap() <= terms_.tolerance || num_steps_ >= terms_.max_steps;
  }

  double norm() const { return euclidean_norm(parameters_); }

  /// The part of nu in the gap at its minimiser.
  double curvature_gap(double norm) const {
    return regularisation_.mu_w * norm * std::max(terms_.radius - norm, 0.0);
  }

  /// Returns whether the remaining gradient adds less to the gap than the regularisation does.
  bool is_near(const MaximumDescent& newton) const {
    const double norm = euclidean_norm(newton.parameters());
    const double of_gradient = (terms_.radius + norm) * euclidean_norm(newton.at().gradient);
    const double of_terms = smoothing_gap(newton.at()) + curvature_gap(norm);
    return of_gradient <= std::max(terms_.tolerance / 8, of_terms / 2);
  }

  void shrink(const MaximumAt& at) {
    const double half = terms_.tolerance / 2;
    const bool smooths = smoothing_gap(at) > half && regularisation_.mu_lambda > min_smoothing_;
    if (smooths) {
      regularisation_.mu_lambda = std::max(kShrinking * regularisation_.mu_lambda, min_smoothing_);
    }
    double& nu = regularisation_.mu_w;
    const double norm = this->norm();
    (norm > terms_.radius ? low_ : high_) = nu;
    // Another smoothing has another multiplier.
    if (smooths || (low_ > 0 && high_ > 0 && high_ < (1 + 1e-9) * low_))
      (norm > terms_.radius ? high_ : low_) = 0;
    if (norm > terms_.radius) {
      nu = high_ > 0 ? std::sqrt(low_ * high_) : nu / kShrinking;
    } else if (curvature_gap(norm) > half || !smooths) {
      nu = low_ > 0 ? std::sqrt(low_ * high_) : kShrinking * nu;
    }
  }

  void look_at(const MaximumDescent& newton) {
    if (euclidean_norm(newton.parameters()) > terms_.radius) {
      std::vector<double> nearest = newton.parameters();
      project_on_ball(terms_.radius, nearest);
      look_at(nearest);
    } else {
      take_bounds(newton.parameters(), newton.at());
    }
  }

  MaximumAt look_at(const std::vector<double>& parameters) {
    MaximumAt at = regularised_maximum(losses_, regularisation_, parameters);
    take_bounds(parameters, at);
    return at;
  }

  void take_bounds(const std::vector<double>& parameters, const MaximumAt& at) {
    const MinimaxCertificate found =
        certificate_at(parameters, at.losses, at.gradients, at.lambda, terms_.radius);
    best_.certificate.lower = std::max(best_.certificate.lower, found.lower);
    if (found.upper < best_.certificate.upper) {
      best_.certificate.upper = found.upper;
      best_.parameters = parameters;
    }
  }

  const GroupLosses& losses_;
  MinimaxTerms terms_;
  std::vector<double> parameters_;
  Regularisation regularisation_;
  CertifiedMinimax best_;
  double min_smoothing_ = 0;
  double low_ = 0;   // the largest nu with a minimiser outside; 0: unknown
  double high_ = 0;  // the least nu with a minimiser inside; 0: unknown
  int64_t num_steps_ = 0;
};

}  // namespace

MinimaxCertificate certificate_at(std::span<const double> parameters,
                                  std::span<const double> losses, std::span<const double> gradients,
                                  std::span<const double> lambda, double radius) {
  double mean = 0;
  std::vector<double> gradient(parameters.size());
  for (size_t i = 0; i < losses.size(); ++i) {
    mean += lambda[i] * losses[i];
    for (size_t j = 0; j < gradient.size(); ++j)
      gradient[j] += lambda[i] * gradients[i * gradient.size() + j];
  }
  const double slope =
      std::inner_product(gradient.begin(), gradient.end(), parameters.begin(), 0.0);
  const double lower = mean - slope - radius * euclidean_norm(gradient);
  return {std::max(lower, 0.0), *std::ranges::max_element(losses), radius};
}

CertifiedMinimax minimise_largest_loss(const GroupLosses& losses, const MinimaxTerms& terms,
                                       std::vector<double> start, const MinimaxWatcher& watch) {
  constexpr const char* kWhere = "train.worst_group";
  check_positive(kWhere, "radius", terms.radius);
  check_positive(kWhere, "tolerance", terms.tolerance);
  project_on_ball(terms.radius, start);
  return MinimaxSearch(losses, terms, std::move(start)).run(watch);
}

}  // namespace equinoise
