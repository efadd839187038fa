// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/loop.h"

#include <cmath>
#include <utility>

#include "equinoise/base/counted_records.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/mechanisms/laplace_sum.h"
#include "equinoise/train/batch_sum.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/prediction_term.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

/// Counts and sums of terms are released on this grid, far below their noise.
constexpr int kCountBits = PredictionTerm::kUnitBits;

/// The result at the end of a run.
TrainedModel result_of(Iterates iterates, const ClipPolicy& clip, double side_noise_stddev) {
  TrainedModel trained{std::move(iterates).average()};
  if (const PredictionTerm* term = clip.term(); term != nullptr)
    trained.constraints = term->traces(side_noise_stddev);
  return trained;
}

/// Sums in units of 2^-kCountBits, with Laplace or Gaussian noise as the permit says. Each record
/// moves them by at most 1, in the norm (L1 or L2) of that noise.
std::vector<double> noisy_sums(Permit permit, std::vector<int64_t> units, RandomSource& source) {
  constexpr double kOne = int64_t{1} << kCountBits;
  if (permit.event().kind() == Event::Kind::kLaplace) {
    add_laplace_noise(std::move(permit), Sensitivity(kOne, Norm::kL1, Relation::kZeroOut), units,
                      source);
  } else {
    add_gaussian_noise(std::move(permit), Sensitivity(kOne, Norm::kL2, Relation::kZeroOut), units,
                       source);
  }
  std::vector<double> noisy(units.begin(), units.end());
  for (double& count : noisy) count /= kOne;
  return noisy;
}

/// Each record raises at most one count by 1.
std::vector<double> noisy_counts(Permit permit, std::span<const int64_t> counts,
                                 RandomSource& source) {
  std::vector<int64_t> units(counts.begin(), counts.end());
  for (int64_t& unit : units) unit <<= kCountBits;
  return noisy_sums(std::move(permit), std::move(units), source);
}

/// Adds noise to a gradient sum, in units of `grid`. The permits hold one payment for all records,
/// or one per group.
void add_noise(std::span<BatchPermit> permits, const ClipPolicy& clip, double sum_error,
               double grid, std::span<int64_t> sum, RandomSource& source) {
  std::vector<Permit> draws;
  for (BatchPermit& permit : permits) draws.push_back(permit.take(0));
  std::vector<Sensitivity> sensitivities;
  // The grid is a power of two, so the quotient is exact.
  const auto add_sensitivity = [&](double bound) {
    sensitivities.emplace_back(add_up(bound, sum_error) / grid, Norm::kL2, Relation::kZeroOut);
  };
  if (permits.size() == 1) {
    add_sensitivity(clip.bound());
  } else {
    for (const double bound : clip.group_bounds()) add_sensitivity(bound);
  }
  add_shared_gaussian_noise(std::move(draws), sensitivities, sum, source);
}

/// run_plain_loop without the check that the sum is not one of units.
TrainedModel take_plain_steps(TrainingRun training, ClipPolicy& clip, const PlainSum& sum_of) {
  if (training.plan.privacy || !training.plan.items.empty()) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "a plan with a guarantee cannot be run by a loop that gives none");
  }
  check_table("train.loop", training.table, training.model);
  if (training.start.num_steps_done > 0) clip.restore(training.start.clip);
  Iterates descent(training.plan, std::move(training.start));
  RowBatches batches(training.table);
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    training.source.start_step(static_cast<uint64_t>(step));
    const std::span<const uint32_t> batch =
        batches.draw_freely(training.plan.sample_rate, training.source);
    const std::vector<double>& parameters = descent.state().parameters;
    const std::span<const double> sum = sum_of(batch, parameters);
    training.observer.on_batch({step, {batch}, parameters, clip, {}, 0});
    descent.update(sum, 1.0);
    descent.keep_clip(clip.state());
    training.observer.on_step({step, training.plan.config.num_steps, descent.state()});
  }
  return result_of(std::move(descent), clip, training.plan.side_noise_stddev);
}

}  // namespace

void step_to(std::vector<double> parameters, TrainingRun& training) {
  TrainingState& state = training.start;
  state.parameters = std::move(parameters);
  state.average = state.parameters;
  ++state.num_steps_done;
  training.observer.on_step({state.num_steps_done - 1, training.plan.config.num_steps, state});
}

TrainedModel run_noisy_loop(TrainingRun training, ClipPolicy& clip, const BeforeStep& before_step) {
  check_run("train.loop", training.table, training.model, training.plan, training.charge,
            UnitRowsUse::kSummed);
  if (clip.num_groups() > 0 && clip.num_groups() != training.plan.facts.num_groups)
    throw Error(ErrorKind::kRuntime, "train.loop",
                "the clip policy and the plan have different groups");
  if (training.start.num_steps_done > 0) clip.restore(training.start.clip);
  const std::unique_ptr<BatchSum<int64_t>> sums =
      make_batch_sum<int64_t>(training.table, training.model, clip, training.plan.config.threads);
  Iterates descent(training.plan, std::move(training.start), training.model.step_scales());
  RowBatches batches(training.table);
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    const std::vector<double>& parameters = descent.state().parameters;
    if (before_step) before_step(step, parameters, training.charge);
    training.source.start_step(static_cast<uint64_t>(step));
    std::vector<BatchPermit> permits = training.charge.next_batches(0);
    const CountedRecords batch = batches.draw(permits, training.source);
    if (PredictionTerm* term = clip.term(); term != nullptr) {
      const std::span<const int64_t> of_term = sums->count(batch, parameters);
      term->take_sums(
          noisy_sums(permits[0].take(1), {of_term.begin(), of_term.end()}, training.source));
    } else if (clip.counts_come_first()) {
      clip.take_counts(
          noisy_counts(permits[0].take(1), sums->count(batch, parameters), training.source));
    }
    const double bound = clip.bound();
    const double grid = training.plan.grid_for(bound);
    const std::span<int64_t> sum = sums->compute(batch, parameters, grid);
    training.observer.on_batch({step, batch, parameters, clip, sum, grid, sums->num_cut()});
    add_noise(permits, clip, training.model.sum_error(grid), grid, sum, training.source);
    descent.update(std::span<const int64_t>(sum), grid);
    if (clip.num_counts() > 0 && !clip.counts_come_first()) {
      clip.take_counts(noisy_counts(permits[0].take(1), sums->counts(), training.source));
    }
    descent.keep_clip(clip.state());
    // Before the observer sees the last state: a run resumed from it has nothing left to draw.
    if (descent.done() && training.plan.residual_noise_multiplier > 0)
      descent.keep_average(without_mean_residual(training, clip.num_groups(), clip.group_weights(),
                                                 descent.state().average));
    training.observer.on_step({step, training.plan.config.num_steps, descent.state(), false,
                               step >= training.plan.num_first_steps});
  }
  return result_of(std::move(descent), clip, training.plan.side_noise_stddev);
}

TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip) {
  const Model& model = training.model;
  const std::unique_ptr<BatchSum<double>> sums =
      make_batch_sum<double>(training.table, model, clip, training.plan.config.threads);
  const auto sum_of = [&](std::span<const uint32_t> batch, std::span<const double> parameters) {
    if (PredictionTerm* term = clip.term(); term != nullptr) {
      const std::span<const int64_t> units = sums->count({batch}, parameters);
      std::vector<double> of_term(units.begin(), units.end());
      for (double& sum : of_term) sum = std::ldexp(sum, -kCountBits);
      term->take_sums(of_term);
    }
    const std::span<double> sum = sums->compute({batch}, parameters, 0);
    const std::span<const double> scales = model.step_scales();
    for (size_t j = 0; j < scales.size(); ++j) sum[j] *= scales[j];
    return sum;
  };
  return take_plain_steps(std::move(training), clip, sum_of);
}

TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip, const PlainSum& sum_of) {
  require_rows("train.loop", training.table);
  return take_plain_steps(std::move(training), clip, sum_of);
}

}  // namespace equinoise
