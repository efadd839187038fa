// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/record_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

constexpr std::string_view kWeightsWhere = "tasks.weights";

[[noreturn]] void refuse_weights(const std::string& name, const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWeightsWhere, "{} {}: {}", kWeightOption, name, problem);
}

}  // namespace

const ColumnSchema& weight_column(const Schema& schema, const std::string& name) {
  const ColumnSchema& column = schema.column(name);
  if (column.type != ColumnType::kNumeric || column.time) {
    refuse_weights(
        name, fmt::format("the column is {}, but weights are numbers; declare it in the schema "
                          "with type = \"numeric\", bounds = [0, LARGEST] and feature = false",
                          column.type == ColumnType::kIgnored   ? "ignored"
                          : column.type == ColumnType::kNumeric ? "a date or a time"
                                                                : "categorical"));
  }
  if (!(column.lower >= 0)) {
    refuse_weights(name, fmt::format("its bounds begin at {}, but no weight is below 0; declare "
                                     "bounds = [0, {}] in the schema",
                                     column.lower, column.upper));
  }
  return column;
}

void leave_out_unweighed(Schema& schema, const std::string& name) {
  for (ColumnSchema& column : schema.columns)
    if (column.name == name && column.may_be_missing) column.missing = MissingPolicy::kDrop;
}

void require_only_weights(const Schema& schema, const std::string& name,
                          std::span<const std::string> columns,
                          std::span<const std::vector<std::string>> groupings) {
  if (contains(columns, name))
    refuse_weights(name, "the column is named for another use, too; weights are only weights");
  for (const std::vector<std::string>& grouping : groupings) {
    for (const std::string& group : grouping) {
      const GroupAttribute* attribute = schema.find_group_attribute(group);
      if ((attribute == nullptr ? group : attribute->column) != name) continue;
      refuse_weights(name, fmt::format("groups by '{}' are made of the column, too; weights are "
                                       "only weights",
                                       group));
    }
  }
}

Weighting weigh_records(const NumericColumn& column, std::vector<uint8_t>& contributes,
                        std::span<const uint32_t> row_counts) {
  Weighting weighting{column.name, std::vector<double>(contributes.size(), 0.0)};
  const auto is_set = [](const std::vector<uint8_t>& flags, size_t record) {
    return !flags.empty() && flags[record] != 0;
  };
  double largest = 0;
  for (size_t i = 0; i < contributes.size(); ++i) {
    if (contributes[i] == 0) continue;
    const bool is_unknown = is_set(column.missing, i) || is_set(column.dropped, i);
    const double weight = is_unknown ? 0 : column.values[i];
    const int64_t num_records = row_counts.empty() ? 1 : row_counts[i];
    if (is_unknown) weighting.num_unknown += num_records;
    if (!is_unknown && weight == 0) weighting.num_weightless += num_records;
    if (weight == 0) contributes[i] = 0;
    weighting.weights[i] = weight;
    largest = std::max(largest, weight);
  }
  if (largest == 0) return weighting;
  weighting.unit = power_of_two_below(largest);
  for (double& weight : weighting.weights) weight /= weighting.unit;
  return weighting;
}

std::vector<std::string> weighting_notes(const Weighting& weighting) {
  std::vector<std::string> notes;
  const auto note = [&](int64_t count, const char* what) {
    if (count > 0)
      notes.push_back(fmt::format("column {}: {} {}", weighting.column, format_count(count), what));
  };
  note(weighting.num_unknown, "records have no weight and are left out");
  note(weighting.num_weightless, "records have weight 0 and count for nothing");
  if (weighting.unit == 0)
    notes.push_back(fmt::format("column {}: no record has a weight above 0, so there is no figure",
                                weighting.column));
  return notes;
}

}  // namespace equinoise
