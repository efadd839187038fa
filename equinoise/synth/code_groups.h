// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/synth/column_codes.h"

namespace equinoise {

/// Groups that the codes of a column make up: a [groups.NAME] of the schema, or each code by
/// itself. Public.
struct CodeGroups {
  std::string name;
  size_t column = 0;  ///< position among those of the model
  std::vector<std::string> groups;
  std::vector<size_t> group_of;  ///< (codes)

  /// (codes) 1 for those of a group, else 0.
  std::vector<double> weights(size_t group) const;

  /// The number of the group of that name.
  std::optional<size_t> find(std::string_view group) const;
};

/// The groups of an attribute of the column at a position. No bin is in two bands (own_edges()).
CodeGroups code_groups(const GroupAttribute& attribute, const std::vector<ColumnCodes>& columns,
                       size_t position);

/// The groups of all attributes whose columns the model has.
std::vector<CodeGroups> code_groups(const Schema& schema, const std::vector<ColumnCodes>& columns);

/// Each code of a column as a group.
CodeGroups single_codes(const std::vector<ColumnCodes>& columns, size_t position);

/// {"name", "column", "groups", "group_of"}, the column by its name; and back. Errors: kInput that
/// names `place` for what does not fit the columns.
nlohmann::ordered_json to_json(const CodeGroups& groups, const std::vector<ColumnCodes>& columns);
CodeGroups code_groups_from_json(const nlohmann::json& json,
                                 const std::vector<ColumnCodes>& columns, const std::string& place);

}  // namespace equinoise
