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

/// A training method: says what it will cost from public facts, then does it for a charge of
/// exactly that.
class TrainingMethod {
 public:
  virtual ~TrainingMethod() = default;

  /// What holds for all of its runs: `kTraits` of a method of the registry.
  virtual const MethodTraits& traits() const;

  /// What it follows and some other method does not. What a plan refuses by itself (budgets,
  /// constraints, groups that overlap) is not among them.
  virtual const TrainingOptions& options() const = 0;

  /// The clip policy that a run begins with [FlatClip of a method that follows max_grad_norm, else
  /// NoClip].
  virtual std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                                const TrainingFacts& facts) const;

  /// How many numbers a state of its run holds at most in TrainingState::clip.
  virtual size_t max_kept(const TrainingPlan& plan) const {
    return make_clip(plan.config, plan.facts)->state().size();
  }

  /// Errors: kUsage for an option that is not as declared, for what the traits refuse (a budget,
  /// the kind of model, too few groups), and those of make_plan().
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const;

  /// What the noise of a plan of its own may do to the parameters; empty: there is none, or no
  /// answer.
  virtual std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const {
    static_cast<void>(plan);
    return std::nullopt;
  }

  /// The configuration with all of its learning rates times `factor`: of a method that has others
  /// beside those of steps, those too, so that it does the same in more steps. Rates that somebody
  /// chose are left alone.
  virtual TrainingConfig slower(TrainingConfig config, const TrainingFacts& facts,
                                double factor) const {
    static_cast<void>(facts);
    config.learning_rate *= factor;
    config.final_learning_rate *= factor;
    return config;
  }

  /// Configurations whose noise does less, each less than the one before, by what the method can
  /// give up beside its learning rate; empty where it has nothing to give up, or where the
  /// configuration says what is wanted.
  virtual std::vector<TrainingConfig> quieter(const TrainingConfig& config) const {
    static_cast<void>(config);
    return {};
  }

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
