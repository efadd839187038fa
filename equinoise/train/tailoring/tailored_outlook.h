// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/groups/group_outlook.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/tailoring/group_budgets.h"

namespace equinoise {

/// What dpse is expected to do, by OutlookFacts and the run's public plan alone.
struct TailoredOutlook {
  GroupGoal goal;                     ///< of several that of the smallest largest error
  std::vector<double> shares;         ///< (groups) of the budget of descent
  std::vector<ExpectedError> errors;  ///< (groups)
};

/// The shares are those of stage one's mean squared residuals as one model with records alike is
/// expected to have them, each raised to the noise on it, as stage one does. Under bounded group
/// loss the group furthest above its bound changes from step to step, so that its extra weight is
/// shared out in the long run; by how much is found by fictitious play on expected losses with
/// their noise and that of iterates: each group gets the next bit with the probability that it
/// would be worst after what has been given so far.
///
/// num_averaged: iterates whose mean is the model. Errors: as GroupBudgets.
TailoredOutlook tailored_outlook(const OutlookFacts& facts, const TrainingPlan& plan,
                                 int64_t num_averaged);

}  // namespace equinoise
