#include "equinoise/models/linear.h"

namespace equinoise {

LinearModel::LinearModel(std::vector<std::string> feature_names)
    : GeneralisedLinearModel(std::move(feature_names), 1) {}

void LinearModel::scores_to_residuals(const EncodedTable& table, std::span<const uint32_t> records,
                                      std::span<double> values) const {
  for (size_t i = 0; i < records.size(); ++i)
    values[i] -= static_cast<double>(table.targets[records[i]]);
}

Predictions LinearModel::predict(const EncodedTable& table,
                                 std::span<const double> parameters) const {
  Predictions predictions;
  predictions.outputs.resize(static_cast<size_t>(table.num_records));
  predictions.loss.resize(table.targets.size());
  for (size_t i = 0; i < predictions.outputs.size(); ++i) {
    double& output = predictions.outputs[i];
    score(table, static_cast<int64_t>(i), parameters, {&output, 1});
    if (table.targets.empty()) continue;
    const double residual = output - static_cast<double>(table.targets[i]);
    predictions.loss[i] = residual * residual / 2;
  }
  return predictions;
}

}  // namespace equinoise
