// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/residual_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/train/regression/centred_record.h"
#include "equinoise/train/regression/shrunk_slopes.h"
#include "equinoise/train/round_sum.h"

namespace equinoise {

namespace {

constexpr double kEnoughNoise = 0.005;
constexpr double kMaxResidualShare = 0.05;
constexpr double kMaxResidualNoise = 0.2;

double residual_share_of(const TrainingConfig& config) {
  return config.own.of<ResidualOptions>().residual_share.value_or(kMaxResidualShare);
}

bool chooses_residual_share(const TrainingConfig& config) {
  return config.own.of<ResidualOptions>().residual_share.has_value();
}

/// The noise multiplier for noise of `part` of the target's spread on a mean over `size`.
double multiplier_for_noise(const TargetScale& target, double part, double size) {
  return part * target.spread * size / target.width();
}

/// The residual of a row divided by the width of the bounds; NaN if it has none.
double residual_of(const EncodedTable& table, size_t row, double prediction,
                   const TargetScale& target) {
  const auto value = static_cast<double>(table.targets[row]);
  if (!std::isfinite(value) || !std::isfinite(prediction))
    return std::numeric_limits<double>::quiet_NaN();
  return (std::clamp(value, target.lower, target.upper) -
          std::clamp(prediction, target.lower, target.upper)) /
         target.width();
}

}  // namespace

const TrainingOptions& residual_options() {
  static const TrainingOptions options = {
      {{.name = "residual_share",
        .help = "Share of the budget for the mean residual that corrects the intercept; 0: none",
        .range = between(0, 0.9),
        .derived = fmt::format(
            "as much as makes its noise {:g} of the target's spread, at most {:g}; 0 of classes, "
            "or where its noise would be above {:g} of the spread",
            kEnoughNoise, kMaxResidualShare, kMaxResidualNoise),
        .section = "Regression"},
       kOwnTrainingField<&ResidualOptions::residual_share>}};
  return options;
}

void check_residual_share(std::string_view where, const TrainingConfig& config,
                          const TrainingFacts& facts) {
  if (!chooses_residual_share(config) || std::isfinite(facts.target.width())) return;
  throw Error(ErrorKind::kUsage, where,
              "residual_share is of targets that are numbers; leave out --residual-share");
}

std::vector<double> residual_sizes(const TrainingFacts& facts, std::span<const double> weights,
                                   bool has_model_per_group) {
  const auto num_records = static_cast<double>(facts.num_records);
  const std::vector<std::optional<double>>& shares = facts.groups.shares;
  std::vector<double> of_parts;
  if (has_model_per_group) {
    for (const std::optional<double>& share : shares)
      of_parts.push_back(share.value_or(0) * num_records);
    return of_parts;
  }
  if (weights.empty()) return {num_records};
  const double largest = *std::ranges::max_element(weights);
  if (*std::ranges::min_element(weights) == largest) return {num_records};
  if (shares.size() != weights.size()) return {0};
  double size = 0;
  for (size_t k = 0; k < weights.size(); ++k) {
    if (!shares[k]) return {0};
    size += weights[k] / largest * *shares[k] * num_records;
  }
  return {size};
}

FullRelease residual_release(const TrainingConfig& config, const TrainingFacts& facts,
                             const std::vector<double>& sizes) {
  const TargetScale& target = facts.target;
  const double share = residual_share_of(config);
  const double largest = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
  if (!std::isfinite(target.width()) || !(largest > 0) || share == 0) return {};
  double smallest = largest;
  for (const double size : sizes)
    if (size > 0) smallest = std::min(smallest, size);
  FullRelease release;
  release.label = "noisy mean of residuals, which the intercept takes up";
  release.size = sizes.size();
  release.event = [config, facts, share, smallest](double noise_multiplier) {
    // Precisions of Gaussians add up.
    const double least =
        multiplier_of_all_steps(config, facts, noise_multiplier) * std::sqrt((1 - share) / share);
    const double enough = chooses_residual_share(config)
                              ? 0
                              : multiplier_for_noise(facts.target, kEnoughNoise, smallest);
    return Event::gaussian(std::clamp(std::max(enough, least), 0.01, 1e6));
  };
  if (!chooses_residual_share(config))
    release.largest_noise_multiplier = multiplier_for_noise(target, kMaxResidualNoise, largest);
  return release;
}

FullRelease residual_release(const TrainingConfig& config, const TrainingFacts& facts) {
  return residual_release(config, facts, residual_sizes(facts, {}, false));
}

Event residual_part(Event noise, size_t num_draws) {
  return Event::composed({std::move(noise), gaussian_error(static_cast<double>(num_draws))});
}

void set_residual_noise(double noise_multiplier, TrainingPlan& plan) {
  constexpr const char* kSetting = "residual_noise_multiplier";
  plan.residual_noise_multiplier = noise_multiplier;
  std::erase_if(plan.settings, [](const auto& setting) { return setting.first == kSetting; });
  if (noise_multiplier > 0) plan.settings.emplace_back(kSetting, noise_multiplier);
}

double ResidualItem::noise_multiplier(double of_steps) const {
  return is_released_ ? release_.event(of_steps).noise_multiplier() : 0;
}

void ResidualItem::add_to(std::vector<Event>& events, double noise_multiplier) const {
  if (is_released_)
    events.push_back(residual_part(release_.event(noise_multiplier), release_.size));
}

double ResidualItem::calibrate(const TrainingConfig& config,
                               const std::function<std::vector<Event>(double)>& events) {
  const double of_steps = choose_noise_multiplier(config, events);
  if (noise_multiplier(of_steps) <= release_.largest_noise_multiplier) return of_steps;
  is_released_ = false;
  return choose_noise_multiplier(config, events);
}

void ResidualItem::add_to(TrainingPlan& plan) const {
  if (!is_released_) return;
  std::vector<Event> events;
  add_to(events, plan.noise_multiplier);
  plan.items.push_back({release_.label, std::move(events[0])});
  set_residual_noise(noise_multiplier(plan.noise_multiplier), plan);
}

std::vector<int64_t> residual_sums(const EncodedTable& table, const TargetScale& target,
                                   std::span<const double> predictions, const ResidualParts& parts,
                                   double grid) {
  std::vector<int64_t> units(parts.num_parts, 0);
  std::vector<double> of_unit(parts.num_parts);
  const std::vector<uint32_t>& rows = table.unit_begin;
  const auto num_units =
      rows.empty() ? static_cast<size_t>(table.num_records) : rows.size() - 1;  // or counted rows
  for (size_t unit = 0; unit < num_units; ++unit) {
    std::ranges::fill(of_unit, 0.0);
    std::optional<size_t> first_group;
    int64_t num_rows = 0;
    for (size_t row = rows.empty() ? unit : rows[unit];
         row < (rows.empty() ? unit + 1 : rows[unit + 1]); ++row) {
      if (table.contributes[row] == 0) continue;
      const size_t group = parts.num_groups > 0 ? index_of(table.groups[row]) : 0;
      if (!first_group) first_group = group;
      const double residual = residual_of(table, row, predictions[row], target);
      if (!std::isfinite(residual) || (parts.num_groups > 0 && group >= parts.num_groups)) continue;
      ++num_rows;
      of_unit[parts.num_parts > 1 ? group : 0] += residual;
    }
    const bool is_of_no_group =
        parts.num_parts == 1 && parts.num_groups > 0 && first_group.value_or(0) >= parts.num_groups;
    if (num_rows == 0 || is_of_no_group) continue;
    const double share = parts.shares.empty() ? 1 : parts.shares[*first_group];
    for (size_t part = 0; part < of_unit.size(); ++part) {
      const double mean = of_unit[part] / static_cast<double>(num_rows);
      units[part] += table.count_of(unit) * cut_towards_zero(share * mean / grid);
    }
  }
  return units;
}

double residual_sensitivity(double share, double grid) {
  return share * (1 + kProductRounding) / grid;
}

std::vector<double> without_mean_residual(TrainingRun& training, size_t num_groups,
                                          std::span<const double> weights,
                                          std::vector<double> parameters) {
  const TrainingPlan& plan = training.plan;
  const TargetScale& target = plan.facts.target;
  const auto* grouped = dynamic_cast<const PerGroupModel*>(&training.model);
  ResidualParts parts;
  parts.num_parts = grouped != nullptr ? grouped->num_groups() : 1;
  parts.num_groups = grouped != nullptr ? parts.num_parts : num_groups;
  const double largest = weights.empty() ? 1 : *std::ranges::max_element(weights);
  for (const double weight : weights) parts.shares.push_back(std::min(weight / largest, 1.0));
  const double noise = plan.residual_noise_multiplier;
  const double grid = grid_of_sum(1, noise, plan.facts.num_records);
  const std::vector<double> predictions =
      training.model.predict(training.table, parameters, plan.config.threads).outputs;
  std::vector<int64_t> units = residual_sums(training.table, target, predictions, parts, grid);

  std::vector<Permit> permits;
  // The mean of residuals is the last item of each group if groups pay separately.
  const size_t item = plan.group_bounds.empty()
                          ? plan.items.size() - 1
                          : plan.items[0].event.events()[0].events().size() - 1;
  for (Charge& part : training.charge.take_parts(item)) permits.push_back(part.take(0));
  std::vector<Sensitivity> sensitivities;
  for (size_t k = 0; k < permits.size(); ++k) {
    const double share = permits.size() > 1 ? parts.shares[k] : 1;
    sensitivities.emplace_back(residual_sensitivity(share, grid), Norm::kL2, Relation::kZeroOut);
  }
  // A stream that no step and no other single draw uses.
  training.source.start_step(static_cast<uint64_t>(plan.config.num_steps) + 3);
  add_shared_gaussian_noise(std::move(permits), sensitivities, units, training.source);

  const std::vector<double> sizes = residual_sizes(plan.facts, weights, grouped != nullptr);
  const size_t of_part = parameters.size() / parts.num_parts;
  for (size_t part = 0; part < parts.num_parts; ++part) {
    if (!(sizes[part] > 0)) continue;
    const double unit = target.width() / sizes[part];
    if (!chooses_residual_share(plan.config) && noise * unit > kMaxResidualNoise * target.spread)
      continue;
    const double mean = static_cast<double>(units[part]) * grid * unit;
    parameters[(part + 1) * of_part - 1] +=
        std::clamp(shrunk_number(mean, noise * unit), -target.width(), target.width());
  }
  return parameters;
}

}  // namespace equinoise
