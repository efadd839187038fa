// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/train/methods/raco_dp.h"

namespace equinoise {

/// Options of dp_lagrangian in addition to those of raco_dp.
struct DualStepOptions {
  /// The number of steps per dual step. With one dual step per pass over the records, as published,
  /// multipliers lag, and they and the model oscillate.
  int64_t dual_interval = 10;
};

/// Primal-dual training under rate constraints: many noisy steps along the loss plus multipliers
/// times violations, then one step of the multipliers. [TranFiorettoVanHentenryck2021, Alg. 1]
///
/// It is raco_dp with a different schedule: the steps between two dual steps share multipliers and
/// group sizes, both from the mean of the histograms before. Relation, sensitivity and cost are
/// those of raco_dp, because the use of histograms is post-processing: the primal and the dual
/// release of a step are of one batch and one event.
///
/// Deviations: the published method protects the group only, and its dual step uses clipped values
/// of all records. Here a whole record is protected, and the dual step uses the sum of the
/// histograms of the primal steps' batches. At the same cost their noise is that of one histogram
/// of all records, it is amplified by the same sampling, and a run can be resumed; the draw of
/// batches adds a little. Groups are normalised by released sizes, since sizes of labels are not
/// public. Constraints are one-sided with a slack: multipliers have a sign where the paper takes
/// absolute values of violations. Also those of raco_dp.
class DpLagrangian final : public RacoDp {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dp_lagrangian",
      .status = PrivacyStatus::kPrivate,
      .source = "TranFiorettoVanHentenryck2021",
      .summary =
          "dpsgd under rate constraints whose multipliers move between intervals of many steps; "
          "for comparison",
      .uses_constraints = true,
      .reference = "sgda",
      .unexplained = "gradients of the loss alone, but the steps of {} also follow constraints",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;

 protected:
  int64_t dual_interval(const TrainingConfig& config) const override;
};

}  // namespace equinoise
