// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/quiet_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "equinoise/train/methods/options.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

namespace {

/// The number truncated to its first two digits.
double two_digits_of(double number) {
  const double exponent = std::floor(std::log10(number)) - 1;
  const double digits = std::floor(number / std::pow(10, exponent));
  return exponent < 0 ? digits / std::pow(10, -exponent) : digits * std::pow(10, exponent);
}

/// A configuration with the groups that it trains.
struct Choice {
  TrainingConfig config;
  TrainingFacts facts;
  std::optional<Grouping> pooled = {};
};

/// The choice that trains these groups. Groups that the schema declares empty are left out, because
/// nothing can be learnt about them.
Choice trained_on(Grouping trained, const Grouping& groups, const Schema& schema, Choice choice) {
  trained = without_empty_groups(std::move(trained));
  choice.facts.num_groups = trained.groups.size();
  choice.facts.groups = public_groups_of(trained, schema.num_records);
  if (trained.groups != groups.groups) choice.pooled = std::move(trained);
  return choice;
}

/// The choice with groups below `size` pooled.
Choice pooled_below(double size, const GroupFloor& floor, const Grouping& groups,
                    const Schema& schema, Choice choice) {
  choice.config.own.of<WorstGroupOptions>().pool_below = size;
  return trained_on(list_groups(schema, groups.columns, pooled_floor(floor, size)), groups, schema,
                    std::move(choice));
}

/// The thresholds for pooling: the smallest two groups, three and so on, as long as another group
/// remains. Empty if a size is not declared.
std::vector<double> sizes_to_pool_below(const Grouping& groups) {
  std::vector<int64_t> sizes;
  for (const std::optional<int64_t>& size : groups.public_sizes) {
    if (!size) return {};
    if (*size > 0) sizes.push_back(*size);
  }
  std::ranges::sort(sizes);
  std::set<double> below;
  for (size_t i = 2; i < sizes.size(); ++i)
    if (sizes[i] > sizes[1]) below.insert(static_cast<double>(sizes[i]));
  return {below.begin(), below.end()};
}

/// The groups below the floor, by name.
std::string names_of_pooled(const Grouping& groups, double below) {
  constexpr size_t kMaxNamed = 5;
  const std::vector<std::string> all = group_names(groups);
  std::vector<std::string> names;
  for (size_t k = 0; k < all.size(); ++k)
    if (groups.public_sizes[k] > 0 && static_cast<double>(*groups.public_sizes[k]) < below)
      names.push_back(all[k]);
  const size_t num_named = std::min(names.size(), kMaxNamed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + num_named, "; "));
  if (names.size() > num_named) text += fmt::format("; and {} more", names.size() - num_named);
  return text;
}

/// The concessions of a method other than its learning rate, smallest first. `groups`: not null if
/// they may be pooled.
std::vector<Choice> choices_beside(const TrainingMethod& method, const Choice& usual,
                                   const Grouping* groups, const GroupFloor& floor,
                                   const Schema& schema) {
  std::vector<Choice> choices;
  for (TrainingConfig& config : method.quieter(usual.config))
    choices.push_back({std::move(config), usual.facts});
  if (groups == nullptr) return choices;
  for (const double size : sizes_to_pool_below(*groups))
    choices.push_back(pooled_below(size, floor, *groups, schema, usual));
  return choices;
}

/// A plan with the part of its learning rate that its noise allows.
struct Looked {
  TrainingPlan plan;
  std::optional<NoiseReach> reach = {};
  double factor = 1;
  bool pools = false;         ///< TrainingMethod::pools_small_groups
  bool is_calibrated = true;  ///< for this plan, which is then the same as one made without a look

  std::optional<double> part_of_rate() const {
    return reach ? std::optional(factor) : std::nullopt;
  }
  bool gives_up_enough() const {
    // The reach of noise on a network's scores is unknown. Accepted if its steps have no more noise
    // than those of a linear model at the least rate.
    if (pools && reach && !(plan.facts.row_norm > 0))
      return min_of_rate(plan) * reach->parameter_stddev <= reach->alike_stddev;
    return factor >= min_of_rate(plan) * alike_factor(reach, plan);
  }
};

/// The plan of a choice. Reuses the noise multiplier of another choice of the same run if the cost
/// stays within the request, because calibration is slow.
TrainingPlan plan_like(const TrainingMethod& method, const Choice& choice,
                       const TrainingPlan* calibrated) {
  TrainingConfig config = choice.config;
  const bool has_multiplier_of_its_own = !method.traits().is_stepwise ||
                                         method.traits().takes_full_batches ||
                                         !config.own.of<GroupCostOptions>().epsilons.empty();
  if (calibrated == nullptr || !config.epsilon || has_multiplier_of_its_own)
    return method.plan(config, choice.facts);
  config.noise_multiplier = calibrated->noise_multiplier;
  config.epsilon.reset();
  TrainingPlan plan = method.plan(config, choice.facts);
  if (!(plan.privacy->epsilon.value() <= *choice.config.epsilon))
    return method.plan(choice.config, choice.facts);
  plan.config.epsilon = choice.config.epsilon;
  plan.config.noise_multiplier.reset();
  return plan;
}

Looked look_at(const TrainingMethod& method, const Choice& choice,
               const TrainingPlan* calibrated = nullptr) {
  Looked looked{plan_like(method, choice, calibrated)};
  looked.pools = method.traits().pools_small_groups;
  looked.is_calibrated = calibrated == nullptr;
  looked.reach = method.noise_reach(looked.plan);
  looked.factor = quiet_factor(looked.reach, looked.plan);
  return looked;
}

SettledPlan as_looked(const TrainingMethod& method, const Choice& choice, Looked looked) {
  std::optional<std::string> warning = noise_warning(looked.reach, looked.plan);
  if (!looked.is_calibrated) looked.plan = method.plan(choice.config, choice.facts);
  const std::optional<double> part = looked.part_of_rate();
  return {std::move(looked.plan), std::move(warning), choice.pooled, part};
}

/// Lowers the rates of a plan whose noise allows no more than a part of them.
SettledPlan with_quiet_rates(const TrainingMethod& method, const Choice& choice, Looked usual) {
  if (usual.factor == 1) return as_looked(method, choice, std::move(usual));
  const TrainingConfig& config = choice.config;
  const double rate = two_digits_of(config.learning_rate * usual.factor);
  TrainingConfig slower = method.slower(config, choice.facts, rate / config.learning_rate);
  slower.learning_rate = rate;
  TrainingPlan settled = method.plan(slower, choice.facts);
  const std::optional<NoiseReach> after = method.noise_reach(settled);
  const double usual_noise = score_stddev(*usual.reach, usual.plan);
  // A method whose steps do not have this rate is unchanged.
  if (!after || !(score_stddev(*after, settled) < 0.99 * usual_noise))
    return as_looked(method, choice, std::move(usual));
  settled.notes.push_back(fmt::format(
      "the learning rate is {:g} instead of {:g}, at which noise would move scores by a "
      "standard deviation of up to {:.3g}; --learning-rate sets another",
      slower.learning_rate, config.learning_rate, usual_noise));
  std::optional<std::string> warning = noise_warning(after, settled);
  const double slowing = alike_factor(usual.reach, usual.plan) / usual.factor;
  const double hardly_learning = method.traits().uses_constraints ? kMaxSlowing : kHardlyLearning;
  if (!warning && usual.factor * hardly_learning < 1) {
    warning = fmt::format(
        "noise may keep this model from learning: at the usual learning rate it would move scores "
        "by a standard deviation of up to {:.3g}, and at {:g}, which is {:.0f} times lower, little "
        "may be learnt. To need less noise, use a larger epsilon, larger batches, or merge small "
        "groups",
        usual_noise, slower.learning_rate, config.learning_rate / slower.learning_rate);
  } else if (!warning && slowing > kMaxSlowing) {
    warning = fmt::format(
        "noise may keep this model from learning: at the usual learning rate it would move scores "
        "by a standard deviation of up to {:.3g}, and at {:g}, which is {:.0f} times lower than "
        "for dpsgd, groups may be worse off than with dpsgd. To need less noise, use a larger "
        "epsilon, larger batches, or merge small groups",
        usual_noise, slower.learning_rate, slowing);
  }
  return {std::move(settled), std::move(warning), choice.pooled, usual.part_of_rate()};
}

/// A plan without noise, at a rate at which steps do not diverge.
Looked with_stable_rate(const TrainingMethod& method, Choice& choice, Looked looked) {
  const double usual = choice.config.learning_rate;
  const double stable = stable_rate(choice.config, choice.facts);
  if (looked.plan.privacy || usual <= stable ||
      !has_option<TrainingConfig>(method.options(), "learning_rate"))
    return looked;
  choice.config.final_learning_rate *= stable / usual;
  choice.config.learning_rate = stable;
  looked = look_at(method, choice);
  looked.plan.notes.push_back(
      fmt::format("the learning rate is {:g} instead of {:g}, at which steps of a regression on so "
                  "many features may swing out; --learning-rate sets another",
                  stable, usual));
  return looked;
}

/// The first of the choices, each with less noise than the one before, that lets the rates be high
/// enough; or the last one.
std::pair<Choice, Looked> min_given_up(const TrainingMethod& method, std::vector<Choice> choices,
                                       const TrainingPlan& calibrated) {
  size_t low = 0;
  size_t high = choices.size() - 1;
  Looked at_high = look_at(method, choices[high], &calibrated);
  while (low < high) {
    const size_t middle = (low + high) / 2;
    Looked looked = look_at(method, choices[middle], &calibrated);
    if (looked.gives_up_enough()) {
      high = middle;
      at_high = std::move(looked);
    } else {
      low = middle + 1;
    }
  }
  return {std::move(choices[high]), std::move(at_high)};
}

/// The reason to refuse a plan at its lowest rates, if dpsgd would have almost none of its noise.
std::optional<std::string> why_ruinous(const TrainingMethod& method, const TrainingPlan& plan) {
  const std::optional<NoiseReach> reach = method.noise_reach(plan);
  if (!reach || !plan.privacy) return std::nullopt;
  const double found = score_stddev(*reach, plan);
  const double alike = alike_score_stddev(*reach, plan);
  if (!(found > kRuinousScoreNoise && alike > 0 && found > kMuchMoreNoise * alike))
    return std::nullopt;
  std::string text = fmt::format(
      "{}: noise would decide this model's predictions: even at a learning rate of {:g} it would "
      "move scores by a standard deviation of up to {:.3g}, above {:g}",
      plan.method, plan.config.learning_rate, found, kRuinousScoreNoise);
  if (!reach->cause.empty()) text += fmt::format(" (cause: {})", reach->cause);
  return fmt::format(
      "{}; with dpsgd it would be {:.3g}. Use dpsgd, or merge small groups; --learning-rate trains "
      "it all the same",
      text, alike);
}

}  // namespace

double stable_rate(const TrainingConfig& config, const TrainingFacts& facts) {
  if (facts.model != "linear" || !(facts.row_norm > 0) || config.optimizer.name == "adam")
    return std::numeric_limits<double>::infinity();
  const auto max_rows = static_cast<double>(facts.max_records_per_unit);
  return two_digits_of(1 / (facts.row_norm * facts.row_norm * max_rows));
}

GroupFloor pooled_floor(const GroupFloor& asked, double size) {
  const auto below = static_cast<int64_t>(std::ceil(size));
  const bool merges = asked.policy == SmallGroups::kMerge;
  return {merges ? std::max(asked.min_size, below) : below, SmallGroups::kMerge};
}

SettledPlan settle_plan(const TrainingMethod& method, const TrainingConfig& config,
                        const TrainingFacts& facts, const OpenChoices& open, const Grouping* groups,
                        const GroupFloor& floor, const Schema& schema) {
  Choice chosen{config, facts};
  const std::optional<double> below = config.own.of<WorstGroupOptions>().pool_below;
  const bool pools = method.traits().pools_small_groups && groups != nullptr;
  if (pools && below.value_or(0) > 0) {
    chosen = pooled_below(*below, floor, *groups, schema, std::move(chosen));
  } else if (method.traits().compares_groups && groups != nullptr) {
    chosen = trained_on(*groups, *groups, schema, std::move(chosen));
  }
  Looked looked = look_at(method, chosen);
  const bool chooses_clip = open.clip && !method.traits().clips_otherwise &&
                            !config.own.of<StrictBoundOptions>().strict_bound;
  if (chooses_clip) {
    const double clip = two_digits_of(quiet_clip(looked.reach, looked.plan));
    if (clip != chosen.config.max_grad_norm) {
      chosen.config.max_grad_norm = clip;
      looked = look_at(method, chosen, &looked.plan);
    }
  }
  SettledPlan settled;
  if (open.learning_rate) {
    looked = with_stable_rate(method, chosen, std::move(looked));
    if (!looked.gives_up_enough()) {
      std::vector<Choice> choices =
          choices_beside(method, chosen, pools && !below ? groups : nullptr, floor, schema);
      if (!choices.empty())
        std::tie(chosen, looked) = min_given_up(method, std::move(choices), looked.plan);
    }
    settled = with_quiet_rates(method, chosen, std::move(looked));
  } else {
    settled = as_looked(method, chosen, std::move(looked));
  }
  if (settled.warning && settled.plan.facts.model == "linear") {
    *settled.warning +=
        ". Of a linear regression --method sufficient_statistics (group_statistics of groups) "
        "shrinks what noise hides, so that a small budget gives the mean of the target";
  }
  const bool was_lowered = settled.plan.config.learning_rate < chosen.config.learning_rate;
  if (was_lowered) settled.refusal = why_ruinous(method, settled.plan);
  const double size = settled.plan.config.own.of<WorstGroupOptions>().pool_below.value_or(0);
  if (settled.pooled && size > 0) {
    settled.plan.notes.push_back(
        fmt::format("groups with fewer than {:g} records are trained as one ({}), and reported one "
                    "by one; --pool-below 0 trains them apart",
                    size, names_of_pooled(*groups, size)));
  }
  return settled;
}

}  // namespace equinoise
