// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/tasks/train/train_request.h"
#include "equinoise/train/registry.h"

namespace equinoise {

/// Whether groups by these columns reveal the target.
bool tells_target(const std::vector<std::string>& columns, const Schema& schema);

bool has_constraints(const TrainRequest& request);

/// Refuses features of a request that the method does not support, by its traits. Errors: kUsage.
void check_traits(const TrainRequest& request, const Schema& schema, const TrainingMethodRow& row);

}  // namespace equinoise
