// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/noise_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/train/iterates.h"

namespace equinoise {

namespace {

double factor_of(double score_noise, const TrainingPlan& plan) {
  const bool is_quiet = !plan.privacy || !(score_noise > kQuietScoreNoise);
  return is_quiet ? 1 : std::max(kQuietScoreNoise / score_noise, kSlowest);
}

}  // namespace

double score_stddev(const NoiseReach& reach, const TrainingPlan& plan) {
  return reach.parameter_stddev * plan.facts.row_norm;
}

std::optional<double> reach_of_steps(const TrainingConfig& config) {
  if (config.optimizer.name == "adam") return std::nullopt;
  const int64_t first_averaged = first_averaged_step(config);
  const auto num_averaged = static_cast<double>(config.num_steps - first_averaged);
  double variance = 0;
  for (int64_t step = 0; step < config.num_steps; ++step) {
    // A step is in every iterate from it on.
    const double share =
        step <= first_averaged ? 1 : static_cast<double>(config.num_steps - step) / num_averaged;
    variance += std::pow(share * learning_rate_at(config, step), 2);
  }
  // What momentum keeps of a step adds up to this many of it.
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
  return reach ? factor_of(reach->alike_stddev * plan.facts.row_norm, plan) : 1;
}

double least_of_rate(const TrainingPlan& plan) {
  return plan.facts.model == "linear" ? kLeastOfRateOfNumbers : kLeastOfRate;
}

double quiet_clip(const std::optional<NoiseReach>& reach, const TrainingPlan& plan) {
  const double norm = plan.facts.row_norm;
  const double clip = plan.config.max_grad_norm;
  if (!reach || !plan.privacy || !(norm > 0) || !(reach->alike_stddev > 0)) return clip;
  const double quiet = clip * kQuietScoreNoise / (reach->alike_stddev * norm);
  return std::clamp(quiet, norm / 2, norm);
}

std::optional<std::string> noise_warning(const std::optional<NoiseReach>& reach,
                                         const TrainingPlan& plan) {
  if (!reach || !plan.privacy) return std::nullopt;
  const double found = score_stddev(*reach, plan);
  const double alike = reach->alike_stddev * plan.facts.row_norm;
  const bool has_much_more = alike > 0 && found > kMuchMoreNoise * alike;
  const double most = has_much_more ? kMostScoreNoise / 2 : kMostScoreNoise;
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
