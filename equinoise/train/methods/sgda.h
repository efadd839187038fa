// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Stochastic gradient descent-ascent under rate constraints, on the batches of raco_dp. NOT
/// private.
class DescentAscent : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  bool uses_constraints() const override { return true; }
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
  /// Errors: kUsage where epsilon or a noise multiplier is given, or no constraints are.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;

 protected:
  DescentAscent(std::string_view name, bool clips) : name_(name), clips_(clips) {}

 private:
  std::string_view name_;
  bool clips_;
};

/// raco_dp without clipping and noise, the reference.
class Sgda final : public DescentAscent {
 public:
  Sgda() : DescentAscent("sgda", false) {}
};

/// raco_dp without noise: what its clip alone does to constraints. [YaghiniEtAl2025, Fig. 6]
class RacoClipping final : public DescentAscent {
 public:
  RacoClipping() : DescentAscent("raco_clipping", true) {}
};

}  // namespace equinoise
