// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/train/loop.h"
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

  /// What it follows and some other method does not. What a plan refuses by itself (budgets,
  /// constraints, groups that overlap) is not among them.
  virtual const TrainingOptions& options() const = 0;

  /// Whether the table must hold groups, and the facts their number.
  virtual bool uses_groups() const { return false; }

  /// Whether it needs two groups or more, to find which is worse off.
  virtual bool compares_groups() const { return false; }

  /// Whether groups may overlap: the facts then hold cells and the groups that these are in.
  virtual bool takes_overlapping_groups() const { return false; }

  /// Whether each step follows a noisy sum of clipped gradients of a batch of its own, and a run
  /// can be resumed from the states between steps.
  virtual bool is_stepwise() const { return true; }

  /// Whether it trains on tables whose units have several rows: all that it learns of records are
  /// sums over batches of units, in which a unit's part is bounded whatever its rows are (loop.h).
  virtual bool supports_units() const { return false; }

  /// Whether it divides records by their places in the table, as one that becomes null keeps its
  /// place: counted rows have none.
  virtual bool follows_places() const { return false; }

  /// Whether its guarantee leaves open which group a record is in: one that becomes null keeps its
  /// group.
  virtual bool takes_groups_as_public() const { return false; }

  /// Whether its model has a part for each group of the table: a PerGroupModel. Of a method that
  /// uses constraints only where these name attributes.
  virtual bool has_model_per_group() const { return false; }

  /// Whether the configuration must hold constraints. The table's groups are then the contexts of
  /// their program.
  virtual bool uses_constraints() const { return false; }

  /// Whether every step uses all records: TrainingConfig::batch_size is then not asked.
  virtual bool takes_full_batches() const { return false; }

  /// The option that says how many steps it takes where --steps does not: "rounds"; "": --steps
  /// does, or it takes one.
  virtual std::string_view steps_option() const { return ""; }

  /// Whether it trains models of that name; otherwise its plan is an error.
  virtual bool trains(std::string_view model) const {
    static_cast<void>(model);
    return true;
  }

  /// The kind of model that it trains where the user names none; "": the first that fits.
  virtual std::string_view own_model() const { return ""; }

  /// The clip policy that a run begins with.
  virtual std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                                const TrainingFacts& facts) const {
    static_cast<void>(config);
    static_cast<void>(facts);
    return std::make_unique<NoClip>();
  }

  /// How many numbers a state of its run holds at most in TrainingState::clip.
  virtual size_t most_kept(const TrainingPlan& plan) const {
    return make_clip(plan.config, plan.facts)->state().size();
  }

  /// Errors: kUsage for an option that is not as declared, and those of make_plan().
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const {
    check_options<TrainingConfig>("train", shared_options(), config);
    check_options<TrainingConfig>("train", options(), config);
    TrainingPlan plan = make_plan(config, facts);
    note_unspent(config, plan);
    return plan;
  }

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

  /// Whether max_grad_norm is what gradients are scaled to, or where clips of groups begin, instead
  /// of how long gradients may be: it then does not follow how long they are (quiet_clip).
  virtual bool clips_otherwise() const { return false; }

  /// Whether it has WorstGroupOptions::pool_below: groups so small that noise decides what is
  /// learnt of them can then be trained as one.
  virtual bool pools_small_groups() const { return false; }

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
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override = 0;
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
