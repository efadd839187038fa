// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/plan.h"

namespace equinoise {

/// Of a model with one score, linear in its features.
size_t num_features(const TrainingFacts& facts);

/// The root of the mean squared norm of features, from their middles and in their half widths.
double typical_feature_norm(const TrainingFacts& facts);

/// A norm that few records' features are above.
double usual_row_bound(const TrainingFacts& facts);

/// Whether noise is expected to hide all coefficients: those of features whose sum of squares is at
/// most `least`, of up to 1 for each record. Then none is released, since noise would have to be
/// lucky to show one. Public.
bool hides_coefficients(double least, const TrainingFacts& facts);

/// Adds the note that says so to a plan.
void note_hidden_coefficients(double least, TrainingPlan& plan);

inline constexpr size_t kMostMomentFeatures = 2000;  ///< whose second moments are 16 MB

}  // namespace equinoise
