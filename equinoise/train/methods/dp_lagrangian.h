// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/train/methods/raco_dp.h"

namespace equinoise {

/// Options that dp_lagrangian has beside those of raco_dp.
struct DualStepOptions {
  /// Steps to a dual step. With one for each pass over the records, as published, multipliers come
  /// late and swing, the model with them.
  int64_t dual_interval = 10;
};

/// Primal-dual training under rate constraints: many noisy steps along the loss plus multipliers
/// times violations, then one step of the multipliers. [TranFiorettoVanHentenryck2021, Alg. 1]
///
/// It is raco_dp but for when multipliers move: steps between two dual steps have the same
/// multipliers, and group sizes as well, both from the mean of the histograms before. Relation,
/// sensitivity and cost are those of raco_dp, because what steps make of their histograms is
/// post-processing: primal and dual release of a step are of one batch and one event.
///
/// Deviations: the published method protects only the group and looks for the dual step at all
/// records, whose values it clips; here a record is protected with all it has, and the histograms
/// of the primal steps' batches are added up. With the same cost their noise is that of one
/// histogram of all records, it is amplified by the same sampling, and a run can be resumed; the
/// draw of batches adds a little. Groups are normalised by released sizes, since sizes of labels
/// are not public. Constraints are one-sided with a slack, so that multipliers have a sign instead
/// of violations an absolute value. Also those of raco_dp.
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
