// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/predict/model_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

/// Whether the model needs a record's cell in that column to find its group.
bool decides_group(const SavedModel& saved, const std::string& column) {
  if (!saved.model_per_group) return false;
  return std::ranges::any_of(saved.method_groups, [&](const std::string& name) {
    const GroupAttribute* attribute = saved.schema.find_group_attribute(name);
    return (attribute != nullptr ? attribute->column : name) == column;
  });
}

}  // namespace

Schema schema_of_inputs(const SavedModel& saved, bool with_target) {
  Schema schema = saved.schema;
  for (ColumnSchema& column : schema.columns) {
    const bool is_target = column.name == schema.target;
    const bool is_kept =
        (is_target && with_target) || column.feature || decides_group(saved, column.name);
    if (!is_kept) column.type = ColumnType::kIgnored;
  }
  return schema;
}

std::vector<GroupId> groups_of_model(const SavedModel& saved, const Dataset& dataset,
                                     const Schema& schema, std::span<const uint32_t> records) {
  if (!saved.model_per_group) return {};
  const Grouping grouping = group_units_by(dataset, schema, saved.method_groups);
  if (grouping.partition != list_groups(saved.schema, saved.method_groups).partition) {
    throw Error(ErrorKind::kInput, "tasks.model",
                "the model has a part for each group by {}, but this schema forms "
                "groups in another way; use the columns and [groups] of training",
                fmt::join(saved.method_groups, ", "));
  }
  std::vector<GroupId> ids;
  ids.reserve(records.size());
  for (const uint32_t record : records) ids.push_back(grouping.group_of[record]);
  return ids;
}

}  // namespace equinoise
