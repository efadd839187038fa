// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/raco_dp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

constexpr std::string_view kSection = "Constraints";

}  // namespace

const TrainingOptions& multiplier_options() {
  using Own = RateOptions;
  static const TrainingOptions options = in_section(
      kSection,
      {{{.name = "dual_learning_rate",
         .help = "Learning rate of the constraints' multipliers",
         .range = positive(1e6)},
        kOwnTrainingField<&Own::dual_learning_rate>},
       {{.name = "max_multiplier",
         .help =
             "Upper bound on multipliers; an infeasible constraint drives its multiplier to the "
             "bound",
         .range = positive(1e6)},
        kOwnTrainingField<&Own::max_multiplier>},
       {{.name = "histogram",
         .help =
             "Predictions that constraints count: hard, predicted classes; soft, probabilities, "
             "as in the paper's theory, which overshoot tight bounds on error rates",
         .choices = words_of(kHistogramsOf)},
        kOwnTrainingWord<kHistogramsOf, &Own::histogram>},
       {{.name = "inverse_temperature",
         .help = "Inverse temperature of soft predictions (the paper's tau)",
         .range = positive(1e3)},
        kOwnTrainingField<&Own::inverse_temperature>},
       {{.name = "push_limit",
         .help = "Largest push of a constraint on a record, in clip bounds; without it, a "
                 "constraint on a small group, whose gradients are clipped, would push only the "
                 "records of other groups",
         .range = positive(1e6)},
        kOwnTrainingField<&Own::push_limit>},
       {{.name = "clip_allowance",
         .help = "Increase of the clip, as a multiple of the constraints' typical push on scores; "
                 "with the paper's 0, tight constraints are clipped away",
         .range = between(0, 1e6)},
        kOwnTrainingField<&Own::clip_allowance>},
       {{.name = "clip_widening",
         .help = "How many times the clip is widened at most to hold the push of a constraint "
                 "between groups on the smaller one, unless that is very small; 1: never",
         .range = between(1, 1e6)},
        kOwnTrainingField<&Own::clip_widening>}});
  return options;
}

const TrainingOptions& rate_options() {
  using Own = RateOptions;
  static const TrainingOptions options = in_section(
      kSection,
      {{{.name = "multipliers",
         .help =
             "Histogram that multipliers are updated from: step, each step's own; mean, the mean "
             "over steps, which makes them lag and possibly oscillate, and the model with them",
         .choices = words_of(kMultiplierRules)},
        kOwnTrainingWord<kMultiplierRules, &Own::multipliers>},
       {{.name = "histogram_decay",
         .help = "Decay of the mean over the steps' histograms; the paper's 0 is biased if a batch "
                 "has few records of a group",
         .range = between(0, 1 - 1e-6)},
        kOwnTrainingField<&Own::histogram_decay>},
       {{.name = "constraint_margin",
         .help = "How far below their slack training aims for all constraints, so that what holds "
                 "on training records holds on others",
         .range = between(0, 1),
         .derived = "how much each constraint's value varies by the draw of the training records, "
                    "from public sizes; at most half of its slack"},
        kOwnTrainingField<&Own::margin>},
       {{.name = "histogram_noise",
         .help = "Noise on the histogram: gaussian, or laplace as in the paper, which costs more",
         .choices = words_of(kHistogramNoises)},
        kOwnTrainingWord<kHistogramNoises, &Own::histogram_noise>},
       {{.name = "histogram_noise_ratio",
         .help = "Standard deviation of the noise on the histogram, in records, as a multiple of "
                 "--noise-multiplier: with less, constraints are known better and gradients worse",
         .range = positive(1e6)},
        kOwnTrainingField<&Own::histogram_noise_ratio>},
       {{.name = "histogram_noise_multiplier",
         .help = "Scale of the noise on the histogram, in records; of gaussian at most 2048",
         .range = between(kSmallestNoiseMultiplier, largest_side_noise(Event::Kind::kLaplace)),
         .derived = "as --histogram-noise-ratio says, up to the largest that can be drawn"},
        kOwnTrainingField<&Own::histogram_noise_multiplier>}});
  return options;
}

void check_constraints_given(std::string_view where, const TrainingConfig& config) {
  if (config.constraints != nullptr) return;
  throw Error(ErrorKind::kUsage, where,
              "the method needs constraints; give --constraint, e.g. --constraint "
              "demographic_parity:sex:0.05, or --constraints FILE");
}

RateLagrangian make_rate_lagrangian(std::string_view where, const TrainingConfig& config,
                                    const TrainingFacts& facts, int64_t dual_interval) {
  check_constraints_given(where, config);
  const auto& own = config.own.of<RateOptions>();
  return {config.constraints,
          {config.batch_size, facts.num_outputs, own.dual_learning_rate, own.max_multiplier,
           own.inverse_temperature, own.histogram == HistogramOf::kPredictedClasses,
           own.histogram_decay, own.multipliers == MultiplierRule::kMean, dual_interval,
           first_averaged_step(config), own.push_limit, config.max_grad_norm, own.clip_allowance,
           own.clip_widening, facts.row_norm, own.margin}};
}

/// The largest margin below a slack that training aims at.
double largest_margin(const TrainingConfig& config) {
  double largest = 0;
  for (const RateProgram::Constraint& constraint : config.constraints->constraints)
    largest = std::max(largest, constraint.margin);
  return config.own.of<RateOptions>().margin.value_or(largest);
}

NamedFigures rate_settings(const TrainingConfig& config) {
  const auto& own = config.own.of<RateOptions>();
  return {{"num_constraints", static_cast<double>(config.constraints->constraints.size())},
          {"num_cells", static_cast<double>(config.constraints->num_cells)},
          {"dual_learning_rate", own.dual_learning_rate},
          {"max_multiplier", own.max_multiplier},
          {"inverse_temperature", own.inverse_temperature},
          {"soft_histogram", own.histogram == HistogramOf::kProbabilities},
          {"histogram_decay", own.histogram_decay},
          {"mean_moves_multipliers", own.multipliers == MultiplierRule::kMean},
          {"clip_allowance", own.clip_allowance},
          {"push_limit", own.push_limit},
          {"clip_widening", own.clip_widening},
          {"largest_margin", largest_margin(config)}};
}

TrainingPlan RacoDp::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  const std::string where = fmt::format("train.{}", traits().name);
  check_training_config(where, config, facts);
  const RateLagrangian rates = make_rate_lagrangian(where, config, facts, dual_interval(config));
  const auto& own = config.own.of<RateOptions>();
  const bool is_laplace = own.histogram_noise == HistogramNoise::kLaplace;
  const SideRelease histogram{"histogram", rates.num_sums(), own.histogram_noise_multiplier,
                              is_laplace ? Event::Kind::kLaplace : Event::Kind::kGaussian,
                              own.histogram_noise_ratio};
  TrainingPlan plan = plan_noisy_gradients(traits().name, config, facts, histogram);
  if (own.clip_allowance > 0 || (own.clip_widening > 1 && facts.row_norm > 0))
    plan.noise_follows = "the push of the constraints on gradients";
  plan.settings = rate_settings(config);
  plan.settings.emplace_back("histogram_noise_multiplier", plan.side_noise_multiplier);
  plan.settings.emplace_back("laplace_histogram", is_laplace);
  return plan;
}

TrainingConfig RacoDp::slower(TrainingConfig config, const TrainingFacts& facts,
                              double factor) const {
  const RateOptions usual;
  auto& own = config.own.of<RateOptions>();
  if (own.dual_learning_rate == usual.dual_learning_rate)
    own.dual_learning_rate *= std::sqrt(factor);
  if (own.histogram_decay == usual.histogram_decay)
    own.histogram_decay = 1 - (1 - usual.histogram_decay) * factor;
  return NoisyGradientMethod::slower(std::move(config), facts, factor);
}

std::unique_ptr<ClipPolicy> RacoDp::make_clip(const TrainingConfig& config,
                                              const TrainingFacts& facts) const {
  if (config.constraints == nullptr) return std::make_unique<FlatClip>(config.max_grad_norm);
  return std::make_unique<RateClip>(config.max_grad_norm,
                                    config.own.of<RateOptions>().clip_allowance,
                                    make_rate_lagrangian(fmt::format("train.{}", traits().name),
                                                         config, facts, dual_interval(config)));
}

TrainingOptions RacoDp::declared_options() {
  return all_of({noisy_gradient_options(), multiplier_options(), rate_options()});
}

TrainingMethodRow raco_dp_row() { return method_row<RacoDp>(); }

}  // namespace equinoise
