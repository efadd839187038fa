// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/noise_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "equinoise/train/iterates.h"

namespace equinoise {

namespace {

/// A part of the target's variance, in units of the squared spread of the target, and the curvature
/// of its directions relative to the mean over directions.
struct Directions {
  double variance;
  double curvature;
};

/// Chosen on eight tables of 400 to 3,200 training records, epsilon 0.1 to 3, with and without
/// public means. Correlated features leave much of their signal in directions with almost no
/// curvature.
constexpr std::array<Directions, 3> kDirections = {{{0.3, 0.3}, {0.2, 0.01}, {0.2, 0.001}}};

/// The factor for linear regression; `score_noise` at the plan's rates.
double factor_with_least_error(double score_noise, const TrainingPlan& plan) {
  constexpr double kPartLearnt = 0.75;  // the released mean over last iterates lags behind the last
                                        // one
  constexpr int kNumFactors = 140;
  const TrainingFacts& facts = plan.facts;
  const double mean_curvature =
      facts.row_norm * facts.row_norm / static_cast<double>(facts.num_parameters);
  const double rate = (plan.config.learning_rate + plan.config.final_learning_rate) / 2;
  const double path = 2 * mean_curvature * rate * static_cast<double>(plan.config.num_steps);
  double best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= kNumFactors; ++k) {
    const double factor = std::pow(kSlowestOfNumbers, static_cast<double>(k) / kNumFactors);
    // Learning reduces earlier noise in directions with curvature.
    const double taken = kDirections[0].curvature * path * factor;
    double error = std::pow(factor * score_noise, 2) * -std::expm1(-taken) / taken;
    for (const Directions& part : kDirections)
      error += part.variance * std::exp(-2 * kPartLearnt * part.curvature * path * factor);
    if (error < least) {
      least = error;
      best = factor;
    }
  }
  return best;
}

double factor_of(double score_noise, const TrainingPlan& plan) {
  const bool is_quiet = !plan.privacy || !(score_noise > kQuietScoreNoise);
  const double quiet = is_quiet ? 1 : std::max(kQuietScoreNoise / score_noise, kSlowest);
  const bool is_told =
      plan.privacy && plan.facts.model == "linear" && plan.facts.row_norm > 0 && score_noise > 0;
  return is_told ? std::min(quiet, factor_with_least_error(score_noise, plan)) : quiet;
}

}  // namespace

double score_stddev(const NoiseReach& reach, const TrainingPlan& plan) {
  return reach.parameter_stddev * plan.facts.row_norm / plan.facts.target.spread;
}

double alike_score_stddev(const NoiseReach& reach, const TrainingPlan& plan) {
  return reach.alike_stddev * plan.facts.row_norm / plan.facts.target.spread;
}

std::optional<double> reach_of_steps(const TrainingConfig& config) {
  if (config.optimizer.name == "adam") return std::nullopt;
  const int64_t first_averaged = first_averaged_step(config);
  const auto num_averaged = static_cast<double>(config.num_steps - first_averaged);
  double variance = 0;
  for (int64_t step = 0; step < config.num_steps; ++step) {
    // A step affects every iterate after it.
    const double share =
        step <= first_averaged ? 1 : static_cast<double>(config.num_steps - step) / num_averaged;
    variance += std::pow(share * learning_rate_at(config, step), 2);
  }
  // The contributions of a step to later steps, by momentum, add up to this factor.
  const double kept = config.optimizer.name == "momentum" ? 1 / (1 - config.optimizer.momentum) : 1;
  return kept * std::sqrt(variance);
}

std::optional<NoiseReach> reach_of_noise(const TrainingConfig& config, const DirectionNoise& noise,
                                         std::string cause) {
  const std::optional<double> of_steps = reach_of_steps(config);
  if (!of_steps) return std::nullopt;
  return NoiseReach{*of_steps * noise.stddev, *of_steps * noise.alike_stddev, std::move(cause)};
}

double quiet_factor(const std::optional<NoiseReach>& reach, const TrainingPlan& plan) {
  return reach ? factor_of(score_stddev(*reach, plan), plan) : 1;
}

double alike_factor(const std::optional<NoiseReach>& reach, const TrainingPlan& plan) {
  return reach ? factor_of(alike_score_stddev(*reach, plan), plan) : 1;
}

double min_of_rate(const TrainingPlan& plan) {
  return plan.facts.model == "linear" ? kMinOfRateOfNumbers : kMinOfRate;
}

double quiet_clip(const std::optional<NoiseReach>& reach, const TrainingPlan& plan) {
  const double norm = plan.facts.row_norm * plan.facts.target.spread;
  const double clip = plan.config.max_grad_norm;
  if (!reach || !plan.privacy || !(norm > 0) || !(reach->alike_stddev > 0)) return clip;
  const double quiet = clip * kQuietScoreNoise / alike_score_stddev(*reach, plan);
  return std::clamp(quiet, norm / 2, norm);
}

std::optional<std::string> noise_warning(const std::optional<NoiseReach>& reach,
                                         const TrainingPlan& plan) {
  if (!reach || !plan.privacy) return std::nullopt;
  const double found = score_stddev(*reach, plan);
  const double alike = alike_score_stddev(*reach, plan);
  const bool has_much_more = alike > 0 && found > kMuchMoreNoise * alike;
  const double most = has_much_more ? kMaxScoreNoise / 2 : kMaxScoreNoise;
  if (!(found > most)) return std::nullopt;
  std::string text = fmt::format(
      "noise may decide this model's predictions: it moves scores by a standard deviation of up to "
      "{:.3g}, above the limit of {:g}",
      found, most);
  if (!reach->cause.empty()) text += fmt::format(" (cause: {})", reach->cause);
  if (alike > 0 && found > 1.5 * alike)
    text +=
        fmt::format("; with equal weights for all records, as in dpsgd, it would be {:.3g}", alike);
  return text +
         ". To lower it, use a larger epsilon, larger batches, a smaller learning rate, a shorter "
         "run, or merge small groups";
}

}  // namespace equinoise
