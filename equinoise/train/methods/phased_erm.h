// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Phased minimisation of the largest loss. Each phase uses a separate chunk of the records, finds
/// the exact minimiser of a maximum over groups that is regularised about the result of the phase
/// before, and releases it with noise. [ZhouBassily2024, Alg. 1]
///
/// Relation: zero_out. Sensitivity: phase_sensitivity of the minimiser under replace_one, since
/// nothing bounds how many records of a group are in a chunk (TableLosses). It uses the Lipschitz
/// constant and the largest log loss on the ball that contains the minimiser of every table
/// (class_reach, from features scaled down to feature_bound and the norm of the release before).
/// Added to it are twice the solver's certified distance and the rounding to the grid. Cost: one
/// Gaussian: a record's position decides its phase, and no other phase depends on it
/// (DisjointGaussian). Normaliser: public sizes, or a group's number of records in a chunk if that
/// is larger. Source: as above.
///
/// Deviations: the minimax problem is a minimisation in w, solved until certified instead of by
/// Alg. 4, whose rate needs about 8 n^2 ln n passes. The sensitivity is up to 4 times smaller than
/// printed. Chunks are drawn from positions, so that a record's group is protected. There are at
/// most num_steps phases. The minimiser is not projected before its release; the release is, on a
/// public ball on which rounding cannot exceed what the certificate allows.
class PhasedErm final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "phased_erm",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "training that lowers the largest loss of any group by exact minimisers on disjoint "
          "chunks, each released with noise; for comparison",
      .min_groups = 2,
      .compares_groups = true,
      .is_stepwise = false,
      .follows_places = true,
      .trains =
          [](std::string_view model) {
            const ModelFacts facts = model_facts(model);
            return facts.is_linear && facts.is_smooth && !facts.is_regression;
          },
      .other_models =
          "certifies the minimisers that it releases, so it trains logistic and softmax models, "
          "whose losses are convex and smooth with bounded gradients, got {}; use mgr_w",
      .reference = "group_dro",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
