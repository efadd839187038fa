// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "equinoise/train/loop.h"
#include "equinoise/train/method_traits.h"
#include "equinoise/train/noise_reach.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/regression/starting_mean.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// A training method: plans its cost from public facts, then runs for a charge of exactly that
/// cost.
class TrainingMethod {
 public:
  virtual ~TrainingMethod() = default;

  /// Properties of all of its runs: `kTraits` of a method of the registry.
  virtual const MethodTraits& traits() const = 0;

  /// The options that the method follows and some other method does not. Options that a plan
  /// refuses by itself (budgets, constraints, groups that overlap) are not among them.
  virtual const TrainingOptions& options() const = 0;

  /// The clip policy at the start of a run [FlatClip for a method that follows max_grad_norm, else
  /// NoClip].
  virtual std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                                const TrainingFacts& facts) const;

  /// The most numbers that a state of its run holds in TrainingState::clip.
  virtual size_t max_kept(const TrainingPlan& plan) const {
    return make_clip(plan.config, plan.facts)->state().size();
  }

  /// Errors: kUsage for an option outside its declaration, for a budget, a kind of model or too few
  /// groups that the traits refuse, and those of make_plan().
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const;

  /// The effect on parameters of the noise in a plan of this method. Empty: no noise, or no answer.
  virtual std::optional<NoiseReach> noise_reach(const TrainingPlan& /*plan*/) const {
    return std::nullopt;
  }

  /// The configuration with all of its learning rates times `factor`, so that it learns the same in
  /// more steps. This includes learning rates other than those of steps, if the method has any.
  /// Rates that the user chose are left alone.
  virtual TrainingConfig slower(TrainingConfig config, const TrainingFacts& /*facts*/,
                                double factor) const {
    config.learning_rate *= factor;
    config.final_learning_rate *= factor;
    return config;
  }

  /// Configurations with less noise, each with less than the one before, by giving up something
  /// other than the learning rate. Empty if there is nothing to give up, or if the configuration
  /// already fixes it.
  virtual std::vector<TrainingConfig> quieter(const TrainingConfig& /*config*/) const { return {}; }

  /// Runs a plan of this method to its end. Errors: kRuntime from the observer or for a charge that
  /// does not fit.
  virtual TrainedModel run(TrainingRun training) const = 0;

 protected:
  /// plan() of options as declared. Errors: kUsage for a configuration that the method cannot
  /// honour.
  virtual TrainingPlan make_plan(const TrainingConfig& config,
                                 const TrainingFacts& facts) const = 0;
};

/// A method that is run_noisy_loop with its clip policy.
class NoisyGradientMethod : public TrainingMethod {
 public:
  const TrainingOptions& options() const override { return noisy_gradient_options(); }
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    const double batch = plan.config.batch_size;
    return reach_of_noise(plan.config, {plan.noise_stddev / batch,
                                        plan.noise_multiplier * plan.config.max_grad_norm / batch});
  }
  TrainedModel run(TrainingRun training) const final {
    start_at_mean(training);
    const std::unique_ptr<ClipPolicy> clip = make_clip(training.plan.config, training.plan.facts);
    return run_noisy_loop(std::move(training), *clip);
  }
};

}  // namespace equinoise
