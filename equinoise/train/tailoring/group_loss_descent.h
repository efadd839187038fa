// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/train/tailoring/group_answers.h"
#include "equinoise/train/tailoring/group_function.h"

namespace equinoise {

/// The configuration of a descent by separate answers about every group.
struct GroupLossConfig {
  /// (groups) The factor of group k's mean gradient: mean_weights(), or custom weights. This, not
  /// the split of a budget, decides how well a model fits small groups.
  std::vector<double> objective;
  std::vector<double> group_rho;  ///< (groups) the cost of the whole run for a record of each group
  /// G >= 0: the weight of the constraint where it is violated.
  double lagrange_multiplier = 0;
  /// (groups) In units of clipped losses, see AnswerBounds::loss_clip; unused without multiplier.
  std::vector<double> loss_bounds = {};
  /// The function of losses minus their bounds: the largest, as in bounded group loss, or another
  /// one.
  GroupFunction constraint = kLargestOfGroups;
  std::optional<double> objective_quantile = {};  ///< of losses, instead of `objective`

  /// Returns whether losses are queried; otherwise gradients have the whole budget instead of half.
  bool asks_losses() const { return lagrange_multiplier > 0 || objective_quantile; }
};

/// Errors: kUsage for lists without one entry for each group, or a negative multiplier.
void check_group_losses(const GroupLossConfig& config, size_t num_groups);

/// The cost of one answer of a step about the group.
double answer_rho(const GroupLossConfig& config, int64_t num_steps, size_t group);

/// The combined answers of one step.
struct GroupStep {
  std::vector<double> direction;  ///< (num_features)
  size_t worst_group = 0;         ///< the first one with the largest noisy loss above its bound
  double gap = 0;                 ///< the constraint's function of noisy losses minus bounds
  bool constraint_active = false;
};

/// The step sum_k f_k G_k, and G sum_k g_k G_k where the constraint is violated. f_k and g_k are
/// subgradients of objective and constraint at the noisy losses (weights_at). So for any of these
/// functions the step is a post-processing of answers about groups, and they change neither
/// sensitivity nor noise. [AlabiWiggins2024, Alg. 2 l.5-18]
///
/// Deviations: noise of a mean is divided by the size of its group. The constraint is the largest
/// loss above its bound, since the printed one, the largest loss, is never below 0, so that no
/// model obeys it. Half of the budget goes to losses only if they are queried.
GroupStep ask_group_step(GroupAnswers& answers, const GroupLossConfig& config, int64_t num_steps,
                         std::span<const double> parameters);

}  // namespace equinoise
