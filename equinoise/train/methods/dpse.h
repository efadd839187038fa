#pragma once

#include "equinoise/train/method.h"

namespace equinoise {

/// Gradient descent along noisy answers about every group, with a budget for each group that a
/// first stage may tailor to how well one model fits it, and bounded group loss. [AlabiWiggins2024,
/// Alg. 1 and 2]
///
/// Relation: zero_out. Sensitivity: PaidGroupAnswers, PaidStageOneAnswers. Cost: groups in
/// parallel; for the members of group k num_steps x full batch of one Gaussian for gradients, one
/// for losses where a multiplier is > 0, and, where the split needs errors, those of stage one,
/// which all pay alike. In all rho = 1 / (2 noise_multiplier^2) for the group that costs most.
/// Where stage one decides on shares every group may be that one, and is charged so; what it cost
/// in the end is RealisedCost. Where several objectives or multipliers are given, the descent is
/// done a random number of times (NumberOfRuns), each time with one of them at random and with a
/// noisy mean loss of each group after it, and the run whose largest one is smallest is all that is
/// told: one kRepeatAndSelect for each group, since the runs are the same for all and their order
/// is one of what they give out [PapernotSteinke2022, Theorem 2]. Stage one is asked once. Groups
/// and public sizes are not protected; who is in which group is as protected as everything else of
/// a record.
///
/// Deviations: those of group_loss_descent.h, stage_one.h, budget_split.h and paid_answers.h; the
/// budget is what the costliest group pays, not a sum over groups, which nobody pays; steps are
/// those of the run's optimizer and the model is the mean of the last iterates; shares have a cap
/// as well as a floor; logistic stage one, of which the paper says nothing, is descent and Brier's
/// score.
class Dpse final : public TrainingMethod {
 public:
  bool uses_groups() const override { return true; }
  bool takes_full_batches() const override { return true; }
  bool trains(std::string_view model) const override {
    return model == "linear" || model == "logistic";
  }
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                   TrainingState start, Charge charge, RandomSource& source,
                   StepObserver& observer) const override;
};

}  // namespace equinoise
