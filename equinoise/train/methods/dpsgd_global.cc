// SPDX-License-Identifier: Apache-2.0
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
  const TrainingOptions& options() const override {
    static const TrainingOptions options = all_of({batch_options(), step_options(), clip_options(),
                                                   residual_options(), strict_bound_options()});
    return options;
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_noisy_gradients("dpsgd_global", config, facts, {},
                                             starting_mean_release(config, facts), {},
                                             residual_release(config, facts));
    plan.settings.emplace_back("strict_bound", clip_of(config).strict_bound());
    return plan;
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts&) const override {
    return std::make_unique<GlobalClip>(clip_of(config));
  }
};

}  // namespace

TrainingMethodRow dpsgd_global_row() { return method_row<DpSgdGlobal>(); }

}  // namespace equinoise
