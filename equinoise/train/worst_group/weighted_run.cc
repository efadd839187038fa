// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/weighted_run.h"

#include <algorithm>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

/// The state of the path, which follows the weights.
std::span<const double> kept_of_path(const TrainingState& state, size_t num_groups) {
  if (state.num_steps_done == 0) return {};
  if (state.clip.size() <= num_groups)
    throw Error(ErrorKind::kRuntime, kWhere, "the state does not belong to this plan");
  return std::span(state.clip).subspan(num_groups);
}

}  // namespace

WeightedRun::WeightedRun(TrainingRun& training)
    : training_(training),
      lambda_(training.plan.facts.num_groups,
              1 / static_cast<double>(training.plan.facts.num_groups)),
      path_(lambda_.size(), training.plan.config.num_steps,
            kept_of_path(training.start, lambda_.size())),
      iterates_(training.plan, training.start, {}, kNoRadius,
                training.plan.config.own.of<WorstGroupOptions>().radius.value_or(kNoRadius)) {
  check_run(kWhere, training.table, training.model, training.plan, training.charge);
  if (training.start.num_steps_done > 0)
    std::copy_n(training.start.clip.begin(), lambda_.size(), lambda_.begin());
}

size_t WeightedRun::max_kept(const TrainingPlan& plan) {
  return plan.facts.num_groups + GroupPath::max_kept(plan.facts.num_groups);
}

void WeightedRun::update(std::span<const int64_t> units, double scale,
                         std::span<const double> weights, std::span<const double> losses) {
  // Iterates divide by the batch size.
  const int64_t step = this->step();
  const TrainingPlan& plan = training_.plan;
  iterates_.update(units, scale * plan.config.batch_size);
  path_.add(weights, losses);
  std::vector<double> kept = lambda_;
  const std::vector<double> path = path_.state();
  append(kept, path);
  iterates_.keep_clip(std::move(kept));
  if (done() && plan.residual_noise_multiplier > 0) {
    iterates_.keep_average(without_mean_residual(training_, lambda_.size(), record_weights(),
                                                 iterates_.state().average));
  }
  training_.observer.on_step({step, plan.config.num_steps, iterates_.state()});
}

std::vector<double> WeightedRun::record_weights() const {
  const TrainingFacts& facts = training_.plan.facts;
  const int64_t first = first_averaged_step(training_.plan.config);
  const std::vector<GroupPathPoint>& points = path_.points();
  const std::vector<int64_t> sizes = expected_sizes(kWhere, facts.groups, facts.num_records);
  std::vector<double> weights(lambda_.size(), 0.0);
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].step <= first && i + 1 < points.size()) continue;
    for (size_t k = 0; k < weights.size(); ++k)
      weights[k] += points[i].weights[k] / static_cast<double>(sizes[k]);
  }
  return weights;
}

TrainedModel WeightedRun::result() && {
  TrainedModel trained{std::move(iterates_).average()};
  trained.group_path = path_.points();
  return trained;
}

}  // namespace equinoise
