// SPDX-License-Identifier: Apache-2.0
#include "equinoise/groups/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/sha256.h"
#include "equinoise/data/schema/public_sizes.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/units.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {
namespace {

constexpr size_t kMaxNamed = 5;

constexpr Refusal refuse{ErrorKind::kUsage, "groups.grouping"};

/// The column or group attribute that a name of a grouping refers to.
struct Dimension {
  const ColumnSchema* column = nullptr;
  const GroupAttribute* attribute = nullptr;  ///< nullptr: the categories of the column itself

  std::vector<std::string> categories() const {
    return attribute != nullptr ? attribute->categories() : column->categories();
  }
};

/// The lines to add to the schema for grouping by a numeric column.
std::string band_example(const ColumnSchema& column) {
  const double middle = column.lower + (column.upper - column.lower) / 2;
  return fmt::format(
      "[groups.{}]\ncolumn = {}\ncuts = [{}]", toml_key(column.name + "_band"),
      toml_string(column.name),
      column.time ? toml_string(column.text_of(std::floor(middle))) : column.text_of(middle));
}

/// The categorical column or group attribute of that name. Errors: kUsage; the message lists names
/// to group by.
Dimension find_dimension(const Schema& schema, const std::string& name) {
  const GroupAttribute* attribute = schema.find_group_attribute(name);
  if (attribute != nullptr) return {&schema.column(attribute->column), attribute};
  const ColumnSchema* column = schema.find_column(name);
  if (column == nullptr) {
    const std::string before_value = name.substr(0, name.find('='));
    if (schema.find_column(before_value) != nullptr ||
        schema.find_group_attribute(before_value) != nullptr) {
      refuse(
          "there is no column '{}' to group by; write '{}' alone: groups are all of "
          "its values",
          name, before_value);
    }
    std::vector<std::string> candidates;
    for (const ColumnSchema& c : schema.columns) {
      if (c.type == ColumnType::kCategorical || c.name.find(',') != std::string::npos)
        candidates.push_back(c.name);
    }
    for (const GroupAttribute& a : schema.group_attributes) candidates.push_back(a.name);
    refuse("there is no column '{}' to group by{}", name, did_you_mean_in_list(name, candidates));
  }
  if (column->type == ColumnType::kNumeric) {
    refuse(
        "column '{}' is numeric; to group by its bands, add this to the schema with "
        "your own cuts and group by its name:\n{}",
        name, band_example(*column));
  }
  if (column->type == ColumnType::kIgnored) {
    refuse(
        "column '{}' is ignored; groups are made from categorical columns and the "
        "[groups] of the schema",
        name);
  }
  return {column, nullptr};
}

/// "sex=Female, race=White"
std::string name_of(const GroupLabel& group) {
  std::string name;
  for (const auto& [column, value] : group) {
    name += fmt::format("{}{}={}", name.empty() ? "" : ", ", column, value);
  }
  return name;
}

/// Every combination, without any floor.
Grouping combine(const Schema& schema, const std::vector<std::string>& columns) {
  if (columns.empty()) refuse("name at least one column to group by");
  Grouping grouping;
  grouping.columns = columns;
  grouping.groups = {GroupLabel()};
  for (auto name = columns.begin(); name != columns.end(); ++name) {
    if (std::find(columns.begin(), name, *name) != name)
      refuse("column '{}' is named twice", *name);
    const std::vector<std::string> categories = find_dimension(schema, *name).categories();
    if (grouping.groups.size() * categories.size() > kMaxGroups) {
      refuse("more than {} groups; group by fewer columns", kMaxGroups);
    }
    std::vector<GroupLabel> refined;
    refined.reserve(grouping.groups.size() * categories.size());
    for (const GroupLabel& group : grouping.groups) {
      for (const std::string& category : categories) {
        refined.push_back(group);
        refined.back().emplace_back(*name, category);
      }
    }
    grouping.groups = std::move(refined);
  }
  grouping.public_sizes.reserve(grouping.groups.size());
  const PublicSizes sizes(schema);
  for (const GroupLabel& group : grouping.groups) grouping.public_sizes.push_back(sizes.of(group));
  return grouping;
}

/// (num_groups) whether a group is below the floor. Every group needs a public size.
std::vector<bool> find_small(const Grouping& grouping, int64_t min_size) {
  std::vector<bool> is_small;
  for (size_t i = 0; i < grouping.groups.size(); ++i) {
    if (!grouping.public_sizes[i]) {
      std::string pairs;
      for (const auto& [column, value] : grouping.groups[i]) {
        pairs += fmt::format("{}{} = {}", pairs.empty() ? "" : ", ", toml_key(column),
                             toml_string(value));
      }
      refuse(
          "the size of group {} is not declared, so nobody knows whether it is small; "
          "keep small groups, or add the public size of every group "
          "to the schema:\n[[public.groups]]\ngroup = {{ {} }}\nnum_records = NUMBER",
          name_of(grouping.groups[i]), pairs);
    }
    is_small.push_back(*grouping.public_sizes[i] < min_size);
  }
  return is_small;
}

[[noreturn]] void refuse_small_groups(const Grouping& grouping, const std::vector<bool>& is_small,
                                      int64_t min_size) {
  const auto num_small = static_cast<size_t>(std::ranges::count(is_small, true));
  std::string names;
  size_t num_named = 0;
  for (size_t i = 0; i < is_small.size() && num_named < kMaxNamed; ++i) {
    if (!is_small[i]) continue;
    names += fmt::format("{}{} ({})", names.empty() ? "" : "; ", name_of(grouping.groups[i]),
                         *grouping.public_sizes[i]);
    ++num_named;
  }
  refuse(
      "{} of {} groups have fewer than {} records: {}{}; merge or keep them, or group "
      "by fewer columns",
      num_small, is_small.size(), min_size, names, num_small > num_named ? "; ..." : "");
}

/// A grouping after the floor, and the group of each combination.
struct Floored {
  Grouping grouping;
  std::vector<uint32_t> group_of_combination;
};

Floored merge(const Grouping& all, const std::vector<bool>& is_small) {
  Floored result;
  result.grouping.columns = all.columns;
  GroupLabel merged;
  for (const std::string& column : all.columns) merged.emplace_back(column, kSmallGroups);
  if (contains(all.groups, merged)) {
    refuse("a group is called {} already; rename that category, or keep small groups",
           kSmallGroups);
  }
  const auto num_kept = static_cast<uint32_t>(std::ranges::count(is_small, false));
  int64_t merged_size = 0;
  for (size_t i = 0; i < is_small.size(); ++i) {
    if (is_small[i]) {
      merged_size += *all.public_sizes[i];
      result.group_of_combination.push_back(num_kept);
      continue;
    }
    result.group_of_combination.push_back(static_cast<uint32_t>(result.grouping.groups.size()));
    result.grouping.groups.push_back(all.groups[i]);
    result.grouping.public_sizes.push_back(all.public_sizes[i]);
  }
  result.grouping.groups.push_back(std::move(merged));
  result.grouping.public_sizes.emplace_back(merged_size);
  return result;
}

Floored combine_above(const GroupFloor& floor, const Schema& schema,
                      const std::vector<std::string>& columns) {
  if (floor.min_size < 0) {
    refuse("the smallest size of a group must be >= 0, got {}", floor.min_size);
  }
  Floored result;
  result.grouping = combine(schema, columns);
  if (floor.policy != SmallGroups::kKeep) {
    const std::vector<bool> is_small = find_small(result.grouping, floor.min_size);
    const bool is_any_small = contains(is_small, true);
    if (is_any_small && floor.policy == SmallGroups::kRefuse) {
      refuse_small_groups(result.grouping, is_small, floor.min_size);
    }
    if (is_any_small) return merge(result.grouping, is_small);
  }
  result.group_of_combination.resize(result.grouping.groups.size());
  for (uint32_t i = 0; i < result.group_of_combination.size(); ++i)
    result.group_of_combination[i] = i;
  return result;
}

/// Returns whether cells of the column are compared as numbers.
bool are_numbers(const ColumnSchema& column) {
  const std::vector<std::string>& texts = column.texts();
  return column.type == ColumnType::kNumeric ||
         (column.type == ColumnType::kCategorical &&
          std::ranges::all_of(
              texts, [](const std::string& value) { return parse_number(value).has_value(); }));
}

/// "sex,race#1f2e3d4c5b6a7988". Texts in the digest are preceded by their length, so that different
/// schemas give different digests.
std::string partition_of(const Schema& schema, const Floored& floored) {
  std::string told;
  const auto tell = [&](std::string_view text) {
    told += fmt::format("{}:{};", text.size(), text);
  };
  const auto tell_all = [&](const auto& values) {
    told += fmt::format("{}[", std::size(values));
    for (const auto& value : values) tell(fmt::format("{}", value));
  };
  tell_all(schema.missing_values);
  for (const std::string& name : floored.grouping.columns) {
    const Dimension dimension = find_dimension(schema, name);
    const ColumnSchema& column = *dimension.column;
    tell(name);
    tell(column.name);
    tell_all(column.values);
    tell_all(std::array{static_cast<double>(column.type), static_cast<double>(column.missing),
                        static_cast<double>(column.unknown), column.lower, column.upper,
                        column.fill});
    // Added only if older versions lacked the rule, so that the names in their ledgers stay the
    // same.
    if (column.malformed != MalformedPolicy::kStop)
      tell(fmt::format("malformed {}", static_cast<int>(column.malformed)));
    if (!column.missing_values.empty()) tell_all(column.missing_values);
    if (column.time) tell(to_string(*column.time));
    if (!column.cell_texts.empty()) tell_all(column.cell_texts);
    if (column.thousands != '\0') tell(fmt::format("thousands {}", column.thousands));
    if (!column.number_unit.empty()) tell("unit " + column.number_unit);
    if (schema.layout.decimal_comma && !column.time && are_numbers(column)) tell("decimal comma");
    if (schema.layout.encoding != Encoding::kUtf8 && column.type == ColumnType::kCategorical)
      tell("latin1");
    if (!schema.layout.has_header) tell(fmt::format("column {}", &column - schema.columns.data()));
    if (dimension.attribute == nullptr) continue;
    tell_all(dimension.attribute->cuts);
    tell_all(dimension.attribute->values);
    tell(dimension.attribute->rest);
  }
  tell_all(floored.group_of_combination);
  // All columns decide which rows of a unit count, and so which group most of them are in.
  if (schema.has_unit_column()) tell(schema.source_text);
  return fmt::format("{}#{}", fmt::join(floored.grouping.columns, ","),
                     sha256_hex(told).substr(0, 16));
}

[[noreturn]] void fail_foreign_column(const std::string& name) {
  refuse(
      "column '{}' does not have this form in the dataset; group with the schema that "
      "the table was read with",
      name);
}

/// Refines (num_records) combinations by the band of each number.
void refine_by_bands(const Dataset& dataset, const GroupAttribute& attribute,
                     std::vector<uint32_t>& combinations) {
  const NumericColumn* column = dataset.find_numeric(attribute.column);
  if (column == nullptr) fail_foreign_column(attribute.column);
  const std::vector<double>& cuts = attribute.cuts;
  const auto width = static_cast<uint32_t>(cuts.size() + 1);
  for (size_t r = 0; r < combinations.size(); ++r) {
    const auto band = std::ranges::upper_bound(cuts, column->values[r]) - cuts.begin();
    combinations[r] = combinations[r] * width + static_cast<uint32_t>(band);
  }
}

/// Refines (num_records) combinations by the category of each record, or by the attribute's
/// category for it.
void refine_by_categories(const Dataset& dataset, const Dimension& dimension,
                          std::vector<uint32_t>& combinations) {
  const CategoricalColumn* column = dataset.find_categorical(dimension.column->name);
  if (column == nullptr || column->categories != dimension.column->categories()) {
    fail_foreign_column(dimension.column->name);
  }
  std::vector<uint32_t> category_of_code = numbers_below<uint32_t>(column->categories.size());
  auto width = static_cast<uint32_t>(category_of_code.size());
  if (dimension.attribute != nullptr) {
    // Values that the attribute does not list belong to its last category, the rest.
    const std::vector<std::string>& values = dimension.attribute->values;
    const auto rest = static_cast<uint32_t>(values.size());
    std::unordered_map<std::string_view, uint32_t> places;
    for (uint32_t i = 0; i < rest; ++i) places.emplace(values[i], i);
    for (uint32_t& category : category_of_code) {
      const auto found = places.find(column->categories[category]);
      category = found == places.end() ? rest : found->second;
    }
    width = rest + 1;
  }
  for (size_t r = 0; r < combinations.size(); ++r) {
    combinations[r] = combinations[r] * width + category_of_code[column->codes[r]];
  }
}

}  // namespace

std::string group_name(const GroupLabel& group) {
  std::vector<std::string> values;
  for (const auto& [column, value] : group) values.push_back(value);
  return fmt::format("{}", fmt::join(values, ","));
}

std::vector<std::string> group_names(const Grouping& grouping) {
  std::vector<std::string> names;
  std::map<std::string, const GroupLabel*> known;
  for (const GroupLabel& group : grouping.groups) {
    names.push_back(group_name(group));
    const auto [same, is_new] = known.emplace(names.back(), &group);
    if (is_new) continue;
    refuse("the groups {} and {} would have the same name, \"{}\"; rename a category",
           name_of(*same->second), name_of(group), names.back());
  }
  return names;
}

void require_distinct(const std::vector<std::vector<std::string>>& groupings) {
  for (auto grouping = groupings.begin(); grouping != groupings.end(); ++grouping) {
    if (std::find(groupings.begin(), grouping, *grouping) != grouping) {
      refuse("--groups {} is given twice", fmt::join(*grouping, ","));
    }
  }
}

Grouping list_groups(const Schema& schema, const std::vector<std::string>& columns,
                     const GroupFloor& floor) {
  Floored floored = combine_above(floor, schema, columns);
  floored.grouping.partition = partition_of(schema, floored);
  return std::move(floored.grouping);
}

Grouping without_empty_groups(Grouping grouping) {
  size_t kept = 0;
  for (size_t k = 0; k < grouping.groups.size(); ++k) {
    if (grouping.public_sizes[k] == 0) continue;
    std::swap(grouping.groups[kept], grouping.groups[k]);
    std::swap(grouping.public_sizes[kept], grouping.public_sizes[k]);
    ++kept;
  }
  grouping.groups.resize(kept);
  grouping.public_sizes.resize(kept);
  return grouping;
}

std::vector<std::string> names_of_empty_groups(const Grouping& grouping) {
  std::vector<std::string> names;
  for (size_t k = 0; k < grouping.groups.size(); ++k)
    if (grouping.public_sizes[k] == 0) names.push_back(group_name(grouping.groups[k]));
  return names;
}

Grouping group_by(const Dataset& dataset, const Schema& schema,
                  const std::vector<std::string>& columns, const GroupFloor& floor) {
  Floored floored = combine_above(floor, schema, columns);
  floored.grouping.partition = partition_of(schema, floored);
  std::vector<uint32_t> combinations(static_cast<size_t>(dataset.num_records), 0);
  for (const std::string& name : columns) {
    const Dimension dimension = find_dimension(schema, name);
    if (dimension.column->type == ColumnType::kNumeric) {
      refine_by_bands(dataset, *dimension.attribute, combinations);
    } else {
      refine_by_categories(dataset, dimension, combinations);
    }
  }
  floored.grouping.group_of.reserve(combinations.size());
  for (const uint32_t combination : combinations) {
    floored.grouping.group_of.push_back(GroupId{floored.group_of_combination[combination]});
  }
  return std::move(floored.grouping);
}

std::vector<std::string> columns_behind(const Schema& schema,
                                        const std::vector<std::string>& columns) {
  std::vector<std::string> behind;
  for (const std::string& name : columns)
    behind.push_back(find_dimension(schema, name).column->name);
  return behind;
}

std::vector<uint8_t> without_group(const Dataset& dataset, const Schema& schema,
                                   const std::vector<std::string>& columns) {
  std::vector<uint8_t> has_none(static_cast<size_t>(dataset.num_records), 0);
  for (const std::string& name : columns) {
    const std::string& column = find_dimension(schema, name).column->name;
    const NumericColumn* numeric = dataset.find_numeric(column);
    const std::vector<uint8_t>& dropped =
        numeric != nullptr ? numeric->dropped : dataset.find_categorical(column)->dropped;
    for (size_t i = 0; i < dropped.size(); ++i) has_none[i] |= dropped[i];
  }
  return has_none;
}

Grouping group_units_by(const Dataset& dataset, const Schema& schema,
                        const std::vector<std::string>& columns, const GroupFloor& floor) {
  Grouping grouping = group_by(dataset, schema, columns, floor);
  if (dataset.unit_begin.empty()) return grouping;
  std::vector<uint8_t> has_say = without_group(dataset, schema, columns);
  for (uint8_t& row : has_say) row = row == 0 ? 1 : 0;
  settle_groups(dataset.unit_begin, grouping.group_of, has_say);
  return grouping;
}

}  // namespace equinoise
