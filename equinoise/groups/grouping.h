// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// A grouping with more groups is an error.
inline constexpr size_t kMaxGroups = 65'536;

/// The value of every column in the group that small groups are merged into.
inline constexpr std::string_view kSmallGroups = "(small groups)";

/// The remedy for a group without a public size, printed after "which is not declared; ".
inline constexpr std::string_view kHowToDeclareSizes =
    "declare it in [[public.groups]] of the schema, or pay for noisy sizes with equinoise schema "
    "sizes";

/// The treatment of groups whose public size is below a floor.
enum class SmallGroups {
  kKeep,    ///< They stay as they are.
  kMerge,   ///< They become one group, in which every column has the value kSmallGroups.
  kRefuse,  ///< An error names them.
};

/// A floor for the sizes of groups. It uses only declared public sizes.
struct GroupFloor {
  int64_t min_size = 0;
  SmallGroups policy = SmallGroups::kKeep;
};

/// Disjoint groups of records: every combination of the categories of one or several columns or
/// group attributes, occurring or not. The list of groups comes from the schema and is public; the
/// group of each record is not.
struct Grouping {
  std::vector<std::string> columns;
  std::string partition;           ///< the division's name in events: "sex,race#DIGEST", see below
  std::vector<GroupLabel> groups;  ///< (num_groups), the last column varies fastest
  std::vector<std::optional<int64_t>> public_sizes;  ///< (num_groups), if the schema declares them
  std::vector<GroupId> group_of;  ///< (num_records); empty if only the list was requested
};

/// The name of a group in events, "Female,White". The name of the division consists of its columns
/// and a digest of everything in the schema that decides the group of a record: cuts, categories,
/// the treatment of missing and unknown cells, small groups that are merged. Costs under one name
/// add up as costs of the same people, so different divisions need different names. Errors of
/// group_names: kUsage if two groups have one name.
std::string group_name(const GroupLabel& group);
std::vector<std::string> group_names(const Grouping& grouping);

/// Throws a usage error if two groupings name the same columns in the same order.
void require_distinct(const std::vector<std::vector<std::string>>& groupings);

/// The columns of the table that determine these groups, by name. Errors: as group_by for one of
/// `columns`.
std::vector<std::string> columns_behind(const Schema& schema,
                                        const std::vector<std::string>& columns);

/// The list of groups that group_by makes, from the schema alone. Errors: as group_by.
Grouping list_groups(const Schema& schema, const std::vector<std::string>& columns,
                     const GroupFloor& floor = {});

/// The list without the groups that the schema declares to be empty. Pre: group_of is empty.
Grouping without_empty_groups(Grouping grouping);

/// The names of these groups.
std::vector<std::string> names_of_empty_groups(const Grouping& grouping);

/// The grouping by the intersections of `columns` (names of categorical columns or of group
/// attributes, at least one, no duplicates; the target may be one). Errors: kUsage for an unknown,
/// numeric (the message shows how to declare bands), ignored or repeated column; for more than
/// 65,536 groups; with kMerge or kRefuse for a group without a declared public size, and with
/// kRefuse for a group below the floor.
Grouping group_by(const Dataset& dataset, const Schema& schema,
                  const std::vector<std::string>& columns, const GroupFloor& floor = {});

/// (num_records) 1 if a rule of the schema drops a cell that determines the record's group. The
/// record is then in no group, whatever group_by gives for it.
std::vector<uint8_t> without_group(const Dataset& dataset, const Schema& schema,
                                   const std::vector<std::string>& columns);

/// Groups as group_by does. If units have several rows, all rows of a unit are in the group of most
/// of its rows that are in one (settle_groups).
Grouping group_units_by(const Dataset& dataset, const Schema& schema,
                        const std::vector<std::string>& columns, const GroupFloor& floor = {});

}  // namespace equinoise
