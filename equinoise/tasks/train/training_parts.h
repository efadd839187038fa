// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/encoder.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// The table, encoded for its uses.
struct EncodedParts {
  EncodedTable train;
  EncodedTable test;
  EncodedTable curve;                             ///< the first of the held-out records
  std::vector<std::vector<GroupId>> test_groups;  ///< (groupings) of (held-out records)
  std::vector<GroupId> test_contexts;  ///< (held-out records), of the constraints, if any
};

/// The most bytes that a run with held-out records keeps for each record of counted rows: its
/// position in the list of them, its row, target, whether it counts, and its group.
inline constexpr int64_t kTrainingBytesOfRecord = 17;

/// Encodes the table, and adds warnings about it to the report.
EncodedParts encode_parts(const Dataset& dataset, const TrainingSetup& setup,
                          const TrainRequest& request, TrainProgress& progress,
                          TrainingReport& report);

}  // namespace equinoise
