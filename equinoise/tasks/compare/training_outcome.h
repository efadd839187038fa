// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema.h"
#include "equinoise/data/split.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// Groups with fewer held-out records than this in one of the splits count neither as the worst
/// group nor in the gap: chance would decide which is worst. About 300 of all records.
inline constexpr int64_t kLeastHeldOut = 75;

/// What is true of the held-out records of one split, whatever the method.
struct HeldOutFacts {
  std::vector<int64_t> group_sizes;  ///< (groups of all groupings) records that contribute
  double target_variance = 0;        ///< of a numeric target, about its mean; in its own units
  double constant_error = 0;         ///< of the best constant prediction; NaN where undefined
};

/// Of each grouping only the columns are read.
HeldOutFacts held_out_facts(const Dataset& table, const Schema& schema,
                            std::span<const Grouping> groupings, const GroupFloor& floor,
                            const Split& split);

/// The errors of a run and how it keeps constraints, of a CompareRun nothing else. An error is the
/// share of wrong classes, or the mean squared error over that of the mean target of all held-out
/// records.
CompareRun figures_of_run(const TrainingReport& report, const HeldOutFacts& facts);

}  // namespace equinoise
