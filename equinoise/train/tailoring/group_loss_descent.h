// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/train/tailoring/descent.h"
#include "equinoise/train/tailoring/group_answers.h"
#include "equinoise/train/tailoring/group_function.h"

namespace equinoise {

/// What separate answers about every group are asked for.
struct GroupLossConfig {
  /// (groups) what group k's mean gradient is multiplied with: mean_weights(), or weights of one's
  /// own. This, not the split of a budget, decides how well a model fits small groups.
  std::vector<double> objective;
  std::vector<double> group_rho;  ///< (groups) what the whole run costs a record of each group
  /// G >= 0: what the constraint counts where it is not kept.
  double lagrange_multiplier = 0;
  /// (groups) in units of clipped losses, see AnswerBounds::loss_clip; unused without multiplier.
  std::vector<double> loss_bounds = {};
  /// Of losses above their bounds: the largest, as in bounded group loss, or another one.
  GroupFunction constraint = kLargestOfGroups;
  std::optional<double> objective_quantile = {};  ///< of losses, instead of `objective`

  /// Else gradients have the whole budget instead of half.
  bool asks_losses() const { return lagrange_multiplier > 0 || objective_quantile; }
};

/// What one answer of a step about the group costs.
double answer_rho(const GroupLossConfig& config, int64_t num_steps, size_t group);

/// One step's answers put together.
struct GroupStep {
  std::vector<double> direction;  ///< (num_features)
  size_t worst_group = 0;  ///< with the largest noisy loss above its bound, the first of them
  double gap = 0;          ///< what the constraint makes of noisy losses above bounds, or below
  bool constraint_active = false;
};

/// The standard deviation of the noise in a direction, for each entry, while the constraint is
/// kept; where one group is followed the largest that it may be.
double direction_noise_stddev(const GroupAnswers& answers, const GroupLossConfig& config,
                              int64_t num_steps);

/// sum_k f_k G_k, and G sum_k g_k G_k where the constraint is not kept: f_k and g_k are
/// subgradients of objective and constraint at the noisy losses (weights_at), so that whatever they
/// are the step is a post-processing of answers about groups, for which they change neither
/// sensitivity nor noise. [AlabiWiggins2024, Alg. 2 l.5-18]
///
/// Deviations: noise of a mean is divided by the size of its group; the constraint is the largest
/// loss above its bound, since the printed one, the largest loss, is never below 0, so that no
/// model obeys it; half of the budget goes to losses only where they are asked for.
GroupStep ask_group_step(GroupAnswers& answers, const GroupLossConfig& config, int64_t num_steps,
                         std::span<const double> parameters);

/// Gradient descent under bounded group loss. With infinite budgets, without noise, it is Algorithm
/// 5 at steps of kInverseRoot and Algorithm 6 at kConstant. Returns (num_features) parameters.
/// Errors: kUsage for lists that are not one entry for each group, a budget that is not > 0, a
/// negative multiplier; those of step_size_at.
std::vector<double> descend(GroupAnswers& answers, const DescentConfig& config,
                            const GroupLossConfig& loss);

/// (groups): budgets with which GroupLossConfig, at objective kSum, has the noise of Algorithm 2 as
/// printed: half of shares[k] * rho for gradients, noise of a sum on a mean. It is private, with
/// noise n_k times too large (n_k / 2 times under replace_one), so that the result is hardly more
/// than noise. For comparison only.
std::vector<double> printed_budgets(const GroupAnswers& answers, double rho,
                                    std::span<const double> shares);

}  // namespace equinoise
