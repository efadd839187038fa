// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/methods/sufficient_statistics.h"

namespace equinoise {

/// sufficient_statistics with the sums of each group instead of those of everybody, for the same
/// cost, since a record is in one group: the regression can then weigh groups, and what it tells of
/// each group is released. Sums of everybody are those of all groups added up, with the noise of
/// all of them.
class GroupStatistics final : public SufficientStatistics {
 public:
  const TrainingOptions& options() const override;
  bool uses_groups() const override { return true; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
};

}  // namespace equinoise
