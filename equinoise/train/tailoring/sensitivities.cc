// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/sensitivities.h"

#include <cmath>
#include <numbers>
#include <string_view>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

bool is_replaced(Relation relation) {
  if (relation == Relation::kAddRemove) {
    refuse("group sizes are public, so relation must be zero_out or replace_one, got add_remove");
  }
  return relation == Relation::kReplaceOne;
}

Sensitivity of_clipped_sum(Relation relation, double clip) {
  return {(is_replaced(relation) ? 2 : 1) * clip, Norm::kL2, relation};
}

void check_group(int64_t group_size) {
  if (group_size < 1) {
    refuse("a group must have at least 1 record, got {}", group_size);
  }
}

}  // namespace

Sensitivity xtx_sensitivity(Relation relation, double feature_norm_bound, size_t num_features) {
  check_positive(kWhere, "feature_norm_bound", feature_norm_bound);
  if (num_features == 0) refuse("there is no feature");
  // Two orthogonal rows are farthest apart. With one feature there is no such pair, and squares do
  // not cancel.
  const double factor = is_replaced(relation) && num_features > 1 ? std::numbers::sqrt2 : 1;
  return {factor * feature_norm_bound * feature_norm_bound, Norm::kL2, relation};
}

Sensitivity xty_sensitivity(Relation relation, double feature_norm_bound, double target_bound) {
  check_positive(kWhere, "feature_norm_bound", feature_norm_bound);
  check_positive(kWhere, "target_bound", target_bound);
  return of_clipped_sum(relation, feature_norm_bound * target_bound);
}

Sensitivity joint_moment_sensitivity(Relation relation, double feature_norm_bound,
                                     double target_bound) {
  const double a = feature_norm_bound;
  const double b = target_bound;
  check_positive(kWhere, "feature_norm_bound", a);
  check_positive(kWhere, "target_bound", b);
  if (!is_replaced(relation)) return {a * std::hypot(a, b), Norm::kL2, relation};
  // The sum 2 a^4 sin^2 phi + 2 a^2 b^2 (1 + cos phi), of rows at an angle phi with opposite
  // targets, is largest where cos phi = b^2 / (2 a^2), at most 1.
  const double largest =
      b <= std::numbers::sqrt2 * a ? (2 * a * a + b * b) / std::numbers::sqrt2 : 2 * a * b;
  return {largest, Norm::kL2, relation};
}

Sensitivity residual_sum_sensitivity(Relation relation, double residual_clip) {
  check_positive(kWhere, "residual_clip", residual_clip);
  static_cast<void>(is_replaced(relation));  // values within [0, R^2] differ by R^2 at most
  return {residual_clip * residual_clip, Norm::kL2, relation};
}

Sensitivity gradient_sum_sensitivity(Relation relation, double max_grad_norm) {
  check_positive(kWhere, "max_grad_norm", max_grad_norm);
  return of_clipped_sum(relation, max_grad_norm);
}

Sensitivity gradient_mean_sensitivity(Relation relation, double max_grad_norm, int64_t group_size) {
  check_group(group_size);
  const double sum = gradient_sum_sensitivity(relation, max_grad_norm).value();
  return {sum / static_cast<double>(group_size), Norm::kL2, relation};
}

Sensitivity loss_mean_sensitivity(Relation relation, double loss_clip, int64_t group_size) {
  check_positive(kWhere, "loss_clip", loss_clip);
  check_group(group_size);
  static_cast<void>(is_replaced(relation));  // the same for values within [0, loss_clip]
  return {loss_clip / static_cast<double>(group_size), Norm::kL2, relation};
}

double noise_stddev(const Sensitivity& sensitivity, double rho) {
  if (!(rho > 0)) refuse("rho must be > 0, got {}", rho);
  return sensitivity.value() / std::sqrt(2 * rho);
}

}  // namespace equinoise
