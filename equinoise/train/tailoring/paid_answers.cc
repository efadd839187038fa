// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/paid_answers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/tailoring/noise_on_grid.h"
#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.tailoring";

[[noreturn]] void refuse(const char* problem) { throw Error(ErrorKind::kRuntime, kWhere, problem); }

}  // namespace

PaidAnswers::PaidAnswers(const AnsweredRecords& records, const AnswerBounds& bounds,
                         double gradient_grid, RandomSource& source)
    : records_(records),
      bounds_(bounds),
      gradient_grid_(gradient_grid),
      source_(source),
      batches_(records.table),
      gradient_units_(records.group_sizes.size() * records.model.num_parameters()) {}

PaidGroupAnswers::PaidGroupAnswers(const AnsweredRecords& records, const AnswerBounds& bounds,
                                   double gradient_grid, RandomSource& source)
    : PaidAnswers(records, bounds, gradient_grid, source) {
  require_groups(kWhere, records.table);
}

void PaidGroupAnswers::begin_step(std::vector<BatchPermit> permits,
                                  std::span<const double> parameters, std::span<const double> rho) {
  if (rho.size() != records_.group_sizes.size()) refuse("every group must have a cost");
  if (permits.size() != records_.group_sizes.size()) refuse("every group must pay for a step");
  permits_ = std::move(permits);
  parameters_.assign(parameters.begin(), parameters.end());
  losses_.clear();
  batch_ = batches_.draw(permits_, source_);
  std::ranges::fill(gradient_units_, 0);
  add_group_gradients(records_, batch_, parameters_, bounds_.max_grad_norm, gradient_grid_, {},
                      gradient_units_);
}

void PaidGroupAnswers::require_step(std::span<const double> parameters) const {
  if (!std::equal(parameters.begin(), parameters.end(), parameters_.begin(), parameters_.end()))
    refuse("a step's answers are about its own parameters");
}

void PaidGroupAnswers::gradient_mean(size_t group, std::span<const double> parameters, double rho,
                                     std::span<double> answer) {
  require_step(parameters);
  const size_t size = answer.size();
  const std::span<const int64_t> sum = gradient_units().subspan(group * size, size);
  std::vector<int64_t> units(sum.begin(), sum.end());
  Permit permit = permits_[group].take(0);
  const Sensitivity sensitivity =
      on_grid(permit, add_up(bounds_.max_grad_norm, records_.model.sum_error(gradient_grid_)), rho,
              gradient_grid_);
  add_gaussian_noise(std::move(permit), sensitivity, units, source_);
  const double to_mean = gradient_grid_ / static_cast<double>(group_sizes()[group]);
  for (size_t j = 0; j < size; ++j) answer[j] = static_cast<double>(units[j]) * to_mean;
}

double PaidGroupAnswers::loss_mean(size_t group, std::span<const double> parameters, double rho) {
  require_step(parameters);
  if (losses_.empty()) losses_ = losses_of(records_, batch_.records, parameters_);
  return noisy_loss_mean(permits_[group].take(1), group, batch_, losses_, rho);
}

std::vector<double> PaidGroupAnswers::loss_means(std::vector<Permit> permits,
                                                 std::span<const double> parameters,
                                                 std::span<const double> rho) {
  if (permits.size() != records_.group_sizes.size()) refuse("every group must pay for its loss");
  RowBatches rows(records_.table);
  const CountedRecords records = rows.all();
  const std::vector<double> losses = losses_of(records_, records.records, parameters);
  std::vector<double> means;
  for (size_t k = 0; k < permits.size(); ++k)
    means.push_back(noisy_loss_mean(std::move(permits[k]), k, records, losses, rho[k]));
  return means;
}

double PaidGroupAnswers::noisy_loss_mean(Permit permit, size_t group, const CountedRecords& records,
                                         std::span<const double> losses, double rho) {
  const double grid = records_.grid(
      bounds_.loss_clip,
      noise_stddev(Sensitivity(bounds_.loss_clip, Norm::kL2, Relation::kZeroOut),
                   std::min(rho, 0.5 / std::pow(permit.event().noise_multiplier(), 2))));
  std::vector<int64_t> units(1);
  for (size_t i = 0; i < records.size(); ++i) {
    const uint32_t record = records.records[i];
    if (!records_.takes_part(record) || !records_.is_in(record, group)) continue;
    // A run that overflows must not appear as the best one.
    const double loss = std::isfinite(losses[i]) ? losses[i] : bounds_.loss_clip;
    units[0] +=
        records.count(i) * static_cast<int64_t>(std::clamp(loss, 0.0, bounds_.loss_clip) / grid);
  }
  const Sensitivity sensitivity = on_grid(permit, bounds_.loss_clip, rho, grid);
  add_gaussian_noise(std::move(permit), sensitivity, units, source_);
  return static_cast<double>(units[0]) * grid / static_cast<double>(group_sizes()[group]);
}

PaidStageOneAnswers::PaidStageOneAnswers(const AnsweredRecords& records,
                                         const StageOneBounds& bounds, Charge& charge,
                                         RandomSource& source)
    : records_(records), rows_(records.table), bounds_(bounds), charge_(charge), source_(source) {
  require_groups(kWhere, records.table);
}

NoisyMoments PaidStageOneAnswers::moments(MomentRelease release, double rho) {
  if (release != MomentRelease::kJoint)
    throw Error(ErrorKind::kUsage, kWhere, "moments are paid for as one release");
  const EncodedTable& table = records_.table;
  const size_t num_features = table.num_features + size_t{1};
  const size_t num_products = num_features * (num_features + 1) / 2;
  const double sensitivity =
      joint_moment_sensitivity(bounds_.relation, bounds_.feature_norm_bound, bounds_.target_bound)
          .value();
  const double grid =
      records_.grid(sensitivity, xtx_noise_stddev(bounds_, num_features, release, rho));
  // The upper triangle of X^T X row by row, then X^T Y.
  std::vector<int64_t> units(num_products + num_features);
  const CountedRecords records = rows_.all();
  sum_tiles(records, records_, units, [&](const CountedRecords& tile, std::span<int64_t> sum) {
    std::vector<double> row(num_features);
    for (size_t place = 0; place < tile.size(); ++place) {
      const uint32_t record = tile.records[place];
      const int64_t count = tile.count(place);
      if (!records_.takes_part(record)) continue;
      std::ranges::fill(row, 0.0);
      const std::span<const float> dense = table.dense_row(record);
      std::ranges::copy(dense, row.begin());
      for (const uint32_t feature : table.active_row(record)) row[feature] = 1;
      row.back() = 1;
      double squared = 0;
      for (const double value : row) squared += value * value;
      const auto target = static_cast<double>(table.targets[record]);
      if (!std::isfinite(squared) || !std::isfinite(target)) continue;
      const double norm = std::sqrt(squared);
      const double scale = std::min(1.0, bounds_.feature_norm_bound / norm) * (1 - 0x1p-30);
      for (double& value : row) value *= scale;
      const double moved = std::clamp(target, -bounds_.target_bound, bounds_.target_bound);
      size_t row_begin = 0;
      for (size_t i = 0; i < num_features; ++i) {
        const double at_grid = row[i] / grid;
        if (row[i] != 0) {
          for (size_t j = i; j < num_features; ++j)
            sum[row_begin + j - i] += count * static_cast<int64_t>(at_grid * row[j]);
          sum[num_products + i] += count * static_cast<int64_t>(at_grid * moved);
        }
        row_begin += num_features - i;
      }
    }
  });
  std::vector<Permit> permits = charge_.take_each(1);
  const std::vector<Sensitivity> sensitivities = on_grid(permits, sensitivity, rho, grid);
  add_shared_gaussian_noise(std::move(permits), sensitivities, units, source_);

  NoisyMoments noisy{std::vector<double>(num_features * num_features), {}};
  size_t place = 0;
  for (size_t i = 0; i < num_features; ++i) {
    for (size_t j = i; j < num_features; ++j, ++place) {
      noisy.xtx[i * num_features + j] = noisy.xtx[j * num_features + i] =
          static_cast<double>(units[place]) * grid;
    }
  }
  for (; place < units.size(); ++place)
    noisy.xty.push_back(static_cast<double>(units[place]) * grid);
  return noisy;
}

std::vector<double> PaidStageOneAnswers::residual_sums(std::span<const double> coefficients,
                                                       double rho) {
  const double most = bounds_.residual_clip * bounds_.residual_clip;
  const double grid = records_.grid(
      most, noise_stddev(residual_sum_sensitivity(bounds_.relation, bounds_.residual_clip), rho));
  std::vector<int64_t> units(records_.group_sizes.size());
  const CountedRecords records = rows_.all();
  sum_tiles(records, records_, units, [&](const CountedRecords& tile, std::span<int64_t> sum) {
    PerSample samples;
    records_.model.per_sample({records_.table, tile.records}, coefficients, samples);
    for (size_t i = 0; i < tile.size(); ++i) {
      const double residual = samples.output_gradient[i];
      if (!records_.takes_part(tile.records[i])) continue;
      if (!std::isfinite(residual) || !std::isfinite(samples.squared_norm[i])) continue;
      const int64_t squared =
          tile.count(i) * static_cast<int64_t>(std::min(residual * residual, most) / grid);
      for (size_t k = 0; k < sum.size(); ++k)
        if (records_.is_in(tile.records[i], k)) sum[k] += squared;
    }
  });
  std::vector<Permit> permits = charge_.take_each(2);
  if (records_.overlap()) {
    const std::vector<GroupPart> parts(units.size(), {most, rho});
    add_joint_noise(std::move(permits), records_.groups_of_cell, parts, grid, units, source_);
  } else {
    for (size_t k = 0; k < units.size(); ++k) {
      const Sensitivity sensitivity = on_grid(permits[k], most, rho, grid);
      add_gaussian_noise(std::move(permits[k]), sensitivity, std::span(units).subspan(k, 1),
                         source_);
    }
  }
  std::vector<double> sums;
  sums.reserve(units.size());
  for (const int64_t sum : units) sums.push_back(static_cast<double>(sum) * grid);
  return sums;
}

std::vector<double> PaidStageOneAnswers::descend(int64_t num_steps, double learning_rate,
                                                 double max_grad_norm, double rho) {
  const double step_rho = rho / static_cast<double>(num_steps);
  const Model& model = records_.model;
  const double grid = records_.grid(
      max_grad_norm,
      noise_stddev(gradient_sum_sensitivity(bounds_.relation, max_grad_norm), step_rho));
  const CountedRecords records = rows_.all();
  double num_records = 0;
  for (const int64_t size : records_.group_sizes) num_records += static_cast<double>(size);
  // Every record is in the same number of groups.
  if (records_.overlap()) num_records /= static_cast<double>(records_.groups_of_cell[0].size());
  std::vector<double> parameters(model.num_parameters(), 0.0);
  std::vector<int64_t> units(parameters.size());
  for (int64_t step = 0; step < num_steps; ++step) {
    std::ranges::fill(units, 0);
    add_gradients(records_, records, parameters, max_grad_norm, grid, units);
    std::vector<Permit> permits = charge_.take_each(1);
    const std::vector<Sensitivity> sensitivities =
        on_grid(permits, add_up(max_grad_norm, model.sum_error(grid)), step_rho, grid);
    add_shared_gaussian_noise(std::move(permits), sensitivities, units, source_);
    for (size_t j = 0; j < units.size(); ++j)
      parameters[j] -= learning_rate * static_cast<double>(units[j]) * grid / num_records;
  }
  return parameters;
}

}  // namespace equinoise
