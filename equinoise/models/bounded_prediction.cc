// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/bounded_prediction.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

Predictions predict_within_bounds(const Model& model, const EncodedTable& table,
                                  std::span<const double> parameters, int threads) {
  Predictions predictions = model.predict(table, parameters, threads);
  if (model.num_classes() > 0) return predictions;
  const double lower = (table.target_lower - table.target_offset) / table.target_divisor;
  const double upper = (table.target_upper - table.target_offset) / table.target_divisor;
  PerSample scored;
  for (uint32_t record = 0; record < predictions.outputs.size(); ++record) {
    double& output = predictions.outputs[record];
    const double held = std::clamp(output, lower, upper);
    if (!std::isfinite(output) || held == output) continue;
    output = held;
    predictions.num_clamped += table.contributes[record] != 0 ? 1 : 0;
    if (predictions.loss.empty()) continue;
    scored.output_gradient = {held};
    model.losses(table, {&record, 1}, scored, {&predictions.loss[record], 1});
  }
  return predictions;
}

}  // namespace equinoise
