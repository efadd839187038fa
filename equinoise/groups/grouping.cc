#include "equinoise/groups/grouping.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"

namespace equinoise {
namespace {

constexpr size_t kMaxGroups = 65'536;

[[noreturn]] void fail(std::string_view message) {
  throw Error(ErrorKind::kUsage, "groups.grouping", message);
}

/// The categorical column of that name; anything else is an error that says what to group by.
const ColumnSchema& group_column(const Schema& schema, const std::string& name) {
  const auto column = std::find_if(schema.columns.begin(), schema.columns.end(),
                                   [&](const ColumnSchema& c) { return c.name == name; });
  if (column == schema.columns.end()) {
    std::vector<std::string> candidates;
    for (const ColumnSchema& c : schema.columns) {
      if (c.type == ColumnType::kCategorical) candidates.push_back(c.name);
    }
    const std::string nearest = nearest_name(name, candidates);
    fail(fmt::format("there is no column '{}' to group by{}", name,
                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
  if (column->type != ColumnType::kCategorical) {
    fail(fmt::format("column '{}' is {}; groups are made of categorical columns", name,
                     column->type == ColumnType::kNumeric ? "numeric" : "ignored"));
  }
  return *column;
}

}  // namespace

Grouping list_groups(const Schema& schema, const std::vector<std::string>& columns) {
  if (columns.empty()) fail("name at least one column to group by");
  Grouping grouping;
  grouping.columns = columns;
  grouping.groups = {GroupLabel()};
  for (auto name = columns.begin(); name != columns.end(); ++name) {
    if (std::find(columns.begin(), name, *name) != name)
      fail(fmt::format("column '{}' is named twice", *name));
    const std::vector<std::string> categories = group_column(schema, *name).categories();
    if (grouping.groups.size() * categories.size() > kMaxGroups) {
      fail(fmt::format("more than {} groups; group by fewer columns", kMaxGroups));
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
  for (const GroupLabel& group : grouping.groups)
    grouping.public_sizes.push_back(schema.public_size(group));
  return grouping;
}

Grouping group_by(const Dataset& dataset, const Schema& schema,
                  const std::vector<std::string>& columns) {
  Grouping grouping = list_groups(schema, columns);
  std::vector<uint32_t> codes(static_cast<size_t>(dataset.num_records), 0);
  for (const std::string& name : columns) {
    const CategoricalColumn* column = dataset.find_categorical(name);
    if (column == nullptr || column->categories != schema.column(name).categories()) {
      fail(
          fmt::format("column '{}' of the schema is not in the dataset in that form; group with "
                      "the schema that the table "
                      "was read with",
                      name));
    }
    const auto width = static_cast<uint32_t>(column->categories.size());
    for (size_t r = 0; r < codes.size(); ++r) codes[r] = codes[r] * width + column->codes[r];
  }
  grouping.group_of.reserve(codes.size());
  for (const uint32_t code : codes) grouping.group_of.push_back(GroupId{code});
  return grouping;
}

}  // namespace equinoise
