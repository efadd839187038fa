// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/train/method.h"
#include "equinoise/train/tailoring/group_budgets.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Gradient descent along noisy answers about every group, under bounded group loss, with a
/// separate budget for each group. A first stage may tailor the budgets to how well one model fits
/// each group. [AlabiWiggins2024, Alg. 1 and 2]
///
/// Relation: zero_out. Sensitivity: PaidGroupAnswers, PaidOverlappingAnswers, PaidStageOneAnswers.
///
/// Cost: groups in parallel. For the members of group k: num_steps x full batch of one Gaussian for
/// gradients, one for losses if a multiplier is > 0, and, if the split needs errors, those of stage
/// one, which all pay alike. In total rho = 1 / (2 noise_multiplier^2) for the costliest group. If
/// stage one decides on shares, every group may be the costliest, and is charged as such;
/// RealisedCost is the cost in the end.
///
/// With several objectives or multipliers the descent is run a random number of times
/// (NumberOfRuns), each time with one of them at random and with a noisy mean loss of each group
/// after it. Only the run whose largest loss is smallest is released. This is one kRepeatAndSelect
/// for each group, since the runs are the same for all and their order is one of their outputs
/// [PapernotSteinke2022, Theorem 2]. Stage one is released once.
///
/// For a number, with disjoint groups and one public objective, the intercept absorbs the mean
/// residual (residual_mean.h), with records weighted as in the objective: a Gaussian in addition to
/// that rho, the last item of each group, which all pay alike.
///
/// If groups overlap, cells are in parallel: the possible combinations of groups. A record is in
/// one cell; if it becomes null it leaves the sums of that cell's groups and no others. All groups'
/// sums of one kind are one Gaussian release (add_joint_noise). A cell pays for its groups' answers
/// together: sum_k rho_k over the cell, by the composition of Gaussians, which is exact. For stage
/// one it pays one part for the model and one for the residuals of each of its groups. Shares add
/// up to 1 over all groups, but the largest possible shares of the groups of one cell do not, so a
/// cell is charged for the most that its groups can have together (largest_sum). The costliest cell
/// pays for the whole budget. The outcome of a choice is the same for all cells, too. Groups and
/// public sizes are not protected. A record's group is protected like its other values.
///
/// Deviations: those of group_loss_descent.h, stage_one.h, budget_split.h and paid_answers.h. The
/// budget is the cost of the costliest group, not a sum over groups, which nobody pays. Steps are
/// those of the run's optimizer, and the model is the mean of the last iterates. Shares have a cap
/// as well as a floor. Logistic stage one, which the paper does not cover, is descent and Brier's
/// score.
class Dpse : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "descent on noisy answers about each group, each with its own budget; the split helps no "
          "group, but the bounded group loss does",
      .min_groups = 1,
      .takes_overlapping_groups = true,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models =
          "trains linear and logistic models, got {}; use group_weighted or balanced for others",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  Dpse() = default;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  /// The shares from stage one.
  size_t max_kept(const TrainingPlan& plan) const override { return plan.facts.num_groups; }
  TrainedModel run(TrainingRun training) const override;

 protected:
  explicit Dpse(BudgetForm form) : form_(form) {}

 private:
  BudgetForm form_ = BudgetForm::kCostliestPaysAll;
};

/// Algorithm 3: descent along all groups' sums, each with the noise of its share of the budget.
/// Private; a group pays its share, never all. No group benefits: the model sees the sum of all
/// noises, at least groups^2 times that of dpnose in variance. For comparison only.
/// [AlabiWiggins2024, Alg. 3]
class DpseAlg3 final : public Dpse {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_alg3",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "dpse in which every group pays its own share, as printed in the paper: more noise for "
          "all than dpnose; for comparison only",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models =
          "trains linear and logistic models, got {}; use group_weighted or balanced for others",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  DpseAlg3() : Dpse(BudgetForm::kSharesOfAll) {}
  /// Errors: also kUsage for a group loss multiplier, which Algorithm 3 does not have.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
};

/// Algorithm 2 as printed: the noise of a mean is not divided by the size of the group. Private, at
/// far less than the budget: the planned and charged cost is that of the noise as drawn. The result
/// is mostly noise. For comparison only. Deviation: the noise of losses is too large by the same
/// factor, since the printed one has other units. [AlabiWiggins2024, Alg. 2]
class DpsePrintedAlg2 final : public Dpse {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_printed_alg2",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "dpse with the noise printed in the paper, too large by a factor of the group's size, "
          "and charged accordingly; the result is mostly noise; for comparison only",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models =
          "trains linear and logistic models, got {}; use group_weighted or balanced for others",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  DpsePrintedAlg2() : Dpse(BudgetForm::kNoiseOfSums) {}
};

}  // namespace equinoise
