// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options that only dp_postprocess has.
struct PostprocessOptions {
  /// The histogram's share of the precision of all releases [by public sizes].
  std::optional<double> score_share;
};

/// A model that satisfies rate constraints by thresholds for groups, derived from one noisy
/// histogram of the scores of a model trained by dpsgd. [JagielskiEtAl2019, Sec. 3]
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2; of the histogram: 1 in L1,
/// because a record is in one cell (count_scores). Cost: num_steps x Poisson-sampled Gaussian and
/// one discrete Gaussian on full data; thresholds are post-processing of the histogram
/// (choose_thresholds).
///
/// Deviations: the published form protects the group only, and changes predictions at random with
/// probabilities from a linear program. Here a whole record is protected, and scores have a
/// threshold for each group, the derived predictor of [HardtPriceSrebro2016], so that predictions
/// are deterministic. The model is a PerGroupModel with the same slopes in all parts; if
/// constraints name no attribute, one model for all.
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
  /// The histogram follows the last step, so a run cannot be resumed.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
