// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "equinoise/train/plan.h"

namespace equinoise {

/// Standard deviations of the noise on the second moments of a regression.
struct NoiseOfMoments {
  double square = 0;  ///< of the sum of a number's squares
  double count = 0;   ///< of the number of records in a category
  /// The number of standard deviations that must be left of a feature next to the others for an
  /// interval with ends.
  double least = 0;
};

/// The number of coefficients of a regression with an interval with ends, from public facts alone:
/// features as the schema suggests them (TrainingFacts::typical_features), none of which says what
/// another one does. record: the mean weight of a record. The noise of entries off the diagonal
/// takes its part from what is left of each feature, as in without_hidden, on average.
size_t expected_coefficients(const TrainingFacts& facts, double record,
                             const NoiseOfMoments& noise);

/// Adds their number to the settings of a plan, and to its notes unless all are expected. Empty:
/// the plan releases none, and says so itself.
void note_expected_coefficients(const std::optional<size_t>& expected, TrainingPlan& plan);

}  // namespace equinoise
