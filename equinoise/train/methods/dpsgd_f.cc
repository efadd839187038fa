// SPDX-License-Identifier: Apache-2.0

#include "equinoise/base/check.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

namespace {

/// The default limit, in clips: the threshold of a group whose gradients are long three times as
/// often as others'. Quotients of few noisy counts go far beyond it, and so would the noise of a
/// step.
constexpr double kMaxThreshold = 4;

double max_threshold_of(const TrainingConfig& config) {
  return config.own.of<DpSgdFOptions>().max_threshold.value_or(kMaxThreshold *
                                                               config.max_grad_norm);
}

GroupClip clip_of(const TrainingConfig& config, const TrainingFacts& facts) {
  const auto& own = config.own.of<DpSgdFOptions>();
  return {config.max_grad_norm, facts.num_groups, own.thresholds, max_threshold_of(config)};
}

/// DPSGD-F: a clipping threshold for each group, from noisy counts of the same batch. Relation,
/// cost and edge cases: run_noisy_loop; sensitivity: the largest threshold of any group. The groups
/// are those of the table; a record's group is part of the record. Deviations: GroupClip.
class DpSgdF : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpsgd_f",
      .status = PrivacyStatus::kPrivate,
      .source = "XuDuWu2021",
      .summary =
          "dpsgd with a clipping threshold for each group, which follows its noisy count of long "
          "gradients",
      .min_groups = 1,
      .supports_units = true,
      .clips_otherwise = true,
  };
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(), residual_options(), count_options(),
         TrainingOptions{
             {{.name = "thresholds",
               .help = "Rule for the groups' clipping thresholds: paper, by the share of long "
                       "gradients among all records; code, by the mean of the groups' shares",
               .choices = words_of(kThresholdRules)},
              kOwnTrainingWord<kThresholdRules, &DpSgdFOptions::thresholds>},
             {{.name = "max_threshold",
               .help = "Largest clipping threshold of a group; at least max_grad_norm",
               .range = between(1e-30, kNoThreshold),
               .derived = "4 max_grad_norm; the paper has none"},
              kOwnTrainingField<&DpSgdFOptions::max_threshold>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    const auto& own = config.own.of<DpSgdFOptions>();
    if (own.max_threshold) {
      check_interval("train.dpsgd_f", "max_threshold", *own.max_threshold, config.max_grad_norm,
                     kNoThreshold);
    }
    const GroupClip clip = clip_of(config, facts);
    TrainingPlan plan = plan_with_means(
        "dpsgd_f", config, facts,
        {"count", clip.num_counts(), config.own.of<CountOptions>().count_noise_multiplier});
    plan.noise_follows = "the largest threshold of any group";
    if (own.thresholds == ThresholdRule::kPaper) {
      // The mean of all thresholds, weighted by noisy counts, is twice the clip.
      const double bound = clip.bound();
      plan.noise_stddev =
          plan.noise_multiplier * (bound + plan.grid_for(bound) * facts.sum_error) * (1 - 1e-12);
    }
    plan.notes.emplace_back(
        "for comparison: clips follow noisy counts, and with them noise, of which only the limit "
        "by "
        "--max-threshold is known before the run; see docs/guide/choosing-a-method.md");
    plan.settings.insert(
        plan.settings.end(),
        {{"num_groups", static_cast<double>(facts.num_groups)},
         {"thresholds_of_code", static_cast<double>(own.thresholds == ThresholdRule::kCode)},
         {"count_noise_multiplier", plan.side_noise_multiplier},
         {"max_threshold", max_threshold_of(config)}});
    return plan;
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override {
    return std::make_unique<GroupClip>(clip_of(config, facts));
  }
};

}  // namespace

TrainingMethodRow dpsgd_f_row() { return method_row<DpSgdF>(); }

}  // namespace equinoise
