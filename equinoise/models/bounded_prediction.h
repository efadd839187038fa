// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "equinoise/models/model.h"

namespace equinoise {

/// Model::predict, but a number beyond the public bounds of the target becomes the nearer bound, as
/// targets do when they are read, and so does its loss; Predictions::num_clamped says how many.
/// What is not finite stays as it is: it is no prediction. Post-processing of the model.
///
/// For all reports about a model. Training, and published experiments that define their loss
/// otherwise, take Model::predict.
Predictions predict_within_bounds(const Model& model, const EncodedTable& table,
                                  std::span<const double> parameters, int threads = 1);

}  // namespace equinoise
