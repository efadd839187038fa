// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "equinoise/models/model.h"

namespace equinoise {

/// Model::predict with predictions clamped to the public bounds of the target, as targets are when
/// they are read. The loss is that of the clamped prediction, and Predictions::num_clamped counts
/// them. Predictions that are not finite are invalid and stay unchanged. Clamping is
/// post-processing of the model.
///
/// For all reports about a model; training, and published experiments that define their loss
/// otherwise, use Model::predict.
inline Predictions predict_within_bounds(const Model& model, const EncodedTable& table,
                                         std::span<const double> parameters, int threads = 1) {
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
    model.losses({table, {&record, 1}}, scored, {&predictions.loss[record], 1});
  }
  return predictions;
}

}  // namespace equinoise
