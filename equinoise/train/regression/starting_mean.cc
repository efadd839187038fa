// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/starting_mean.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/train/regression/moments.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/regression/shrunk_regression.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.starting_mean";

// Chosen on three tables cut to 400 to 4,000 records, with bounds as declared and four times as
// wide (bench/zoo/regression.py).
constexpr double kPartOfSpread = 0.02;
constexpr double kMaxOfBudget = 0.2;

/// A table with one record for each unit, whose target is the mean of its contributing rows'
/// targets. It is as close to the middle as the target of a single row must be.
EncodedTable means_of_units(const EncodedTable& table, double reach, double middle) {
  EncodedTable targets;
  targets.num_records = table.num_units();
  const auto add = [&](float target, bool contributes) {
    targets.targets.push_back(target);
    targets.contributes.push_back(contributes ? 1 : 0);
  };
  for (size_t unit = 0; unit + 1 < table.unit_begin.size(); ++unit) {
    double sum = 0;
    int64_t num_rows = 0;
    for (size_t row = table.unit_begin[unit]; row < table.unit_begin[unit + 1]; ++row) {
      const auto target = static_cast<double>(table.targets[row]);
      if (table.contributes[row] == 0 || !std::isfinite(target)) continue;
      sum += std::clamp(target, middle - reach, middle + reach);
      ++num_rows;
    }
    add(num_rows > 0 ? static_cast<float>(sum / static_cast<double>(num_rows)) : 0, num_rows > 0);
  }
  return targets;
}

}  // namespace

bool needs_mean(const TrainingFacts& facts) {
  return facts.model == "linear" && !facts.target.has_mean;
}

double noise_of_mean(const TrainingFacts& facts, double later_noise_multiplier) {
  const double enough = kPartOfSpread * facts.target.spread *
                        static_cast<double>(facts.num_records) / facts.target.reach();
  // Precisions of Gaussians add up.
  const double least = later_noise_multiplier * std::sqrt((1 - kMaxOfBudget) / kMaxOfBudget);
  return std::clamp(std::max(enough, least), 0.01, 1e6);
}

FullRelease starting_mean_release(const TrainingConfig& config, const TrainingFacts& facts) {
  if (!needs_mean(facts)) return {};
  return {"noisy mean of the target, from which training starts", "start_noise_multiplier",
          [config, facts](double noise_multiplier) {
            return Event::gaussian(
                noise_of_mean(facts, multiplier_of_all_steps(config, facts, noise_multiplier)));
          }};
}

TrainingPlan plan_with_means(std::string_view method, const TrainingConfig& config,
                             const TrainingFacts& facts, const SideRelease& beside,
                             const FullRelease& between) {
  return plan_noisy_gradients(method, config, facts, beside, starting_mean_release(config, facts),
                              between, residual_release(config, facts));
}

void start_at_mean(TrainingRun& training) {
  if (training.plan.full_noise_multiplier > 0 && training.start.num_steps_done == 0)
    training.start.parameters.back() = release_mean(training);
}

double release_mean(TrainingRun& training) {
  const TrainingPlan& plan = training.plan;
  check_run(kWhere, training.table, training.model, plan, training.charge, UnitRowsUse::kSummed);
  const TargetScale& target = plan.facts.target;
  const double noise = plan.full_noise_multiplier;
  const MomentShares mean_alone;
  const MomentSums sums({.target = target.reach(), .center = target.middle}, mean_alone,
                        grid_of_sum(1, noise, plan.facts.num_records));
  std::vector<int64_t> units =
      training.table.unit_begin.empty()
          ? sums.sum_up(training.table, plan.config.threads)
          : sums.sum_up(means_of_units(training.table, target.reach(), target.middle),
                        plan.config.threads);
  // A stream that neither a step nor a private evaluation uses, which has the one before.
  training.source.start_step(static_cast<uint64_t>(plan.config.num_steps) + 1);
  const size_t num_behind = plan.residual_noise_multiplier > 0 ? 2 : 1;
  Permit permit = training.charge.take(plan.items.size() - num_behind);
  if (permit.event() != Event::gaussian(noise))
    throw Error(ErrorKind::kRuntime, kWhere, "the plan has no mean in this place");
  add_gaussian_noise(std::move(permit),
                     Sensitivity(sums.sensitivity(), Norm::kL2, Relation::kZeroOut), units,
                     training.source);
  const Moments moments = sums.read(units, 0, noise * sums.sensitivity());
  return target.middle +
         shrunk_regression(moments, static_cast<double>(plan.facts.num_records), target.reach())
             .intercept;
}

}  // namespace equinoise
