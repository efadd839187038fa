// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/tailoring/budget_split.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// The rules that turn the losses of a first stage into weights.
inline constexpr EnumWords<SplitRule, 3> kWeightRules = {{
    {SplitRule::kError, "error"},
    {SplitRule::kErrorOverSize, "error_over_size"},
    {SplitRule::kRootError, "root_error"},
}};

/// Options that only two_stage has.
struct TwoStageOptions {
  double first_stage = 0.2;  ///< of the steps
  SplitRule weights_by = SplitRule::kError;
};

/// DP-SGD in two stages: in the first all records have equal weight, then the mean loss of each
/// group is released, and in the second groups are weighted by these losses. Any model.
/// [AlabiWiggins2024, Alg. 1, Sec. 4, App. B]
///
/// Relation: zero_out. Sensitivity of a step, in L2: max_grad_norm in the first stage, the largest
/// weight times that in the second (GroupWeightClip). Sensitivity of the losses' sums over all
/// records, each of one group and clipped to [0, loss_bound]: loss_bound in L2 (GroupSums). Cost:
/// num_steps Poisson batches of one Gaussian of one noise multiplier, one Gaussian on full data
/// between the stages, and those of the means that dpsgd releases. Weights follow from releases,
/// and noise follows the largest weight, so the run is an adaptive composition of Gaussians with
/// public multipliers. Every record is charged for the largest weight, since the losses decide
/// which group has it. Groups and public sizes are not protected. A record's group is protected
/// like its other values.
///
/// Deviations: the second stage starts where the first ended, so that nothing paid for is lost; the
/// paper trains anew. The squares of the weights are shares of split_budget (weights_of_shares),
/// instead of shares of a budget for separate answers about groups, which benefit no group. The
/// errors are mean losses of the trained model. A group's loss differs from that of all records
/// only beyond what noise explains; the paper returns equal shares for all groups if one sum is
/// below 0.
class TwoStage final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "two_stage",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "dpsgd whose later steps weigh groups by their noisy losses after the first ones; any "
          "model",
      .min_groups = 2,
      .is_explained = false,
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  TrainedModel run(TrainingRun training) const override;
};

/// (groups): mean losses of sizes[k] records from noisy ones, whose sums have noise of this
/// deviation. Each is shrunk towards the mean of all records by the part of its squared distance
/// that noise is expected to cause, and is above 0. Post-processing.
std::vector<double> losses_beyond_noise(std::span<const double> noisy,
                                        std::span<const int64_t> sizes, double noise_of_sum);

}  // namespace equinoise
