// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>

#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

/// The quantity that raco_dp smooths is the mean over an interval here.
TrainingConfig with_means_of_intervals(TrainingConfig config) {
  auto& own = config.own.of<RateOptions>();
  own.histogram_decay = 0;
  own.multipliers = MultiplierRule::kMean;
  return config;
}

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
class DpLagrangian : public RacoDp {
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
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(), multiplier_options(),
         TrainingOptions{{{.name = "dual_interval",
                           .help = "Number of steps between two moves of the multipliers, by "
                                   "--dual-learning-rate for each of them",
                           .range = between(1, 1e9),
                           .section = "Constraints"},
                          kOwnTrainingField<&DualStepOptions::dual_interval>}},
         named(rate_options(), {"constraint_margin", "histogram_noise", "histogram_noise_ratio",
                                "histogram_noise_multiplier"})});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = RacoDp::make_plan(with_means_of_intervals(config), facts);
    plan.config = config;
    plan.settings.emplace_back("dual_interval", static_cast<double>(dual_interval(config)));
    if (dual_interval(config) >= config.num_steps) {
      plan.notes.push_back(
          fmt::format("multipliers move every {} steps, of which this run has {}, so that the "
                      "constraints change "
                      "nothing; lower --dual-interval",
                      dual_interval(config), config.num_steps));
    }
    return plan;
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override {
    return RacoDp::make_clip(with_means_of_intervals(config), facts);
  }

 protected:
  int64_t dual_interval(const TrainingConfig& config) const override {
    return config.own.of<DualStepOptions>().dual_interval;
  }
};

}  // namespace

TrainingMethodRow dp_lagrangian_row() { return method_row<DpLagrangian>(); }

}  // namespace equinoise
