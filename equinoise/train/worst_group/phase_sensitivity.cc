// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/phase_sensitivity.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

void check(const PhaseBounds& bounds) {
  if (bounds.relation == Relation::kAddRemove) {
    throw Error(ErrorKind::kUsage, kWhere,
                "group sizes are private under add_remove, but this needs public ones; use "
                "zero_out or replace_one");
  }
  check_positive(kWhere, "lipschitz", bounds.lipschitz);
  check_positive(kWhere, "loss_bound", bounds.loss_bound);
  check_positive(kWhere, "mu_w", bounds.mu_w);
  check_positive(kWhere, "mu_lambda", bounds.mu_lambda);
  check_positive(kWhere, "smallest_group", static_cast<double>(bounds.smallest_group));
}

}  // namespace

double phase_sensitivity(const PhaseBounds& bounds) {
  check(bounds);
  const bool is_replaced = bounds.relation == Relation::kReplaceOne;
  const double x = bounds.lipschitz / bounds.mu_w;
  const double y_squared = bounds.loss_bound * bounds.loss_bound / (bounds.mu_w * bounds.mu_lambda);
  const double monotone = is_replaced ? x + std::sqrt(x * x + y_squared / 16)
                                      : (x + std::sqrt(x * x + y_squared / 4)) / 2;
  // A record moves w itself and, by lambda, the others' part in it.
  const double through_weights =
      x * ((is_replaced ? 2 : 1) + bounds.loss_bound / (2 * bounds.mu_lambda));
  return std::min(monotone, through_weights) / static_cast<double>(bounds.smallest_group);
}

LogisticReach logistic_reach(double feature_bound, double center_norm, double mu_w) {
  check_positive(kWhere, "feature_bound", feature_bound);
  check_non_negative(kWhere, "center_norm", center_norm);
  check_positive(kWhere, "mu_w", mu_w);
  LogisticReach reach;
  reach.lipschitz = feature_bound;
  reach.radius = center_norm + feature_bound / mu_w;
  reach.loss_range = feature_bound * reach.radius;
  // log(1 + e^z) without overflow.
  reach.loss_bound = reach.loss_range + std::log1p(std::exp(-reach.loss_range));
  return reach;
}

LogisticReach class_reach(size_t num_outputs, double feature_bound, double center_norm, double mu_w,
                          double mu_lambda, size_t num_groups) {
  LogisticReach reach = logistic_reach(feature_bound, center_norm, mu_w);
  // Two rows of a matrix of norm r differ by at most sqrt(2) r, as do probabilities from a label.
  const double factor = num_outputs > 1 ? std::sqrt(2.0) : 1.0;
  const auto others = static_cast<double>(std::max<size_t>(num_outputs, 2) - 1);
  const auto largest_loss = [&](double radius) {
    const double margin = factor * feature_bound * radius;
    return margin + std::log(std::exp(-margin) + others);
  };
  reach.lipschitz = factor * feature_bound;
  const double by_value = std::sqrt(
      2 * (largest_loss(center_norm) + mu_lambda * std::log(static_cast<double>(num_groups))) /
      mu_w);
  reach.radius = center_norm + std::min(reach.lipschitz / mu_w, by_value);
  reach.loss_bound = largest_loss(reach.radius);
  reach.loss_range = factor * feature_bound * reach.radius;
  return reach;
}

PhaseTerms phase_terms(const PhaseFacts& facts, int64_t phase, double center_norm) {
  const int64_t smallest = facts.smallest_group / facts.num_phases;
  PhaseTerms terms;
  terms.mu_w = 1 / (std::ldexp(facts.phase_step, -static_cast<int>(phase) - 1) *
                    static_cast<double>(smallest));
  terms.mu_lambda = 1 / (facts.phase_step * static_cast<double>(facts.smallest_group));
  terms.reach = class_reach(facts.num_outputs, facts.feature_bound, center_norm, terms.mu_w,
                            terms.mu_lambda, facts.num_groups);
  terms.sensitivity =
      round_up(phase_sensitivity({Relation::kReplaceOne, terms.reach.lipschitz,
                                  terms.reach.loss_bound, terms.mu_w, terms.mu_lambda, smallest}),
               1e-12);
  return terms;
}

}  // namespace equinoise
