// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/worst_group_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

namespace {

[[noreturn]] void refuse(std::string_view where, const std::string& problem) {
  throw Error(ErrorKind::kUsage, where, problem);
}

}  // namespace

double loss_bound_of(const TrainingConfig& config, const TrainingFacts& facts) {
  constexpr double kOfClasses = 2;
  constexpr double kSpreads = 6;
  const auto& own = config.own.of<WorstGroupOptions>();
  if (own.loss_bound) return *own.loss_bound;
  // Classes have no largest distance from a middle.
  if (!model_facts(facts.model).is_regression && std::isinf(facts.target.reach()))
    return kOfClasses;
  const double residual = std::min(kSpreads * facts.target.spread, 2 * facts.target.reach());
  return residual * residual / 2;
}

int64_t WorstGroupTerms::smallest() const { return *std::ranges::min_element(sizes); }

WorstGroupTerms settle_worst_group(std::string_view where, const TrainingConfig& config,
                                   const TrainingFacts& facts) {
  WorstGroupTerms terms{config, expected_sizes(where, facts.groups, facts.num_records),
                        loss_bound_of(config, facts), 0, 0};
  const auto num_records = static_cast<double>(facts.num_records);
  const WorstGroupOptions& own = config.own.of<WorstGroupOptions>();
  if (own.group_batch_size) {
    const auto least = std::ranges::min_element(terms.sizes);
    const double asked = *own.group_batch_size;
    if (asked > static_cast<double>(*least)) {
      refuse(
          where,
          fmt::format("--group-batch-size must be at most the size of the smallest group, {} with "
                      "{} training records, got {}; lower it, or merge groups",
                      facts.groups.names[static_cast<size_t>(least - terms.sizes.begin())], *least,
                      asked));
    }
    terms.config.batch_size = asked / static_cast<double>(*least) * num_records;
  }
  terms.sample_rate = terms.config.batch_size / num_records;
  terms.group_learning_rate = own.group_learning_rate.value_or(
      std::sqrt(8 * std::log(static_cast<double>(terms.num_groups())) /
                static_cast<double>(std::max<int64_t>(config.num_steps, 1))) /
      terms.loss_bound);
  return terms;
}

void slow_group_weights(std::string_view where, const TrainingFacts& facts, double factor,
                        TrainingConfig& config) {
  const double rate = settle_worst_group(where, config, facts).group_learning_rate;
  auto& own = config.own.of<WorstGroupOptions>();
  if (!own.group_learning_rate) own.group_learning_rate = rate * factor;
}

double loss_multiplier_of(double gradient_multiplier, double sample_rate, double loss_share) {
  const double ratio = std::sqrt((1 - loss_share) / loss_share);
  // A step's batch is approximately equivalent to a Gaussian of this multiplier. [DongRothSu2022,
  // Thm. 4]
  const double worth =
      1 / (sample_rate *
           std::sqrt(std::expm1(std::min(1 / (gradient_multiplier * gradient_multiplier), 700.0))));
  return ratio * std::max(worth, gradient_multiplier);
}

TrainingPlan plan_chosen_groups(std::string_view method, const TrainingConfig& config,
                                const TrainingFacts& facts,
                                const std::function<Event(double)>& losses) {
  const std::string where = fmt::format("train.{}", method);
  const WorstGroupTerms terms = settle_worst_group(where, config, facts);
  TrainingPlan plan{std::string(method), terms.config, facts};
  check_training_config(where, plan.config, facts);
  check_noise_choice(where, config);
  check_exact_sums(where, facts);
  plan.sample_rate = terms.sample_rate;
  const double num_draws = static_cast<double>(facts.num_parameters + terms.num_groups());
  const double draws_per_step =
      num_draws * kGaussianDrawError + (static_cast<double>(facts.num_records) + 1) * kSkipError;
  const Event sampler_error =
      Event::sampler_error(round_up(static_cast<double>(config.num_steps) * draws_per_step, 1e-12));
  const auto loss_multiplier = [&](double noise_multiplier) {
    return loss_multiplier_of(noise_multiplier, plan.sample_rate,
                              config.own.of<WorstGroupOptions>().loss_share);
  };
  ResidualItem residual(residuals_of_groups(terms, facts));
  const auto events = [&](double noise_multiplier) {
    Event step = Event::composed(
        {Event::poisson_sampled(plan.sample_rate, {Event::gaussian(noise_multiplier)}),
         losses(loss_multiplier(noise_multiplier))});
    std::vector<Event> all = {Event::repeat(config.num_steps, std::move(step)), sampler_error};
    residual.add_to(all, noise_multiplier);
    return all;
  };
  plan.noise_multiplier = residual.calibrate(plan.config, events);
  const std::vector<Event> planned = events(plan.noise_multiplier);
  plan.items = {
      {"noisy gradient sums of one group each, and the releases that choose the group", planned[0]},
      {"sampler error", planned[1]}};
  residual.add_to(plan);
  settle_guarantee(where, plan);
  plan.bound = config.max_grad_norm;
  plan.grid = grid_of_sum(plan.bound, plan.noise_multiplier * plan.bound, facts.num_records);
  plan.noise_stddev = plan.noise_multiplier * (plan.bound + plan.grid * facts.sum_error);
  plan.side_noise_stddev = loss_multiplier(plan.noise_multiplier);
  return plan;
}

FullRelease residuals_of_groups(const WorstGroupTerms& terms, const TrainingFacts& facts) {
  if (terms.config.own.of<WorstGroupOptions>().radius) return {};
  std::vector<double> weights;
  for (const int64_t size : terms.sizes) weights.push_back(1 / static_cast<double>(size));
  return residual_release(terms.config, facts, residual_sizes(facts, weights, false));
}

void add_worst_group_settings(const WorstGroupTerms& terms, const TrainingFacts& facts,
                              double noise_multiplier, double expected_share, TrainingPlan& plan) {
  const WorstGroupOptions& own = terms.config.own.of<WorstGroupOptions>();
  plan.settings.insert(plan.settings.end(), {{"loss_bound", terms.loss_bound},
                                             {"loss_share", own.loss_share},
                                             {"group_learning_rate", terms.group_learning_rate}});
  if (own.radius) plan.settings.emplace_back("radius", *own.radius);
  for (size_t k = 0; k < terms.num_groups(); ++k) {
    plan.settings.emplace_back(fmt::format("group_loss_noise {}", facts.groups.names[k]),
                               noise_multiplier * terms.loss_bound /
                                   (expected_share * static_cast<double>(terms.sizes[k])));
  }
}

double weight_by_noise(const WorstGroupTerms& terms, double loss_stddev) {
  const double ahead = terms.group_learning_rate * loss_stddev *
                       std::sqrt(static_cast<double>(terms.config.num_steps));
  return 1 / (1 + static_cast<double>(terms.num_groups() - 1) * std::exp(-ahead));
}

std::optional<NoiseReach> reach_of_groups(const WorstGroupTerms& terms, const TrainingPlan& plan,
                                          std::span<const double> parts) {
  size_t worst = 0;
  double most = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    const double expected = plan.sample_rate * static_cast<double>(terms.sizes[k]);
    const double noise = plan.noise_stddev * parts[k] / expected;
    if (!(noise > most)) continue;
    most = noise;
    worst = k;
  }
  return reach_of_noise(
      plan.config, {most, plan.noise_stddev / plan.config.batch_size},
      fmt::format("steps that follow group {}, with about {:.3g} records in a batch",
                  plan.facts.groups.names[worst],
                  plan.sample_rate * static_cast<double>(terms.sizes[worst])));
}

}  // namespace equinoise
