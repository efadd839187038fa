// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/downstream_classifier.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <string>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/models/generalised_linear.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "audit.downstream_classifier";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// The sum of logistic losses and half the squared norm of the parameters.
class PenalisedLoss {
 public:
  explicit PenalisedLoss(const EncodedTable& table)
      : table_(table), places_(size_t{table.num_dense} + table.num_active + 1) {
    double num_records = 0;
    double total = 0;
    for (size_t record = 0; record < table.contributes.size(); ++record) {
      if (table.contributes[record] == 0) continue;
      num_records += 1;
      total += table.weight(record);
    }
    scale_ = total > 0 ? num_records / total : 1;
  }

  double at(const Eigen::VectorXd& parameters) {
    double sum = parameters.squaredNorm() / 2;
    for (int64_t record = 0; record < table_.num_records; ++record) {
      if (table_.contributes[static_cast<size_t>(record)] == 0) continue;
      const double logit = logit_of(record, parameters);
      const double against = is_positive(record) ? -logit : logit;
      sum += weight_of(record) * (std::max(against, 0.0) + std::log1p(std::exp(-std::fabs(logit))));
    }
    return sum;
  }

  /// `hessian` is filled in below the diagonal.
  void differentiate(const Eigen::VectorXd& parameters, Eigen::VectorXd& gradient,
                     Eigen::MatrixXd& hessian) {
    gradient = parameters;
    hessian.setIdentity();
    for (int64_t record = 0; record < table_.num_records; ++record) {
      if (table_.contributes[static_cast<size_t>(record)] == 0) continue;
      const double logit = logit_of(record, parameters);
      const double probability = 1 / (1 + std::exp(-logit));
      const double weight = weight_of(record);
      const double residual = weight * (probability - (is_positive(record) ? 1 : 0));
      const double curvature = weight * probability * (1 - probability);
      for (size_t i = 0; i < places_.size(); ++i) {
        const auto [row, value] = places_[i];
        gradient[row] += residual * value;
        for (size_t j = 0; j <= i; ++j)
          hessian(row, places_[j].index) += curvature * value * places_[j].value;
      }
    }
  }

 private:
  struct Place {
    Eigen::Index index = 0;
    double value = 1;
  };

  double weight_of(int64_t record) const {
    return scale_ * table_.weight(static_cast<size_t>(record));
  }

  bool is_positive(int64_t record) const { return table_.labels[static_cast<size_t>(record)] == 1; }

  /// The logit of a record. It also finds the record's features that are not 0, in ascending order.
  double logit_of(int64_t record, const Eigen::VectorXd& parameters) {
    size_t next = 0;
    for (const float value : table_.dense_row(record)) {
      places_[next] = {static_cast<Eigen::Index>(next), static_cast<double>(value)};
      ++next;
    }
    for (const uint32_t active : table_.active_row(record))
      places_[next++] = {static_cast<Eigen::Index>(active), 1};
    places_[next] = {static_cast<Eigen::Index>(table_.num_features), 1};
    double logit = 0;
    for (const auto& [index, value] : places_) logit += parameters[index] * value;
    return logit;
  }

  const EncodedTable& table_;
  std::vector<Place> places_;
  double scale_ = 1;
};

}  // namespace

size_t positive_class(const std::vector<std::string>& classes, std::string_view positive) {
  if (classes.empty())
    refuse("a classifier needs a categorical target; name a column with --target");
  if (positive.empty()) {
    if (classes.size() != 2) {
      refuse("the target has {} classes; say which is the positive one: --positive {}",
             classes.size(), classes.back());
    }
    return 1;
  }
  const auto found = std::ranges::find(classes, positive);
  if (found == classes.end()) {
    const std::string nearest = nearest_name(positive, classes);
    refuse("--positive {} is not a class of the target{}", positive,
           nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
  }
  return static_cast<size_t>(found - classes.begin());
}

void make_binary(EncodedTable& table, std::string_view positive) {
  const size_t code = positive_class(table.classes, positive);
  const std::string name = table.classes[code];
  for (uint16_t& label : table.labels) label = label == code ? 1 : 0;
  table.classes = {table.classes.size() == 2 ? table.classes[1 - code] : "others", name};
}

std::vector<double> fit_logistic(const EncodedTable& table) {
  constexpr double kGradient = 1e-6;  // per record
  constexpr int kMaxSteps = 100;
  constexpr double kDescent = 1e-4;  // least share of the decrease that the slope predicts
  if (table.num_features > kMaxDownstreamFeatures) {
    refuse(
        "the classifier takes at most {} features, but the table has {}; leave columns "
        "out (feature = false), give them fewer categories or give --target none",
        kMaxDownstreamFeatures, table.num_features);
  }
  PenalisedLoss loss(table);
  const auto size = static_cast<Eigen::Index>(table.num_features) + 1;
  Eigen::VectorXd parameters = Eigen::VectorXd::Zero(size);
  Eigen::VectorXd gradient(size);
  Eigen::MatrixXd hessian(size, size);
  const double enough = kGradient * std::max(1.0, static_cast<double>(table.num_records));
  double value = loss.at(parameters);
  for (int step = 0; step < kMaxSteps; ++step) {
    loss.differentiate(parameters, gradient, hessian);
    if (gradient.norm() <= enough) break;
    const Eigen::VectorXd direction = hessian.selfadjointView<Eigen::Lower>().llt().solve(gradient);
    const double slope = gradient.dot(direction);
    double length = 1;
    double next = loss.at(parameters - direction);
    while (next > value - kDescent * length * slope && length > 1e-10) {
      length /= 2;
      next = loss.at(parameters - length * direction);
    }
    parameters -= length * direction;
    value = next;
  }
  return {parameters.begin(), parameters.end()};
}

DownstreamClassifier test_classifier(std::span<const double> parameters, const EncodedTable& test,
                                     std::span<const GroupId> group_of, size_t num_groups) {
  const LogisticModel model(test.feature_names, test.classes);
  const Predictions predictions = model.predict(test, parameters);
  DownstreamClassifier result;
  result.overall = overall_metrics(test, predictions);
  result.groups = group_metrics(test, predictions, group_of, num_groups);
  result.selection_rate =
      disparity_in(find_metric("selection_rate"), result.groups, result.overall);
  result.false_negative_rate =
      disparity_in(find_metric("false_negative_rate"), result.groups, result.overall);
  return result;
}

}  // namespace equinoise
