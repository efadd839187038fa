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
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
  /// Errors: kUsage if epsilon or a noise multiplier is given, or without constraints.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;

 protected:
  explicit DescentAscent(bool clips) : clips_(clips) {}

 private:
  bool clips_;
};

/// raco_dp without clipping and noise, the reference.
class Sgda final : public DescentAscent {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "sgda",
      .status = PrivacyStatus::kNotPrivate,
      .source = "YaghiniEtAl2025",
      .summary =
          "raco_dp without clipping and noise, the non-private reference under rate constraints",
      .uses_constraints = true,
      .reference = "sgda",
      .private_form = "raco_dp",
      .unexplained = "gradients of the loss alone, but the steps of {} also follow constraints",
  };
  const MethodTraits& traits() const override { return kTraits; }
  Sgda() : DescentAscent(false) {}
};

/// raco_dp without noise: the effect of its clip alone on constraints. [YaghiniEtAl2025, Fig. 6]
class RacoClipping final : public DescentAscent {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "raco_clipping",
      .status = PrivacyStatus::kNotPrivate,
      .source = "YaghiniEtAl2025",
      .summary =
          "raco_dp without noise, to show the effect of its clip on constraints; for comparison "
          "only",
      .uses_constraints = true,
      .reference = "sgda",
      .private_form = "raco_dp",
      .unexplained = "gradients of the loss alone, but the steps of {} also follow constraints",
  };
  const MethodTraits& traits() const override { return kTraits; }
  RacoClipping() : DescentAscent(true) {}
};

}  // namespace equinoise
