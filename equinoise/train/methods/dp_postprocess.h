// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options that dp_postprocess has of its own.
struct PostprocessOptions {
  /// Of the precision of all that is released, that of the histogram [by public sizes].
  std::optional<double> score_share;
};

/// A model that keeps rate constraints by thresholds for groups, derived from one noisy histogram
/// of the scores of a model that dpsgd has trained. [JagielskiEtAl2019, Sec. 3]
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2; of the histogram: 1 in L1,
/// because a record is in one cell (count_scores). Cost: num_steps x Poisson-sampled Gaussian and
/// one discrete Gaussian on full data; thresholds are post-processing of the histogram
/// (choose_thresholds).
///
/// Deviations: the published form protects only the group, and changes predictions at random, by
/// shares that a linear program finds; here a record is protected with all it has, and scores have
/// a threshold for each group, the derived predictor of [HardtPriceSrebro2016], so that a
/// prediction needs no coin. The model is a PerGroupModel with the same slopes in all parts; where
/// constraints name no attribute, a model of all.
class DpPostprocess final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dp_postprocess",
      .status = PrivacyStatus::kPrivate,
      .source = "JagielskiEtAl2019",
      .summary =
          "dpsgd, then a threshold for each group from one noisy histogram of scores, so that rate "
          "constraints hold",
      .is_stepwise = false,
      .has_model_per_group = true,
      .uses_constraints = true,
      .trains = [](std::string_view model) { return model == "logistic"; },
      .other_models =
          "moves thresholds of log odds, so it trains logistic models of two classes, got {}; use "
          "raco_dp",
      .reference = "sgda",
      .is_explained = false,
      .unexplained = "gradients of the loss alone, but the steps of {} also follow constraints",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  /// The histogram follows the last step, so that a run cannot be resumed.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
