// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/grouped_records.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/train/worst_group/regularised_maximum.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.worst_group";

using Rows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using MutableVector = Eigen::Map<Eigen::VectorXd>;

Eigen::Index eigen_index(size_t value) { return static_cast<Eigen::Index>(value); }

ConstVector as_vector(std::span<const double> values) {
  return {values.data(), eigen_index(values.size())};
}

/// The mean loss of all records as that of one group.
class EverybodyAlike final : public GroupLosses {
 public:
  explicit EverybodyAlike(const GroupedRecords& records) : records_(records) {
    for (const int64_t size : records.group_sizes()) {
      shares_.push_back(static_cast<double>(size) / static_cast<double>(records.num_records()));
    }
  }
  size_t num_parameters() const override { return records_.num_parameters(); }
  size_t num_groups() const override { return 1; }
  void evaluate(std::span<const double> parameters, std::span<double> losses,
                std::span<double> gradients) const override {
    std::vector<double> of_groups(shares_.size());
    std::vector<double> parts(shares_.size() * num_parameters());
    records_.evaluate(parameters, of_groups, parts);
    losses[0] = std::inner_product(shares_.begin(), shares_.end(), of_groups.begin(), 0.0);
    std::ranges::fill(gradients, 0.0);
    for (size_t k = 0; k < shares_.size(); ++k)
      for (size_t j = 0; j < gradients.size(); ++j)
        gradients[j] += shares_[k] * parts[k * gradients.size() + j];
  }
  void hessian_product(std::span<const double> parameters, std::span<const double> weights,
                       std::span<const double> direction,
                       std::span<double> product) const override {
    std::vector<double> shares = shares_;
    for (double& share : shares) share *= weights[0];
    records_.hessian_product(parameters, shares, direction, product);
  }

 private:
  const GroupedRecords& records_;
  std::vector<double> shares_;
};

constexpr double kLittleCurvature = 1e-6;

}  // namespace

GroupedRecords::GroupedRecords(RegressionModel loss, double loss_scale, size_t num_features,
                               std::span<const int64_t> group_sizes, std::vector<double> features,
                               std::vector<double> targets)
    : loss_(loss),
      loss_scale_(loss_scale),
      num_features_(num_features),
      group_sizes_(group_sizes.begin(), group_sizes.end()),
      features_(std::move(features)),
      targets_(std::move(targets)) {
  check_positive(kWhere, "loss_scale", loss_scale);
  for (size_t group = 0; group < group_sizes.size(); ++group) {
    if (group_sizes[group] < 1)
      throw Error(ErrorKind::kUsage, kWhere, "group {} has no records", group);
    first_records_.push_back(group_of_.size());
    group_of_.insert(group_of_.end(), static_cast<size_t>(group_sizes[group]),
                     static_cast<uint32_t>(group));
  }
  if (num_features == 0 || targets_.size() != group_of_.size() ||
      features_.size() != targets_.size() * num_features) {
    throw Error(ErrorKind::kUsage, kWhere,
                "{} records of {} features need as many targets and {} values, got {} "
                "and {}",
                group_of_.size(), num_features, group_of_.size() * num_features, targets_.size(),
                features_.size());
  }
}

void GroupedRecords::evaluate(std::span<const double> parameters, std::span<double> losses,
                              std::span<double> gradients) const {
  std::ranges::fill(gradients, 0.0);
  for (size_t group = 0; group < group_sizes_.size(); ++group) {
    const auto size = static_cast<size_t>(group_sizes_[group]);
    const Rows rows(&features_[first_records_[group] * num_features_], eigen_index(size),
                    eigen_index(num_features_));
    Eigen::VectorXd slopes = rows * as_vector(parameters);
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
      const double prediction = slopes[eigen_index(i)];
      const double target = targets_[first_records_[group] + i];
      sum += loss_scale_ * loss_of(loss_, prediction, target);
      slopes[eigen_index(i)] = loss_scale_ * slope_of(loss_, prediction, target);
    }
    losses[group] = sum / static_cast<double>(size);
    MutableVector(&gradients[group * num_features_], eigen_index(num_features_)) =
        rows.transpose() * slopes / static_cast<double>(size);
  }
}

void GroupedRecords::hessian_product(std::span<const double> parameters,
                                     std::span<const double> weights,
                                     std::span<const double> direction,
                                     std::span<double> product) const {
  MutableVector total(product.data(), eigen_index(product.size()));
  total.setZero();
  for (size_t group = 0; group < group_sizes_.size(); ++group) {
    const auto size = static_cast<size_t>(group_sizes_[group]);
    const Rows rows(&features_[first_records_[group] * num_features_], eigen_index(size),
                    eigen_index(num_features_));
    Eigen::VectorXd tangents = rows * as_vector(direction);
    if (loss_ == RegressionModel::kLinear) {
      tangents *= 2 * loss_scale_;
    } else {
      const Eigen::VectorXd predictions = rows * as_vector(parameters);
      for (Eigen::Index i = 0; i < tangents.size(); ++i) {
        const double decay = std::exp(-std::fabs(predictions[i]));
        tangents[i] *= loss_scale_ * decay / ((1 + decay) * (1 + decay));
      }
    }
    total += rows.transpose() * tangents * (weights[group] / static_cast<double>(size));
  }
}

std::vector<double> GroupedRecords::mean_losses(std::span<const double> parameters) const {
  std::vector<double> means;
  for (size_t group = 0; group < group_sizes_.size(); ++group) {
    const size_t first = first_records_[group];
    const auto size = eigen_index(static_cast<size_t>(group_sizes_[group]));
    const Rows rows(&features_[first * num_features_], size, eigen_index(num_features_));
    const Eigen::Map<const Eigen::ArrayXd> targets(&targets_[first], size);
    const Eigen::ArrayXd predictions = (rows * as_vector(parameters)).array();
    Eigen::ArrayXd losses;
    if (loss_ == RegressionModel::kLinear) {
      losses = loss_scale_ * (predictions - targets).square();
    } else {
      const Eigen::ArrayXd margins = targets * predictions;
      losses = loss_scale_ * ((-margins).max(0.0) + (-margins.abs()).exp().log1p());
    }
    means.push_back(losses.mean());
  }
  return means;
}

std::vector<double> GroupedRecords::error_rates(std::span<const double> parameters) const {
  std::vector<double> rates(group_sizes_.size());
  for (size_t i = 0; i < targets_.size(); ++i) {
    const std::span<const double> features = {&features_[i * num_features_], num_features_};
    const double prediction = as_vector(features).dot(as_vector(parameters));
    rates[group_of_[i]] += (prediction > 0) == (targets_[i] > 0) ? 0 : 1;
  }
  for (size_t group = 0; group < rates.size(); ++group)
    rates[group] /= static_cast<double>(group_sizes_[group]);
  return rates;
}

std::vector<double> best_on_average(const GroupedRecords& records) {
  const Regularisation terms = {std::vector<double>(records.num_parameters()), kLittleCurvature, 1};
  return minimise_maximum(EverybodyAlike(records), terms, 1e-3).parameters;
}

std::vector<double> best_for_worst_group(const GroupedRecords& records) {
  // Each stage starts at the end of the one before it; its curvature pulls it back there.
  Regularisation terms = {std::vector<double>(records.num_parameters()), kLittleCurvature, 0.1};
  const double last = 1e-4 / std::max(1.0, std::log(static_cast<double>(records.num_groups())));
  for (;;) {
    terms.center = minimise_maximum(records, terms, 1e-3).parameters;
    if (terms.mu_lambda <= last) return terms.center;
    terms.mu_lambda = std::max(terms.mu_lambda / 10, last);
  }
}

}  // namespace equinoise
