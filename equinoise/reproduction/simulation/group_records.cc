// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/group_records.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

using Values = Eigen::Map<const Eigen::ArrayXd>;
using Rows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Vector = Eigen::Map<const Eigen::VectorXd>;

Eigen::Index to_index(size_t value) { return static_cast<Eigen::Index>(value); }

double dot(const double* row, std::span<const double> parameters) {
  double sum = 0;
  for (size_t j = 0; j < parameters.size(); ++j) sum += row[j] * parameters[j];
  return sum;
}

}  // namespace

double slope_of(RegressionModel model, double prediction, double target) {
  if (model == RegressionModel::kLinear) return 2 * (prediction - target);
  return -target / (1 + std::exp(target * prediction));
}

double loss_of(RegressionModel model, double prediction, double target) {
  if (model == RegressionModel::kLinear) return (prediction - target) * (prediction - target);
  const double margin = target * prediction;  // log(1 + exp(-margin)) without overflow
  return std::max(-margin, 0.0) + std::log1p(std::exp(-std::fabs(margin)));
}

GroupRecords::GroupRecords(size_t num_features, size_t num_groups,
                           const std::vector<RecordCell>& cells, std::vector<double> features,
                           std::vector<double> targets)
    : num_features_(num_features),
      cells_of_group_(num_groups),
      group_sizes_(num_groups, 0),
      features_(std::move(features)),
      targets_(std::move(targets)) {
  size_t num_records = 0;
  for (const RecordCell& cell : cells) {
    for (const size_t group : cell.groups) {
      if (group >= num_groups) refuse("there is no group {}", group);
      cells_of_group_[group].push_back(cells_.size());
      group_sizes_[group] += static_cast<int64_t>(cell.num_records);
    }
    cells_.push_back({num_records, num_records + cell.num_records});
    num_records += cell.num_records;
  }
  if (num_features == 0 || targets_.size() != num_records ||
      features_.size() != num_records * num_features) {
    refuse("{} records of {} features need {} values and targets, got {} and {}", num_records,
           num_features, num_records * num_features, features_.size(), targets_.size());
  }
  if (num_groups == 0 || *std::ranges::min_element(group_sizes_) == 0)
    refuse("every group needs a record");
}

GroupRecords GroupRecords::disjoint(size_t num_features, std::span<const int64_t> group_sizes,
                                    std::vector<double> features, std::vector<double> targets) {
  std::vector<RecordCell> cells;
  for (size_t k = 0; k < group_sizes.size(); ++k) {
    if (group_sizes[k] < 1) refuse("every group needs a record");
    cells.push_back({static_cast<size_t>(group_sizes[k]), {k}});
  }
  return {num_features, group_sizes.size(), cells, std::move(features), std::move(targets)};
}

void GroupRecords::clip(double feature_norm_bound, double target_bound) {
  check_positive(kWhere, "feature_norm_bound", feature_norm_bound);
  check_positive(kWhere, "target_bound", target_bound);
  for (size_t i = 0; i < targets_.size(); ++i) {
    double* row = &features_[i * num_features_];
    const double norm = std::sqrt(dot(row, {row, num_features_}));
    const double scale = norm > feature_norm_bound ? feature_norm_bound / norm : 1;
    for (size_t j = 0; j < num_features_; ++j) row[j] *= scale;
    targets_[i] = std::clamp(targets_[i], -target_bound, target_bound);
  }
}

std::vector<double> GroupRecords::xtx() const {
  const Rows rows(features_.data(), to_index(targets_.size()), to_index(num_features_));
  const Eigen::MatrixXd product = rows.transpose() * rows;
  return {product.data(), product.data() + product.size()};
}

std::vector<double> GroupRecords::xty() const {
  const Rows rows(features_.data(), to_index(targets_.size()), to_index(num_features_));
  const Eigen::VectorXd product = rows.transpose() * Vector(targets_.data(), rows.rows());
  return {product.data(), product.data() + product.size()};
}

std::vector<double> GroupRecords::residual_sums(RegressionModel model,
                                                std::span<const double> coefficients,
                                                double residual_clip) const {
  const double most = residual_clip * residual_clip;
  std::vector<double> sums;
  for (size_t group = 0; group < group_sizes_.size(); ++group) {
    if (model == RegressionModel::kLinear) {
      sums.push_back(loss_sum(model, group, coefficients, most));
      continue;
    }
    double sum = 0;
    for (const size_t c : cells_of_group_[group]) {
      for (size_t i = cells_[c].begin; i < cells_[c].end; ++i) {
        const double residual =
            slope_of(model, dot(&features_[i * num_features_], coefficients), targets_[i]);
        sum += std::min(residual * residual, most);
      }
    }
    sums.push_back(sum);
  }
  return sums;
}

void GroupRecords::gradient_sum(RegressionModel model, size_t group,
                                std::span<const double> parameters, double max_grad_norm,
                                std::span<double> sum) const {
  std::ranges::fill(sum, 0.0);
  for (const size_t c : cells_of_group_[group]) {
    const Range cell = cells_[c];
    if (num_features_ == 1 && model == RegressionModel::kLinear) {
      // The norm of one number is its magnitude, so that clipping is clamping: vectorised.
      const auto size = to_index(cell.end - cell.begin);
      const Values x(&features_[cell.begin], size);
      const Values y(&targets_[cell.begin], size);
      sum[0] += (2 * x * (parameters[0] * x - y)).max(-max_grad_norm).min(max_grad_norm).sum();
      continue;
    }
    for (size_t i = cell.begin; i < cell.end; ++i) {
      const double* row = &features_[i * num_features_];
      const double at_features = slope_of(model, dot(row, parameters), targets_[i]);
      const double norm = std::fabs(at_features) * std::sqrt(dot(row, {row, num_features_}));
      const double factor =
          norm > max_grad_norm ? at_features * (max_grad_norm / norm) : at_features;
      for (size_t j = 0; j < num_features_; ++j) sum[j] += factor * row[j];
    }
  }
}

double GroupRecords::loss_sum(RegressionModel model, size_t group,
                              std::span<const double> parameters, double loss_clip) const {
  double sum = 0;
  for (const size_t c : cells_of_group_[group]) {
    const Range cell = cells_[c];
    if (num_features_ == 1 && model == RegressionModel::kLinear) {
      const auto size = to_index(cell.end - cell.begin);
      const Values x(&features_[cell.begin], size);
      const Values y(&targets_[cell.begin], size);
      sum += (parameters[0] * x - y).square().min(loss_clip).sum();
      continue;
    }
    for (size_t i = cell.begin; i < cell.end; ++i) {
      const double prediction = dot(&features_[i * num_features_], parameters);
      sum += std::min(loss_of(model, prediction, targets_[i]), loss_clip);
    }
  }
  return sum;
}

}  // namespace equinoise
