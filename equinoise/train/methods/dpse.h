// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/train/method.h"
#include "equinoise/train/tailoring/group_budgets.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Gradient descent along noisy answers about every group, with a budget for each group that a
/// first stage may tailor to how well one model fits it, and bounded group loss. [AlabiWiggins2024,
/// Alg. 1 and 2]
///
/// Relation: zero_out. Sensitivity: PaidGroupAnswers, PaidOverlappingAnswers, PaidStageOneAnswers.
/// Cost: groups in parallel; for the members of group k num_steps x full batch of one Gaussian for
/// gradients, one for losses where a multiplier is > 0, and, where the split needs errors, those of
/// stage one, which all pay alike. In all rho = 1 / (2 noise_multiplier^2) for the group that costs
/// most. Where stage one decides on shares every group may be that one, and is charged so; what it
/// cost in the end is RealisedCost. Where several objectives or multipliers are given, the descent
/// is done a random number of times (NumberOfRuns), each time with one of them at random and with a
/// noisy mean loss of each group after it, and only the run whose largest one is smallest is
/// released: one kRepeatAndSelect for each group, since the runs are the same for all and their
/// order is one of what they give out [PapernotSteinke2022, Theorem 2]. Stage one is asked once.
///
/// Of a number, with disjoint groups and one public objective, the intercept takes up the mean
/// residual (residual_mean.h), weighted as the objective weighs records: a Gaussian beside that
/// rho, the last item of each group, which all pay alike.
///
/// Where groups overlap cells are in parallel, the patterns of groups that somebody may be in: a
/// record is in one cell, and becoming null it leaves the sums of that cell's groups and no others.
/// All groups' sums of one kind are one Gaussian release (add_joint_noise), of which a cell pays
/// what its groups' answers cost together: sum_k rho_k over the cell, by the composition of
/// Gaussians, which is exact. Of stage one it pays one part for the model and one for the residuals
/// of each of its groups. Shares add up to 1 over all groups; so do not the most that groups of one
/// cell may get, and a cell is charged for what its groups can have together (largest_sum). The
/// costliest cell pays all. What is told of a choice is the same for all cells, too. Groups
/// and public sizes are not protected; who is in which group is as protected as everything else of
/// a record.
///
/// Deviations: those of group_loss_descent.h, stage_one.h, budget_split.h and paid_answers.h; the
/// budget is what the costliest group pays, not a sum over groups, which nobody pays; steps are
/// those of the run's optimizer and the model is the mean of the last iterates; shares have a cap
/// as well as a floor; logistic stage one, of which the paper says nothing, is descent and Brier's
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
  /// The shares that stage one gave.
  size_t max_kept(const TrainingPlan& plan) const override { return plan.facts.num_groups; }
  TrainedModel run(TrainingRun training) const override;

 protected:
  explicit Dpse(BudgetForm form) : form_(form) {}

 private:
  BudgetForm form_ = BudgetForm::kCostliestPaysAll;
};

/// Algorithm 3: descent along all groups' sums, each with the noise of its share of the budget.
/// Private; a group pays its share, never all. No group gains: the noise that the model sees is the
/// sum of all, at least groups^2 times that of dpnose in variance. For comparison only.
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
  /// Errors: also kUsage for a group loss multiplier, which it has not.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
};

/// Algorithm 2 as printed, whose noise of a mean is not divided by the size of the group. Private,
/// and at far less than the budget: the cost that is planned and charged is that of the noise that
/// is drawn. The result is hardly more than noise. For comparison only. Deviation: the noise of
/// losses is too large by the same factor, the print's has other units. [AlabiWiggins2024, Alg. 2]
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
