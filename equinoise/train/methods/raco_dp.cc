// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/raco_dp.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/train/iterates.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.raco_dp";
constexpr std::string_view kConstraintSection = "Constraints";

}  // namespace

const TrainingOptions& rate_options() {
  using Config = TrainingConfig;
  static const TrainingOptions options = {
      {{.name = "dual_learning_rate",
        .help = "Learning rate of the constraints' multipliers",
        .range = positive(1e6),
        .section = kConstraintSection},
       kTrainingField<&Config::dual_learning_rate>},
      {{.name = "max_multiplier",
        .help = "Upper bound on multipliers; an infeasible constraint drives its multiplier to the "
                "bound",
        .range = positive(1e6),
        .section = kConstraintSection},
       kTrainingField<&Config::max_multiplier>},
      {{.name = "multipliers",
        .help =
            "Histogram that multipliers are updated from: step, each step's own; mean, the mean "
            "over steps, which makes them lag and possibly oscillate, and the model with them",
        .choices = words_of(kMultiplierRules),
        .section = kConstraintSection},
       kTrainingWord<kMultiplierRules, &Config::multipliers>},
      {{.name = "histogram",
        .help = "Predictions that constraints count: hard, predicted classes; soft, probabilities, "
                "as in the paper's theory, which overshoot tight bounds on error rates",
        .choices = words_of(kHistogramsOf),
        .section = kConstraintSection},
       kTrainingWord<kHistogramsOf, &Config::histogram>},
      {{.name = "histogram_decay",
        .help = "Decay of the mean over the steps' histograms; the paper's 0 is biased if a batch "
                "has few records of a group",
        .range = between(0, 1 - 1e-6),
        .section = kConstraintSection},
       kTrainingField<&Config::histogram_decay>},
      {{.name = "inverse_temperature",
        .help = "Inverse temperature of soft predictions (the paper's tau)",
        .range = positive(1e3),
        .section = kConstraintSection},
       kTrainingField<&Config::inverse_temperature>},
      {{.name = "push_limit",
        .help = "Largest push of a constraint on a record, in clip bounds; without it, a "
                "constraint on a small group, whose gradients are clipped, would push only the "
                "records of other groups",
        .range = positive(1e6),
        .section = kConstraintSection},
       kTrainingField<&Config::push_limit>},
      {{.name = "clip_allowance",
        .help = "Increase of the clip, as a multiple of the constraints' typical push on scores; "
                "with the paper's 0, tight constraints are clipped away",
        .range = between(0, 1e6),
        .section = kConstraintSection},
       kTrainingField<&Config::clip_allowance>}};
  return options;
}

RateLagrangian make_rate_lagrangian(std::string_view where, const TrainingConfig& config,
                                    const TrainingFacts& facts) {
  if (config.constraints == nullptr) {
    throw Error(ErrorKind::kUsage, where,
                "the method needs constraints; give --constraint, e.g. --constraint "
                "demographic_parity:sex:0.05, or --constraints FILE");
  }
  check_options<TrainingConfig>(where, rate_options(), config);
  return {config.constraints,
          {config.batch_size, facts.num_outputs, config.dual_learning_rate, config.max_multiplier,
           config.inverse_temperature, config.histogram == HistogramOf::kPredictedClasses,
           config.histogram_decay, config.multipliers == MultiplierRule::kMean,
           first_averaged_step(config), config.push_limit, config.max_grad_norm,
           config.clip_allowance}};
}

std::vector<std::pair<std::string, double>> rate_settings(const TrainingConfig& config) {
  return {{"num_constraints", static_cast<double>(config.constraints->constraints.size())},
          {"num_cells", static_cast<double>(config.constraints->num_cells)},
          {"dual_learning_rate", config.dual_learning_rate},
          {"max_multiplier", config.max_multiplier},
          {"inverse_temperature", config.inverse_temperature},
          {"soft_histogram", config.histogram == HistogramOf::kProbabilities},
          {"histogram_decay", config.histogram_decay},
          {"mean_moves_multipliers", config.multipliers == MultiplierRule::kMean},
          {"clip_allowance", config.clip_allowance},
          {"push_limit", config.push_limit}};
}

TrainingPlan RacoDp::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  check_training_config(kWhere, config, facts);
  const RateLagrangian rates = make_rate_lagrangian(kWhere, config, facts);
  check_options<TrainingConfig>(kWhere, options(), config);
  const bool is_laplace = config.histogram_noise == HistogramNoise::kLaplace;
  const SideRelease histogram{"histogram", rates.num_cells(), config.histogram_noise_multiplier,
                              is_laplace ? Event::Kind::kLaplace : Event::Kind::kGaussian};
  TrainingPlan plan = plan_noisy_gradients("raco_dp", config, facts, histogram);
  plan.noise_varies = config.clip_allowance > 0;
  plan.settings = rate_settings(config);
  plan.settings.emplace_back("histogram_noise_multiplier", plan.side_noise_multiplier);
  plan.settings.emplace_back("laplace_histogram", is_laplace);
  return plan;
}

std::unique_ptr<ClipPolicy> RacoDp::make_clip(const TrainingConfig& config,
                                              const TrainingFacts& facts) const {
  if (config.constraints == nullptr) return std::make_unique<FlatClip>(config.max_grad_norm);
  return std::make_unique<RateClip>(config.max_grad_norm, config.clip_allowance,
                                    make_rate_lagrangian(kWhere, config, facts));
}

const TrainingOptions& RacoDp::options() {
  static const TrainingOptions options = all_of(
      {batch_options(), step_options(), clip_options(), rate_options(),
       TrainingOptions{
           {{.name = "histogram_noise",
             .help =
                 "Noise on the histogram: gaussian, or laplace as in the paper, which costs more",
             .choices = words_of(kHistogramNoises),
             .section = kConstraintSection},
            kTrainingWord<kHistogramNoises, &TrainingConfig::histogram_noise>},
           {{.name = "histogram_noise_multiplier",
             .help = "Scale of the noise on the histogram, in records",
             .derived = fmt::format("a standard deviation of {:g} times that of gradients, up to "
                                    "the largest that can be drawn",
                                    kSideNoiseRatio),
             .section = kConstraintSection},
            kTrainingField<&TrainingConfig::histogram_noise_multiplier>}}});
  return options;
}

}  // namespace equinoise
