// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// What minimax has of its own.
struct MinimaxOptions {
  double tolerance = 1e-4;
  int64_t iterations = 500;
};

/// The least largest mean loss of any group over all records, to within a certificate: the
/// NON-PRIVATE optimum that the methods of [ZhouBassily2024] approach. Of convex losses alone, with
/// parameters in a ball: without one the least may not be attained, as of groups that a model can
/// separate. [ZhouBassily2024, Alg. 1 without noise]
///
/// Deviation: all records in each phase instead of a chunk, terms of regularisation that shrink
/// until bounds meet, and bounds for the ball (certificate_at).
class Minimax final : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  bool uses_groups() const override { return true; }
  bool compares_groups() const override { return true; }
  bool is_stepwise() const override { return false; }
  bool takes_full_batches() const override { return true; }
  std::string_view steps_option() const override { return "iterations"; }
  bool trains(std::string_view model) const override {
    const ModelFacts facts = model_facts(model);
    return facts.is_convex && facts.is_smooth;
  }
  /// Errors: kUsage where epsilon or a noise multiplier is given, fewer than two groups are, or the
  /// model is none that it can certify.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
