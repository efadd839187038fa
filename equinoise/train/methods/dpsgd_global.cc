// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/starting_mean.h"

namespace equinoise {

namespace {

GlobalClip clip_of(const TrainingConfig& config) {
  return {config.max_grad_norm,
          config.own.of<StrictBoundOptions>().strict_bound.value_or(10 * config.max_grad_norm)};
}

/// DP-SGD with one scale for all gradients (GlobalClip). [BuEtAl2021]
class DpSgdGlobal : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpsgd_global",
      .status = PrivacyStatus::kPrivate,
      .source = "BuEtAl2021",
      .summary =
          "dpsgd with one scale for all gradients; gradients longer than a strict bound are "
          "dropped",
      .supports_units = true,
      .clips_otherwise = true,
  };
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(), residual_options(), strict_bound_options()});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_with_means("dpsgd_global", config, facts);
    plan.settings.emplace_back("strict_bound", clip_of(config).strict_bound());
    return plan;
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts&) const override {
    return std::make_unique<GlobalClip>(clip_of(config));
  }
};

GlobalAdaptClip adaptive_clip_of(const TrainingConfig& config) {
  const auto& own = config.own.of<GlobalAdaptOptions>();
  return {config.max_grad_norm,
          {config.own.of<StrictBoundOptions>().strict_bound.value_or(10 * config.max_grad_norm),
           own.threshold, own.strict_bound_learning_rate, config.batch_size}};
}

/// DP-SGD with one scale for all gradients, adapted to their length (GlobalAdaptClip): a noisy
/// count of long gradients is released from each batch in addition to their sum. [EsipovaEtAl2023]
class DpSgdGlobalAdapt : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpsgd_global_adapt",
      .status = PrivacyStatus::kPrivate,
      .source = "EsipovaEtAl2023",
      .summary =
          "dpsgd with one scale for all gradients, which follows a noisy count of long gradients",
      .supports_units = true,
  };
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(), residual_options(), strict_bound_options(), count_options(),
         TrainingOptions{
             {{.name = "strict_bound_learning_rate",
               .help = "Rate at which the strict bound decreases to what the gradients need",
               .range = positive(1e6)},
              kOwnTrainingField<&GlobalAdaptOptions::strict_bound_learning_rate>},
             {{.name = "threshold",
               .help = "Multiple of the strict bound above which a gradient counts as long",
               .range = positive(1e6)},
              kOwnTrainingField<&GlobalAdaptOptions::threshold>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    const GlobalAdaptClip clip = adaptive_clip_of(config);
    TrainingPlan plan = plan_with_means(
        "dpsgd_global_adapt", config, facts,
        {"count", clip.num_counts(), config.own.of<CountOptions>().count_noise_multiplier});
    const auto& own = config.own.of<GlobalAdaptOptions>();
    plan.settings.insert(plan.settings.end(),
                         {{"strict_bound", clip.strict_bound()},
                          {"strict_bound_learning_rate", own.strict_bound_learning_rate},
                          {"threshold", own.threshold},
                          {"count_noise_multiplier", plan.side_noise_multiplier}});
    return plan;
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts&) const override {
    return std::make_unique<GlobalAdaptClip>(adaptive_clip_of(config));
  }
};

}  // namespace

TrainingMethodRow dpsgd_global_row() { return method_row<DpSgdGlobal>(); }
TrainingMethodRow dpsgd_global_adapt_row() { return method_row<DpSgdGlobalAdapt>(); }

}  // namespace equinoise
