// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options of noisy_newton, in addition to MomentOptions::row_bound.
struct NewtonOptions {
  int64_t newton_steps = 0;  ///< 0: more steps with less noise
};

/// Logistic regression in a few Newton steps on all records. First it releases noisy numbers of the
/// two classes, from which the first step starts; then, in each step, noisy sums of gradients and
/// second derivatives at the current parameters. The last step yields a model whose slopes are
/// shrunk by the part that noise hides (newton_step), and coefficients with intervals (log_odds_of)
/// of the features that the step before shows. It starts from the regression of these features, and
/// the model is the mean of both steps, weighted by precision.
///
/// Relation: zero_out. Sensitivity: 1 for the classes; NewtonSums::sensitivity() in L2 for a step,
/// with gradient and second derivatives as one vector. A record with features beyond row_bound has
/// a smaller weight. Null records count half in each class. Cost: a Gaussian on full data for the
/// classes and one for each step, whose precisions add up to that of the plan's noise multiplier.
/// The rest is post-processing, including the parameters of the next step. If, by public facts,
/// noise would hide most of the slopes, only the classes are released. Source:
/// [AvellaMedinaEtAl2023] for noisy Newton steps and their intervals.
///
/// Deviations: a record's gradient and second derivative are released as one vector, since not both
/// can be large. Slopes are a posterior mean whose prior variance follows from the release
/// [JamesStein1961]. Records are weighted by their features instead of clipped, so that the
/// relation between features and target does not change. Intervals include the noise of the second
/// derivatives, too, by a test of each value [Fieller1954].
class NoisyNewton final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "noisy_newton",
      .status = PrivacyStatus::kPrivate,
      .source = "AvellaMedinaEtAl2023",
      .summary =
          "logistic regression in a few Newton steps along noisy gradients and second derivatives "
          "of all records, with slopes shrunk by what noise hides",
      .is_stepwise = false,
      .takes_full_batches = true,
      .clips_otherwise = true,
      .steps_option = "newton_steps",
      .trains = [](std::string_view model) { return model == "logistic"; },
      .other_models =
          "trains logistic regressions of two classes, got {}; use sufficient_statistics for a "
          "number, else use dpsgd",
      .purpose =
          "for log odds of the features with intervals, wide ones where there are many features or "
          "few records",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
