// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/paid_overlapping_answers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/train/tailoring/noise_on_grid.h"
#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

namespace {

[[noreturn]] void refuse(const char* problem) {
  throw Error(ErrorKind::kRuntime, "train.tailoring", problem);
}

/// (groups) in (0, 1].
std::vector<double> scales_of(std::span<const double> rho) {
  const double largest = *std::ranges::max_element(rho);
  std::vector<double> scales;
  for (const double of_group : rho) {
    if (!(of_group > 0)) refuse("every group must have a cost");
    scales.push_back(std::sqrt(of_group / largest));
  }
  return scales;
}

/// (groups) The bounds of records that add vectors of length `bound`, and `error` by rounding,
/// before scales.
std::vector<GroupPart> parts_of(std::span<const double> scales, std::span<const double> rho,
                                double bound, double error) {
  std::vector<GroupPart> parts;
  for (size_t k = 0; k < scales.size(); ++k)
    parts.push_back({add_up(multiply_up(scales[k], bound), error), rho[k]});
  return parts;
}

}  // namespace

PaidOverlappingAnswers::PaidOverlappingAnswers(const AnsweredRecords& records,
                                               const AnswerBounds& bounds, double gradient_grid,
                                               RandomSource& source)
    : PaidAnswers(records, bounds, gradient_grid, source) {
  if (!records.overlap() || std::ssize(records.table.groups) != records.table.num_records)
    refuse("the table has no cells of groups");
}

void PaidOverlappingAnswers::begin_step(std::vector<BatchPermit> permits,
                                        std::span<const double> parameters,
                                        std::span<const double> rho) {
  if (permits.size() != records_.num_cells() || rho.size() != records_.group_sizes.size())
    refuse("every cell must pay for a step, and every group have a cost");
  permits_ = std::move(permits);
  parameters_.assign(parameters.begin(), parameters.end());
  rho_.assign(rho.begin(), rho.end());
  scales_ = scales_of(rho);
  loss_means_.clear();
  batch_ = batches_.draw(permits_, source_);
  std::ranges::fill(gradient_units_, 0);
  add_group_gradients(records_, batch_, parameters_, bounds_.max_grad_norm, gradient_grid_, scales_,
                      gradient_units_);
  noisy_units_ = gradient_units_;
  std::vector<Permit> of_gradients;
  for (BatchPermit& permit : permits_) of_gradients.push_back(permit.take(0));
  add_joint_noise(
      std::move(of_gradients), records_.groups_of_cell,
      parts_of(scales_, rho_, bounds_.max_grad_norm, records_.model.sum_error(gradient_grid_)),
      gradient_grid_, noisy_units_, source_);
}

void PaidOverlappingAnswers::require_step(size_t group, std::span<const double> parameters,
                                          double rho) const {
  if (!std::equal(parameters.begin(), parameters.end(), parameters_.begin(), parameters_.end()) ||
      rho != rho_[group])
    refuse("a step's answers are about its own parameters, at its own cost");
}

void PaidOverlappingAnswers::gradient_mean(size_t group, std::span<const double> parameters,
                                           double rho, std::span<double> answer) {
  require_step(group, parameters, rho);
  const size_t size = answer.size();
  const std::span<const int64_t> units = std::span(noisy_units_).subspan(group * size, size);
  const double to_mean =
      gradient_grid_ / (scales_[group] * static_cast<double>(group_sizes()[group]));
  for (size_t j = 0; j < size; ++j) answer[j] = static_cast<double>(units[j]) * to_mean;
}

double PaidOverlappingAnswers::loss_mean(size_t group, std::span<const double> parameters,
                                         double rho) {
  require_step(group, parameters, rho);
  if (loss_means_.empty()) {
    std::vector<Permit> of_losses;
    for (BatchPermit& permit : permits_) of_losses.push_back(permit.take(1));
    loss_means_ = noisy_loss_means(std::move(of_losses), batch_, parameters_, rho_);
  }
  return loss_means_[group];
}

std::vector<double> PaidOverlappingAnswers::loss_means(std::vector<Permit> permits,
                                                       std::span<const double> parameters,
                                                       std::span<const double> rho) {
  return noisy_loss_means(std::move(permits), RowBatches(records_.table).all(), parameters, rho);
}

std::vector<double> PaidOverlappingAnswers::noisy_loss_means(std::vector<Permit> permits,
                                                             const CountedRecords& records,
                                                             std::span<const double> parameters,
                                                             std::span<const double> rho) {
  const std::vector<double> losses = losses_of(records_, records.records, parameters);
  const std::vector<double> scales = scales_of(rho);
  const double grid = records_.grid(
      bounds_.loss_clip, noise_stddev(Sensitivity(bounds_.loss_clip, Norm::kL2, Relation::kZeroOut),
                                      *std::ranges::max_element(rho)));
  std::vector<int64_t> units(scales.size());
  for (size_t i = 0; i < records.size(); ++i) {
    const uint32_t record = records.records[i];
    if (!records_.takes_part(record)) continue;
    // A run that overflows must not appear as the best one.
    const double loss = std::isfinite(losses[i]) ? losses[i] : bounds_.loss_clip;
    const double clipped = std::clamp(loss, 0.0, bounds_.loss_clip);
    for (size_t k = 0; k < units.size(); ++k) {
      if (records_.is_in(record, k))
        units[k] += records.count(i) * static_cast<int64_t>(clipped * scales[k] / grid);
    }
  }
  add_joint_noise(std::move(permits), records_.groups_of_cell,
                  parts_of(scales, rho, bounds_.loss_clip, 0), grid, units, source_);
  std::vector<double> means;
  for (size_t k = 0; k < units.size(); ++k) {
    means.push_back(static_cast<double>(units[k]) * grid /
                    (scales[k] * static_cast<double>(group_sizes()[k])));
  }
  return means;
}

}  // namespace equinoise
