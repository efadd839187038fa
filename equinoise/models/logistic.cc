#include "equinoise/models/logistic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/fixed_blocks.h"

namespace equinoise {

namespace {

/// 1 / (1 + exp(-z)) in place.
void sigmoid(std::span<double> values) {
  transform_in_blocks(values, [](const auto& block) { return 1 / (1 + (-block).exp()); });
}

}  // namespace

LogisticModel::LogisticModel(std::vector<std::string> feature_names,
                             const std::vector<std::string>& classes)
    : GeneralisedLinearModel(std::move(feature_names), 1) {
  if (classes.size() != 2) {
    throw Error(
        ErrorKind::kInput, "models.logistic",
        fmt::format("logistic regression needs a target with two values, the schema lists {}",
                    classes.size()));
  }
}

void LogisticModel::scores_to_residuals(const EncodedTable& table,
                                        std::span<const uint32_t> records,
                                        std::span<double> values) const {
  sigmoid(values);
  for (size_t i = 0; i < records.size(); ++i) values[i] -= table.labels[records[i]];
}

Predictions LogisticModel::predict(const EncodedTable& table,
                                   std::span<const double> parameters) const {
  const auto num_records = static_cast<size_t>(table.num_records);
  Predictions predictions;
  predictions.num_outputs = 2;
  predictions.outputs.resize(2 * num_records);
  predictions.predicted.resize(num_records);
  predictions.loss.resize(table.labels.size());
  for (size_t i = 0; i < num_records; ++i) {
    double logit = 0;
    score(table, static_cast<int64_t>(i), parameters, {&logit, 1});
    predictions.outputs[2 * i] = -logit;
    predictions.outputs[2 * i + 1] = logit;
    predictions.predicted[i] = logit > 0 ? 1 : 0;
    if (table.labels.empty()) continue;
    const double against = table.labels[i] == 1 ? -logit : logit;
    predictions.loss[i] = std::max(against, 0.0) + std::log1p(std::exp(-std::fabs(logit)));
  }
  sigmoid(predictions.outputs);
  return predictions;
}

}  // namespace equinoise
