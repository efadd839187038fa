// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/tasks/predict/saved_model.h"

namespace equinoise {

/// The model's schema without the columns that its predictions do not depend on, so that no cell in
/// them drops a record. `with_target`: the target is kept.
Schema schema_of_inputs(const SavedModel& saved, bool with_target);

/// The value of EncodedTable::groups for predictions on `records` of a table that was read by
/// `schema`; empty if the model does not use groups. Errors: kInput if `schema` lists other groups
/// than the model has.
std::vector<GroupId> groups_of_model(const SavedModel& saved, const Dataset& dataset,
                                     const Schema& schema, std::span<const uint32_t> records);

}  // namespace equinoise
