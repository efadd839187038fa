// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options that only minimax has.
struct MinimaxOptions {
  double tolerance = 1e-4;
  int64_t iterations = 500;
};

/// The smallest possible largest mean loss of any group over all records, to within a certificate:
/// the NON-PRIVATE optimum that the methods of [ZhouBassily2024] approach. For convex losses only,
/// with parameters in a ball. Without a ball the minimum may not be attained, for example with
/// groups that a model can separate. [ZhouBassily2024, Alg. 1 without noise]
///
/// Deviation: all records in each phase instead of a chunk, regularisation terms that shrink until
/// bounds meet, and bounds for the ball (certificate_at).
class Minimax final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "minimax",
      .status = PrivacyStatus::kNotPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "the least largest loss of any group of all records, with bounds that certify it, of "
          "models with convex losses",
      .min_groups = 2,
      .compares_groups = true,
      .is_stepwise = false,
      .takes_full_batches = true,
      .steps_option = "iterations",
      .trains =
          [](std::string_view model) {
            const ModelFacts facts = model_facts(model);
            return facts.is_convex && facts.is_smooth;
          },
      .other_models =
          "certifies logistic, softmax, linear and additive models, whose losses are smooth and "
          "convex in the parameters, got {}; use group_dro, which lowers the same loss without a "
          "certificate",
      .reference = "group_dro",
      .private_form = "mgr_w",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  /// Errors: kUsage if epsilon or a noise multiplier is given, there are fewer than two groups, or
  /// the model cannot be certified.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
