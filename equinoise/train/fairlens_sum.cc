// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/fairlens_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/train/gradient_sums.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

void divide(std::span<double> values, double divisor) {
  for (double& value : values) value /= divisor;
}

double sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

/// Calls do_tile(records) for as many records as the model takes at once.
template <typename DoTile>
void for_each_tile(const Model& model, std::span<const uint32_t> records, const DoTile& do_tile) {
  for (size_t begin = 0; begin < records.size(); begin += model.max_tile_records()) {
    do_tile(records.subspan(begin, std::min(model.max_tile_records(), records.size() - begin)));
  }
}

/// Adds the model's prediction for a record to `sum`, (scores): the gradient at its outputs is
/// predicted minus observed.
void add_prediction(std::span<const double> residuals, uint16_t label, std::vector<double>& sum) {
  sum.resize(residuals.size());
  add_scaled(1, residuals, sum);
  if (residuals.size() == 1) {
    sum[0] += label;
  } else {
    sum[label] += 1;
  }
}

}  // namespace

FairLensSum::FairLensSum(const EncodedTable& table, const Model& model,
                         const FairLensConfig& config)
    : table_(table), model_(model), config_(config), clip_(config.max_grad_norm) {
  require_groups("train.fairlens", table);
}

std::vector<double> FairLensSum::clipped_sum(std::span<const uint32_t> batch,
                                             std::span<const double> parameters) {
  penalty_gradient_.assign(model_.num_parameters(), 0);
  measure(batch, parameters);
  add_clipping_penalty(parameters);
  add_boundary_penalty(parameters);

  std::vector<double> sum(model_.num_parameters(), 0);
  const double squared_penalty = inner_product(penalty_gradient_, penalty_gradient_);
  double total_weight = 0;
  PerSample samples;
  std::vector<double> derivatives;
  std::vector<double> weights;
  for_each_tile(model_, records_, [&](std::span<const uint32_t> tile) {
    model_.per_sample({table_, tile}, parameters, samples);
    derivatives.resize(tile.size());
    model_.directional_derivatives({table_, tile}, samples, penalty_gradient_, derivatives);
    for (size_t i = 0; i < tile.size(); ++i) {
      double& squared = samples.squared_norm[i];
      squared += 2 * derivatives[i] + squared_penalty;
      // Rounding may make this negative if both vectors cancel.
      if (squared < 0) squared = 0;
    }
    weights.resize(tile.size());
    clip_.weights({samples.squared_norm}, weights);
    model_.add_weighted_sum({table_, tile}, samples, weights, sum);
    total_weight += std::accumulate(weights.begin(), weights.end(), 0.0);
  });
  // The penalty's gradient may not be finite with a total weight of 0.
  if (total_weight > 0) add_scaled(total_weight, penalty_gradient_, sum);
  return sum;
}

/// Norms, means and clipping error of the batch under plain DP-SGD.
void FairLensSum::measure(std::span<const uint32_t> batch, std::span<const double> parameters) {
  records_.clear();
  weights_.clear();
  clipping_error_.assign(model_.num_parameters(), 0);
  groups_.assign(config_.num_groups, {0, std::vector<double>(model_.num_parameters(), 0.0), {}});
  PerSample samples;
  std::vector<double> weights;
  std::vector<double> losses;
  std::vector<std::vector<double>> members(config_.num_groups);
  for_each_tile(model_, batch, [&](std::span<const uint32_t> tile) {
    model_.per_sample({table_, tile}, parameters, samples);
    const size_t num_scores = samples.output_gradient.size() / tile.size();
    weights.resize(tile.size());
    clip_.weights({samples.squared_norm}, weights);
    losses.assign(tile.size(), 0);
    for (std::vector<double>& ones : members) ones.assign(tile.size(), 0);
    for (size_t i = 0; i < tile.size(); ++i) {
      const size_t group = index_of(table_.groups[tile[i]]);
      if (table_.contributes[tile[i]] == 0 || group >= groups_.size() ||
          !std::isfinite(samples.squared_norm[i])) {
        continue;
      }
      records_.push_back(tile[i]);
      weights_.push_back(weights[i]);
      losses[i] = weights[i] - 1;
      members[group][i] = 1;
      groups_[group].size += 1;
      if (table_.labels.empty()) continue;
      add_prediction(std::span(samples.output_gradient).subspan(i * num_scores, num_scores),
                     table_.labels[tile[i]], groups_[group].prediction);
    }
    model_.add_weighted_sum({table_, tile}, samples, losses, clipping_error_);
    for (size_t k = 0; k < groups_.size(); ++k)
      model_.add_weighted_sum({table_, tile}, samples, members[k], groups_[k].gradient);
  });
  if (!records_.empty()) divide(clipping_error_, static_cast<double>(records_.size()));
  for (Group& group : groups_) {
    if (group.size == 0) continue;
    divide(group.gradient, group.size);
    divide(group.prediction, group.size);
  }
}

/// R1 = sum over pairs of |p_a - p_b|, p_k = <g_k, c - g>, which is sum_k s_k p_k with s_k the
/// number of groups below k less those above. With u = sum_k s_k g_k and e = c - g, R1 = <u, e>,
/// its gradient is u' e + e' u, and derivatives of gradients are Hessians.
void FairLensSum::add_clipping_penalty(std::span<const double> parameters) {
  if (config_.clipping_penalty == 0) return;
  std::vector<double> along(groups_.size());
  for (size_t k = 0; k < groups_.size(); ++k)
    along[k] = inner_product(groups_[k].gradient, clipping_error_);
  std::vector<double> signs(groups_.size());
  std::vector<double> gap(model_.num_parameters());
  for (size_t k = 0; k < groups_.size(); ++k) {
    if (groups_[k].size == 0) continue;
    for (size_t other = 0; other < groups_.size(); ++other)
      signs[k] += groups_[other].size > 0 ? sign_of(along[k] - along[other]) : 0;
    add_scaled(signs[k], groups_[k].gradient, gap);
  }
  const auto num_records = static_cast<double>(records_.size());
  std::vector<double> of_gap;
  std::vector<double> of_error;
  for (size_t i = 0; i < records_.size(); ++i) {
    const size_t k = index_of(table_.groups[records_[i]]);
    of_gap.push_back(config_.clipping_penalty * signs[k] / groups_[k].size);
    of_error.push_back(config_.clipping_penalty * (weights_[i] - 1) / num_records);
  }
  model_.add_hessian_products({table_, records_}, parameters, of_gap, clipping_error_,
                              penalty_gradient_);
  model_.add_hessian_products({table_, records_}, parameters, of_error, gap, penalty_gradient_);
}

void FairLensSum::add_boundary_penalty(std::span<const double> parameters) {
  if (table_.labels.empty() || config_.boundary_penalty == 0) return;
  const auto share_of = [&](const Group& group) {
    return (group.prediction.size() == 1 ? 1 : 0.5) / static_cast<double>(groups_.size());
  };
  std::vector<double> coefficients;
  for_each_tile(model_, records_, [&](std::span<const uint32_t> tile) {
    coefficients.clear();
    for (const uint32_t record : tile) {
      const Group& group = groups_[index_of(table_.groups[record])];
      const double scale = config_.boundary_penalty * share_of(group) / group.size;
      for (const double f : group.prediction) coefficients.push_back(scale * (1 - 2 * f));
    }
    model_.add_residual_gradient({table_, tile}, parameters, coefficients, penalty_gradient_);
  });
}

}  // namespace equinoise
