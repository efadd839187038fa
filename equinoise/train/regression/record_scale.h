// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/training_options.h"

namespace equinoise {

/// The number of features of a model with one score, linear in its features.
size_t num_features(const TrainingFacts& facts);

/// The root of the mean squared norm of features, relative to their middles and half widths.
double typical_feature_norm(const TrainingFacts& facts);

/// A norm that few records exceed.
double usual_row_bound(const TrainingFacts& facts);

/// The option row_bound, for methods that sum products of features, and its value.
const TrainingOptions& row_bound_options();
double row_bound_of(const TrainingConfig& config, const TrainingFacts& facts);

inline constexpr size_t kMaxMomentFeatures = 2000;  ///< their second moments take 16 MB

}  // namespace equinoise
