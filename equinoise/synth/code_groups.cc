// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/code_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

std::vector<double> CodeGroups::weights(size_t group) const {
  std::vector<double> result;
  for (const size_t own : group_of) result.push_back(own == group ? 1 : 0);
  return result;
}

std::optional<size_t> CodeGroups::find(std::string_view group) const {
  const auto found = std::ranges::find(groups, group);
  if (found == groups.end()) return std::nullopt;
  return static_cast<size_t>(found - groups.begin());
}

CodeGroups code_groups(const GroupAttribute& attribute, const std::vector<ColumnCodes>& columns,
                       size_t position) {
  CodeGroups result{attribute.name, position, attribute.categories(), {}};
  const ColumnCodes& column = columns[position];
  for (size_t code = 0; code < column.num_codes(); ++code) {
    const std::vector<double>& cuts = attribute.cuts;
    const std::vector<std::string>& values = attribute.values;
    result.group_of.push_back(static_cast<size_t>(
        column.is_numeric() ? std::ranges::upper_bound(cuts, column.edges[code]) - cuts.begin()
                            : std::ranges::find(values, column.values[code]) - values.begin()));
  }
  return result;
}

std::vector<CodeGroups> code_groups(const Schema& schema, const std::vector<ColumnCodes>& columns) {
  std::vector<CodeGroups> result;
  for (const GroupAttribute& attribute : schema.group_attributes) {
    if (const auto position = find_column(columns, attribute.column))
      result.push_back(code_groups(attribute, columns, *position));
  }
  return result;
}

CodeGroups single_codes(const std::vector<ColumnCodes>& columns, size_t position) {
  const ColumnCodes& column = columns[position];
  CodeGroups result{column.name, position, {}, numbers_below(column.num_codes())};
  for (size_t code = 0; code < column.num_codes(); ++code)
    result.groups.push_back(column.code_text(code));
  return result;
}

nlohmann::ordered_json to_json(const CodeGroups& groups, const std::vector<ColumnCodes>& columns) {
  return {{"name", groups.name},
          {"column", columns[groups.column].name},
          {"groups", groups.groups},
          {"group_of", groups.group_of}};
}

CodeGroups code_groups_from_json(const nlohmann::json& json,
                                 const std::vector<ColumnCodes>& columns,
                                 const std::string& place) {
  const auto position = find_column(columns, json.at("column").get<std::string>());
  CodeGroups result{json.at("name").get<std::string>(), position.value_or(0),
                    json.at("groups").get<std::vector<std::string>>(),
                    json.at("group_of").get<std::vector<size_t>>()};
  const auto is_known = [&](size_t group) { return group < result.groups.size(); };
  if (!position || result.group_of.size() != columns[*position].num_codes() ||
      !std::ranges::all_of(result.group_of, is_known)) {
    throw Error(ErrorKind::kInput, "synth.code_groups",
                "{}: does not fit the columns of the model; it is damaged, copy it again", place);
  }
  return result;
}

}  // namespace equinoise
