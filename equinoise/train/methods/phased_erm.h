// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Phased minimisation of the largest loss: each phase finds the exact minimiser of a regularised
/// maximum over groups on a chunk of the records of its own, about the one before, and releases it
/// with noise. [ZhouBassily2024, Alg. 1]
///
/// Relation: zero_out. Sensitivity: phase_sensitivity of the minimiser under replace_one, since
/// nothing bounds how many records of a group are in a chunk (TableLosses), with the Lipschitz
/// constant and the largest loss of log losses on the ball that the minimiser of every table lies
/// in (class_reach, from features scaled down to feature_bound and the norm of what was released
/// before); twice the solver's certified distance; and the rounding to the grid. Cost: one
/// Gaussian: a record's position says which phase it is in, and no other depends on it
/// (DisjointGaussian). Normaliser: public sizes, or what a chunk has
/// of a group where that is more. Source: as above.
///
/// Deviations: the minimax problem is a minimisation in w, solved until certified instead of by
/// Alg. 4, whose rate needs some 8 n^2 ln n passes; the sensitivity is up to 4 times smaller than
/// printed; chunks are drawn from positions, so that who is in which group is protected; there are
/// at most num_steps phases; the minimiser is not projected before its release, but what is
/// released is, on a public ball on which rounding cannot exceed what the certificate allows.
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
