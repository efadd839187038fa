// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/downstream_regression.h"

#include <Eigen/Cholesky>

#include "equinoise/audit/downstream_classifier.h"
#include "equinoise/base/error.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/models/generalised_linear.h"

namespace equinoise {

std::vector<double> fit_linear(const EncodedTable& table) {
  if (table.num_features > kMaxDownstreamFeatures) {
    throw Error(ErrorKind::kUsage, "audit.downstream_regression",
                "the regression takes at most {} features, but the table has {}; "
                "leave "
                "columns out (feature = false) or give them fewer categories",
                kMaxDownstreamFeatures, table.num_features);
  }
  const auto intercept = static_cast<Eigen::Index>(table.num_features);
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(intercept + 1, intercept + 1);
  Eigen::VectorXd products = Eigen::VectorXd::Zero(intercept + 1);
  double num_records = 0;
  double total = 0;
  // The features of a record that are not 0, ascending, and 1 for the intercept.
  std::vector<std::pair<Eigen::Index, double>> features;
  for (int64_t record = 0; record < table.num_records; ++record) {
    const auto place = static_cast<size_t>(record);
    if (table.contributes[place] == 0) continue;
    const double weight = table.weight(place);
    num_records += 1;
    total += weight;
    features.clear();
    for (const float value : table.dense_row(record))
      features.emplace_back(std::ssize(features), static_cast<double>(value));
    for (const uint32_t active : table.active_row(record))
      features.emplace_back(static_cast<Eigen::Index>(active), 1);
    features.emplace_back(intercept, 1);
    for (size_t i = 0; i < features.size(); ++i) {
      const auto [row, value] = features[i];
      products[row] += weight * value * static_cast<double>(table.targets[place]);
      for (size_t j = 0; j <= i; ++j)
        moments(row, features[j].first) += weight * value * features[j].second;
    }
  }
  if (!(total > 0)) return std::vector<double>(static_cast<size_t>(intercept) + 1);
  moments *= num_records / total;
  products *= num_records / total;
  moments.diagonal().head(intercept).array() += 1;
  const Eigen::VectorXd parameters = moments.selfadjointView<Eigen::Lower>().llt().solve(products);
  return {parameters.begin(), parameters.end()};
}

DownstreamRegression test_regression(std::span<const double> parameters, const EncodedTable& test,
                                     std::span<const GroupId> group_of, size_t num_groups) {
  const LinearModel model(test.feature_names);
  const Predictions predictions = predict_within_bounds(model, test, parameters);
  return {overall_metrics(test, predictions),
          group_metrics(test, predictions, group_of, num_groups)};
}

}  // namespace equinoise
