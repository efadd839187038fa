// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/encoder.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// The table, encoded for its uses.
struct EncodedParts {
  EncodedTable train;
  EncodedTable test;
  EncodedTable curve;                             ///< the first of the held-out records
  std::vector<std::vector<GroupId>> test_groups;  ///< (groupings) of (held-out records)
  std::vector<GroupId> test_contexts;  ///< (held-out records), of the constraints if there are any
};

/// Reads the table; of it only the encoded parts are kept.
EncodedParts read_parts(const TrainingSetup& setup, const TrainRequest& request,
                        TrainProgress& progress, TrainingReport& report);

}  // namespace equinoise
