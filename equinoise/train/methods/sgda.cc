// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

/// Stochastic gradient descent-ascent under rate constraints, on the batches of raco_dp. NOT
/// private.
class DescentAscent : public TrainingMethod {
 public:
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(), multiplier_options(),
                   named(rate_options(), {"multipliers", "histogram_decay", "constraint_margin"})});
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override {
    if (clips_) return find_training_method("raco_dp").make()->make_clip(config, facts);
    if (config.constraints == nullptr) return std::make_unique<NoClip>();
    return std::make_unique<RateClip>(
        std::numeric_limits<double>::infinity(), 0,
        make_rate_lagrangian(fmt::format("train.{}", traits().name), config, facts));
  }

  /// Errors: kUsage if epsilon or a noise multiplier is given, or without constraints.

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    make_rate_lagrangian(fmt::format("train.{}", traits().name), config, facts);
    TrainingPlan plan = plan_without_guarantee(traits().name, config, facts);
    plan.settings = rate_settings(config);
    if (clips_) plan.settings.emplace_back("max_grad_norm", config.max_grad_norm);
    return plan;
  }

  TrainedModel run(TrainingRun training) const override {
    return run_plain_loop(std::move(training),
                          *make_clip(training.plan.config, training.plan.facts));
  }

 protected:
  explicit DescentAscent(bool clips) : clips_(clips) {}

 private:
  bool clips_;
};

/// raco_dp without clipping and noise, the reference.
class Sgda : public DescentAscent {
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
  Sgda() : DescentAscent(false) {}
};

/// raco_dp without noise: the effect of its clip alone on constraints. [YaghiniEtAl2025, Fig. 6]
class RacoClipping : public DescentAscent {
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
  RacoClipping() : DescentAscent(true) {}
};

}  // namespace

TrainingMethodRow sgda_row() { return method_row<Sgda>(); }
TrainingMethodRow raco_clipping_row() { return method_row<RacoClipping>(); }

}  // namespace equinoise
