#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema.h"

namespace equinoise {

/// Disjoint groups of records: every combination of the categories of one or several columns,
/// whether or not it occurs. The list of groups comes from the schema and is public; who is in
/// which group is not.
struct Grouping {
  std::vector<std::string> columns;
  std::vector<GroupLabel> groups;  ///< (num_groups), the last column varies fastest
  std::vector<std::optional<int64_t>>
      public_sizes;               ///< (num_groups), where the schema declares them
  std::vector<GroupId> group_of;  ///< (num_records); empty where only the list was asked for
};

/// The list of groups that group_by makes, from the schema alone. Errors: as group_by.
Grouping list_groups(const Schema& schema, const std::vector<std::string>& columns);

/// The grouping by the intersections of `columns` (categorical, at least one, no duplicates; the
/// target may be one). Errors: kUsage for an unknown, numeric, ignored or repeated column, and for
/// more than 65,536 groups.
Grouping group_by(const Dataset& dataset, const Schema& schema,
                  const std::vector<std::string>& columns);

}  // namespace equinoise
