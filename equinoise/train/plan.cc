// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/failure_events.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/privacy/random/rounded_laplace.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

namespace {

/// Standard deviation of noise of scale 1.
double stddev_per_scale(const SideRelease& beside) {
  return beside.noise == Event::Kind::kLaplace ? std::sqrt(2.0) : 1;
}

double scale_of(const SideRelease& beside, double noise_multiplier) {
  if (beside.noise_multiplier) return *beside.noise_multiplier;
  return std::clamp(beside.noise_ratio * noise_multiplier / stddev_per_scale(beside),
                    kSmallestNoiseMultiplier, largest_side_noise(beside.noise));
}

void set_grid(double bound, TrainingPlan& plan) {
  plan.bound = bound;
  plan.grid = grid_of_sum(bound, plan.noise_multiplier * bound, plan.facts.num_records);
}

void check_noise_on_grid(std::string_view where, const TrainingPlan& plan) {
  if (plan.noise_stddev / plan.grid < kMaxGaussianStddev / 2) return;
  throw Error(ErrorKind::kUsage, where,
              "noise_multiplier {:.4g} is too large for {} parameters: the rounding of "
              "their sum would matter",
              plan.noise_multiplier, plan.facts.num_parameters);
}

/// The largest part of delta for the samplers' own error.
double allowed_error(const TrainingConfig& config) { return config.delta / 1000; }

/// The largest epsilon at which `error`, the samplers' own, stays within that part.
double largest_epsilon(const TrainingConfig& config, double error) {
  return std::max(std::log(allowed_error(config) / error), 0.0) * (1 - 1e-3);
}

}  // namespace

double largest_side_noise(Event::Kind noise) {
  return (noise == Event::Kind::kLaplace ? kMaxRoundedLaplaceScale : kMaxGaussianStddev) / 0x1p21;
}

PublicGroups public_groups_of(const Grouping& grouping, int64_t num_records) {
  PublicGroups groups;
  groups.partition = grouping.partition;
  groups.names = group_names(grouping);
  for (const std::optional<int64_t>& size : grouping.public_sizes) {
    groups.shares.emplace_back();
    if (size) groups.shares.back() = static_cast<double>(*size) / static_cast<double>(num_records);
  }
  return groups;
}

std::string why_not_divided(const PublicGroups& groups, size_t k) {
  if (!groups.shares[k])
    return fmt::format("the public size of group {} is not declared; {}", groups.names[k],
                       kHowToDeclareSizes);
  if (*groups.shares[k] > 0) return "";
  return fmt::format(
      "the schema declares that nobody is in group {}, of whom nothing can be learnt; merge it "
      "with another one by a group attribute of the schema (docs/guide/groups.md)",
      groups.names[k]);
}

std::vector<int64_t> expected_sizes(std::string_view where, const PublicGroups& groups,
                                    int64_t num_records) {
  std::vector<int64_t> sizes;
  for (size_t k = 0; k < groups.names.size(); ++k) {
    if (const std::string why = why_not_divided(groups, k); !why.empty())
      throw Error(ErrorKind::kUsage, where, why);
    sizes.push_back(
        std::max<int64_t>(1, std::llround(*groups.shares[k] * static_cast<double>(num_records))));
  }
  return sizes;
}

std::vector<Event> TrainingPlan::events() const {
  std::vector<Event> events;
  events.reserve(items.size());
  for (const PlanItem& item : items) events.push_back(item.event);
  return events;
}

double TrainingPlan::grid_for(double step_bound) const {
  const double ratio = step_bound / bound;
  return ratio >= 2 ? grid * power_of_two_below(ratio) : grid;
}

std::vector<Event> TrainingPlan::events_of(size_t group) const {
  if (group_bounds.empty()) return events();
  return events_of_group(events(), facts.groups.partition, facts.groups.names[group]);
}

std::vector<Event> TrainingPlan::events_after(int64_t num_steps) const {
  const auto cut = [&](const Event& event) {
    if (event.kind() != Event::Kind::kRepeat) return event;
    const Event& run = event.events()[0];
    const Event& first = run.kind() == Event::Kind::kComposed ? run.events().at(0) : run;
    const bool is_step = first.kind() == Event::Kind::kPoissonSampled;
    return is_step ? Event::repeat(num_steps, event.events()[0]) : event;
  };
  std::vector<Event> cut_events;
  for (const Event& event : events()) {
    if (event.kind() != Event::Kind::kParallel) {
      cut_events.push_back(cut(event));
      continue;
    }
    std::vector<Event> groups;
    for (const Event& group : event.events()) {
      std::vector<Event> parts;
      for (const Event& part : events_in_turn(group)) parts.push_back(cut(part));
      groups.push_back(Event::composed(std::move(parts)));
    }
    cut_events.push_back(
        Event::parallel(event.partition(), event.group_names(), std::move(groups)));
  }
  return cut_events;
}

double default_batch_size(int64_t num_records) {
  return std::min(kDefaultBatchSize, static_cast<double>(num_records));
}

int64_t default_num_steps(int64_t num_records) { return std::min(kDefaultSteps, num_records); }

double learning_rate_at(const TrainingConfig& config, int64_t step) {
  const double progress =
      config.num_steps > 1 ? static_cast<double>(step) / static_cast<double>(config.num_steps - 1)
                           : 0;
  return config.learning_rate + progress * (config.final_learning_rate - config.learning_rate);
}

void check_training_config(std::string_view where, const TrainingConfig& config,
                           const TrainingFacts& facts) {
  const auto num_records = static_cast<double>(facts.num_records);
  check_positive(where, "number of training records", num_records);
  if (config.batch_size > num_records) {
    throw Error(ErrorKind::kUsage, where,
                "batch_size must be at most the number of training records, {}, got {}",
                facts.num_records, config.batch_size);
  }
  check_interval(where, "sample rate (batch_size / training records)",
                 config.batch_size / num_records, kMinSampleRate, 1);
  check_options<TrainingConfig>(where, clip_options(), config);
  check_interval(where, "threads", config.threads, 1, 1024);
}

TrainingPlan plan_without_guarantee(std::string_view method, const TrainingConfig& config,
                                    const TrainingFacts& facts) {
  check_training_config(fmt::format("train.{}", method), config, facts);
  TrainingPlan plan{std::string(method), config, facts};
  plan.sample_rate = config.batch_size / static_cast<double>(facts.num_records);
  return plan;
}

TrainingPlan plan_full_batches(std::string_view where, std::string_view method,
                               const TrainingConfig& config, const TrainingFacts& facts,
                               int64_t num_steps) {
  TrainingPlan plan{std::string(method), config, facts};
  plan.config.num_steps = num_steps;
  plan.config.batch_size = static_cast<double>(facts.num_records);
  plan.sample_rate = 1;
  check_training_config(where, plan.config, facts);
  return plan;
}

Event gaussian_error(double num_draws) {
  return Event::sampler_error(round_up(num_draws * kGaussianDrawError, 1e-12));
}

void check_noise_choice(std::string_view where, const TrainingConfig& config) {
  if (config.relation != Relation::kZeroOut) {
    throw Error(ErrorKind::kUsage, where, "relation {} is not available for training; use zero_out",
                to_string(config.relation));
  }
  if (config.epsilon.has_value() == config.noise_multiplier.has_value()) {
    throw Error(
        ErrorKind::kUsage, where,
        "give either --epsilon or --noise-multiplier, not both (epsilon, noise_multiplier)");
  }
  if (config.epsilon) {
    constexpr double kLargestEpsilon = 1e6;
    check_interval(where, "epsilon", *config.epsilon, 0, kLargestEpsilon);
  }
  if (config.noise_multiplier) {
    check_interval(where, "noise_multiplier", *config.noise_multiplier, kSmallestNoiseMultiplier,
                   kLargestNoiseMultiplier);
  }
}

double choose_noise_multiplier(const TrainingConfig& config,
                               const std::function<std::vector<Event>(double)>& events) {
  if (config.noise_multiplier) return *config.noise_multiplier;
  // A method may plan more draws with little noise.
  const double error = split_failures(events(kSmallestNoiseMultiplier)).sampler_error;
  const double largest = largest_epsilon(config, error);
  // Without such an epsilon delta is refused later (settle_guarantee).
  const double epsilon = largest > 0 ? std::min(*config.epsilon, largest) : *config.epsilon;
  const PrivacyTarget target{config.relation, Epsilon(epsilon), Delta(config.delta), kSmallest};
  return std::max(smallest_noise_multiplier(target, events), kSmallestNoiseMultiplier);
}

void note_unspent(const TrainingConfig& config, TrainingPlan& plan) {
  if (!plan.privacy) return;
  const double spent = plan.privacy->epsilon.value();
  if (!config.epsilon) {
    if (!(spent > 0))
      plan.notes.push_back(
          fmt::format("epsilon rounds to 0 at delta {:g}: with more noise than "
                      "needed, nothing may be learnt",
                      plan.config.delta));
    return;
  }
  if (spent >= 0.99 * *config.epsilon) return;
  std::string reason;
  if (plan.noise_multiplier <= kSmallestNoiseMultiplier) {
    reason =
        fmt::format(": less noise than a multiplier of {:g} is none", kSmallestNoiseMultiplier);
  } else if (*config.epsilon >
             largest_epsilon(config, split_failures(plan.events()).sampler_error)) {
    reason = ": beyond it the samplers' own error would exceed a thousandth of delta";
  }
  plan.notes.push_back(
      fmt::format("epsilon {:.4g} of the {:g} given is spent{}", spent, *config.epsilon, reason));
}

void settle_guarantee(std::string_view where, TrainingPlan& plan) {
  const std::vector<Event> events = plan.events();
  const Delta delta(plan.config.delta);
  plan.privacy = smallest_guarantee(plan.config.relation, events, delta);
  plan.by_rdp = told_by_rdp(plan.config.relation, events, delta);
  const double epsilon = plan.privacy->epsilon.value();
  const double error = split_failures(events).sampler_error;
  if ((1 + std::exp(epsilon)) * error <= allowed_error(plan.config)) return;
  throw Error(ErrorKind::kUsage, where,
              "epsilon {:.4g} is too large for delta {}: the samplers' own error would exceed "
              "a thousandth of delta; use at most epsilon {:.4g}",
              epsilon, plan.config.delta, largest_epsilon(plan.config, error));
}

TrainingPlan with_group_bounds(TrainingPlan plan, const std::vector<double>& bounds, double unit,
                               const std::vector<double>& residual_noise) {
  const TrainingFacts& facts = plan.facts;
  const double of_unit = plan.noise_multiplier;
  const double largest = *std::ranges::max_element(bounds);
  plan.noise_multiplier = of_unit * unit / largest;
  set_grid(largest, plan);
  // The sensitivity that rounding adds.
  const double error = plan.grid * facts.sum_error;
  const Event steps = plan.items[0].event;
  const Event sampler_error = plan.items[1].event;
  std::vector<Event> events;
  plan.noise_stddev = 0;
  set_residual_noise(residual_noise.empty() ? 0 : *std::ranges::min_element(residual_noise), plan);
  for (size_t k = 0; k < bounds.size(); ++k) {
    const double bound = bounds[k];
    // Rounded down, so that no event claims more noise than there is.
    const double noise_multiplier =
        std::clamp(of_unit * ((unit + error) / (bound + error)) * (1 - 1e-15),
                   kSmallestNoiseMultiplier, kLargestNoiseMultiplier);
    const Event noise = Event::gaussian(noise_multiplier);
    const Event batch = Event::poisson_sampled(plan.sample_rate, {noise});
    std::vector<Event> of_group = {Event::repeat(steps.count(), batch), sampler_error};
    if (!residual_noise.empty()) {
      of_group.push_back(residual_part(Event::gaussian(std::clamp(
          residual_noise[k] * (1 - 1e-15), kSmallestNoiseMultiplier, kLargestNoiseMultiplier))));
    }
    events.push_back(Event::composed(std::move(of_group)));
    plan.noise_stddev = std::max(plan.noise_stddev, noise_multiplier * (bound + error));
  }
  plan.items = {{"noisy gradient sums",
                 Event::parallel(facts.groups.partition, facts.groups.names, std::move(events))}};
  plan.group_bounds = bounds;
  const std::string where = fmt::format("train.{}", plan.method);
  check_noise_on_grid(where, plan);
  settle_guarantee(where, plan);
  return plan;
}

void check_exact_sums(std::string_view where, const TrainingFacts& facts) {
  if (static_cast<double>(facts.num_records) * facts.max_exact_units < 0x1p61) return;
  throw Error(ErrorKind::kUsage, where,
              "exact sums of {} records do not fit in 64 bits; this kind of model takes "
              "fewer than {:.0f} records; train on fewer records, or train a linear model",
              facts.num_records, 0x1p61 / facts.max_exact_units);
}

std::optional<Guarantee> told_by_rdp(Relation relation, const std::vector<Event>& events,
                                     Delta delta) {
  try {
    return Guarantee{rdp_epsilon(relation, events, delta), delta, AccountantName::kRdp, relation};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return std::nullopt;
  }
}

double multiplier_of_all_steps(const TrainingConfig& config, const TrainingFacts& facts,
                               double noise_multiplier) {
  const double sample_rate = config.batch_size / static_cast<double>(facts.num_records);
  return 1 / (sample_rate * std::sqrt(static_cast<double>(config.num_steps) *
                                      std::expm1(std::pow(noise_multiplier, -2))));
}

TrainingPlan plan_noisy_gradients(std::string_view method, const TrainingConfig& config,
                                  const TrainingFacts& facts, const SideRelease& beside,
                                  const FullRelease& full, const FullRelease& between,
                                  const FullRelease& residuals) {
  const std::string where = fmt::format("train.{}", method);
  check_training_config(where, config, facts);
  check_noise_choice(where, config);
  check_exact_sums(where, facts);
  TrainingPlan plan{std::string(method), config, facts};
  plan.sample_rate = config.batch_size / static_cast<double>(facts.num_records);
  const auto num_draws = static_cast<double>(facts.num_parameters + beside.size);
  const auto draws_per_step =
      num_draws * kGaussianDrawError + (static_cast<double>(facts.num_records) + 1) * kSkipError;
  // A discrete Gaussian is drawn exactly; counting its error anyway is conservative.
  const double other_draws =
      static_cast<double>((full.event ? full.size : 0) + (between.event ? between.size : 0)) *
      kGaussianDrawError;
  const Event sampler_error = Event::sampler_error(
      round_up(static_cast<double>(config.num_steps) * draws_per_step + other_draws, 1e-12));
  if (beside.size > 0 && beside.noise_multiplier) {
    check_interval(where, fmt::format("{}_noise_multiplier", beside.name), *beside.noise_multiplier,
                   kSmallestNoiseMultiplier, largest_side_noise(beside.noise));
  }
  ResidualItem residual(residuals);
  const auto events = [&](double noise_multiplier) {
    std::vector<Event> batch = {Event::gaussian(noise_multiplier)};
    if (beside.size > 0) {
      const double scale = scale_of(beside, noise_multiplier);
      batch.push_back(beside.noise == Event::Kind::kLaplace ? Event::laplace(scale)
                                                            : Event::gaussian(scale));
    }
    std::vector<Event> all = {
        Event::repeat(config.num_steps, Event::poisson_sampled(plan.sample_rate, std::move(batch))),
        sampler_error};
    if (between.event) all.push_back(between.event(noise_multiplier));
    if (full.event) all.push_back(full.event(noise_multiplier));
    residual.add_to(all, noise_multiplier);
    return all;
  };
  try {
    plan.noise_multiplier = residual.calibrate(config, events);
  } catch (const Error& error) {
    if (beside.size == 0) throw;
    if (!beside.noise_multiplier) {
      throw Error(
          error.kind(), where,
          fmt::format("{}; the {}s, whose noise can be at most {:.0f}, may be what costs too much",
                      error.what(), beside.name, largest_side_noise(beside.noise)));
    }
    throw Error(
        error.kind(), where,
        fmt::format(
            "{}; the {}s cost part of the budget, so a larger {}_noise_multiplier than {} may help",
            error.what(), beside.name, beside.name, *beside.noise_multiplier));
  }
  if (beside.size > 0) {
    plan.side_noise_multiplier = scale_of(beside, plan.noise_multiplier);
    plan.side_noise_stddev = plan.side_noise_multiplier * stddev_per_scale(beside);
  }
  const std::vector<Event> planned = events(plan.noise_multiplier);
  plan.items = {{beside.size > 0 ? fmt::format("noisy gradient sums and {}s", beside.name)
                                 : "noisy gradient sums",
                 planned[0]},
                {"sampler error", planned[1]}};
  if (between.event) plan.items.push_back({between.label, planned[2]});
  if (full.event) {
    const Event& event = planned[plan.items.size()];
    plan.items.push_back({full.label, event});
    plan.full_noise_multiplier =
        event.kind() == Event::Kind::kGaussian ? event.noise_multiplier() : event.noise_stddev();
    plan.settings.emplace_back(full.setting, plan.full_noise_multiplier);
  }
  residual.add_to(plan);
  settle_guarantee(where, plan);
  set_grid(config.max_grad_norm, plan);
  plan.noise_stddev = plan.noise_multiplier * (plan.bound + plan.grid * facts.sum_error);
  check_noise_on_grid(where, plan);
  return plan;
}

}  // namespace equinoise
