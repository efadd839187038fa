// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/weighted_run.h"

#include <algorithm>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

/// What the path kept, behind the weights.
std::span<const double> kept_of_path(const TrainingState& state, size_t num_groups) {
  if (state.num_steps_done == 0) return {};
  if (state.clip.size() <= num_groups)
    throw Error(ErrorKind::kRuntime, kWhere, "the state does not belong to this plan");
  return std::span(state.clip).subspan(num_groups);
}

}  // namespace

WeightedRun::WeightedRun(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                         const Charge& charge, TrainingState start)
    : plan_(plan),
      lambda_(plan.facts.num_groups, 1 / static_cast<double>(plan.facts.num_groups)),
      path_(plan.facts.num_groups, plan.config.num_steps,
            kept_of_path(start, plan.facts.num_groups)),
      iterates_(plan, start, {}, kNoRadius,
                plan.config.own.of<WorstGroupOptions>().radius.value_or(kNoRadius)) {
  check_run(kWhere, table, model, plan, charge);
  if (start.num_steps_done > 0) std::copy_n(start.clip.begin(), lambda_.size(), lambda_.begin());
}

size_t WeightedRun::most_kept(const TrainingPlan& plan) {
  return plan.facts.num_groups + GroupPath::most_kept(plan.facts.num_groups);
}

void WeightedRun::update(std::span<const int64_t> units, double scale,
                         std::span<const double> weights, std::span<const double> losses,
                         StepObserver& observer) {
  // Iterates divide by the batch size.
  const int64_t step = this->step();
  iterates_.update(units, scale * plan_.config.batch_size);
  path_.add(weights, losses);
  std::vector<double> kept = lambda_;
  const std::vector<double> path = path_.state();
  kept.insert(kept.end(), path.begin(), path.end());
  iterates_.keep_clip(std::move(kept));
  observer.on_step({step, plan_.config.num_steps, iterates_.state()});
}

TrainedModel WeightedRun::result() && {
  TrainedModel trained{std::move(iterates_).average()};
  trained.group_path = path_.points();
  return trained;
}

}  // namespace equinoise
