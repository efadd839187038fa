// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/kept_gaps.h"

#include <algorithm>

#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

std::string why_dropped(const Schema& schema, const ColumnSchema& target,
                        const std::vector<std::string>& strata) {
  const auto is_stratum = [&](const std::string& name) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    return (attribute == nullptr ? name : attribute->column) == target.name;
  };
  if (std::ranges::any_of(strata, is_stratum))
    return "strata are made by it, and nobody declares how many are without one";
  if (has_bands(schema, target))
    return "[groups.NAME] cuts it into bands, which have no place for them";
  if (contains(target.values, "missing")) return "\"missing\" is one of its values already";
  return "";
}

}  // namespace

std::string keep_unlabelled(Schema& schema, const std::vector<std::string>& strata) {
  const auto target = std::ranges::find(schema.columns, schema.target, &ColumnSchema::name);
  if (target == schema.columns.end() || target->missing == MissingPolicy::kNone ||
      (target->may_be_missing && schema.missing_use == MissingUse::kDrop))
    return "";
  std::string reason = why_dropped(schema, *target, strata);
  target->missing = reason.empty() ? MissingPolicy::kCategory : MissingPolicy::kDrop;
  return reason;
}

std::vector<std::string> keep_gaps(Schema& schema) {
  std::vector<std::string> kept;
  for (ColumnSchema& column : schema.columns) {
    if (column.missing != MissingPolicy::kFill || has_bands(schema, column)) continue;
    column.missing = MissingPolicy::kCategory;
    kept.push_back(column.name);
  }
  return kept;
}

}  // namespace equinoise
