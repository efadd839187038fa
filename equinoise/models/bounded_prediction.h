// SPDX-License-Identifier: Apache-2.0
#pragma once

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
Predictions predict_within_bounds(const Model& model, const EncodedTable& table,
                                  std::span<const double> parameters, int threads = 1);

}  // namespace equinoise
