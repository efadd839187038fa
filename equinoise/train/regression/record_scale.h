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

/// Returns whether noise is expected to hide all coefficients: those of features with a sum of
/// squares of at most `least`, of up to 1 for each record. Then none is released, since only
/// exceptional noise would show one. Public.
bool hides_coefficients(double least, const TrainingFacts& facts);

/// Adds a note about hidden coefficients to a plan.
void note_hidden_coefficients(double least, TrainingPlan& plan);

inline constexpr size_t kMaxMomentFeatures = 2000;  ///< their second moments take 16 MB

}  // namespace equinoise
