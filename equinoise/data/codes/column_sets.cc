// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/column_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/data/codes/code_counter.h"
#include "equinoise/data/counted_rows.h"

namespace equinoise {

namespace {

/// The most rows that a table of the schema has; 0 if the schema has no number of records.
double max_rows_of_table(const Schema& schema) {
  return static_cast<double>(schema.num_records) *
         static_cast<double>(schema.has_unit_column() ? schema.max_records_per_unit : 1);
}

}  // namespace

std::vector<ColumnCoding> codings_for(const Schema& schema, const ColumnSets& sets) {
  std::vector<std::string> used;
  for (const std::vector<std::string>& set : sets) append(used, set);
  return column_codings(schema, used);
}

ColumnPlaces places_of(const ColumnSets& sets, const std::vector<ColumnCoding>& codings) {
  constexpr size_t kFewRows = 4096;
  ColumnPlaces places;
  for (const std::vector<std::string>& set : sets) {
    std::vector<size_t> columns;
    for (size_t i = 0; i < codings.size(); ++i)
      if (contains(set, codings[i].column().name)) columns.push_back(i);
    if (!columns.empty() && !contains(places, columns)) places.push_back(std::move(columns));
  }
  size_t num_possible = kFewRows;
  for (size_t i = 0; i < codings.size() && !sets.empty(); ++i) {
    if (codings[i].is_used()) continue;
    num_possible *= codings[i].num_codes();
    if (num_possible > kFewRows) {
      places.emplace_back();
      num_possible = codings[i].num_codes();
    }
    places.back().push_back(i);
  }
  return places;
}

std::string why_rows_may_not_fit(const Schema& schema, const ColumnSets& sets) {
  const std::vector<ColumnCoding> codings = codings_for(schema, sets);
  ColumnPlaces places = places_of(sets, codings);
  if (places.empty()) places.push_back(numbers_below(codings.size()));
  const double most = max_rows_of_table(schema);
  if (most == 0) return "";
  double num_rows = 0;
  for (const std::vector<size_t>& set : places) {
    double num_possible = 1;
    for (const size_t column : set)
      num_possible *= static_cast<double>(codings[column].num_codes());
    num_rows += std::min(num_possible, most);
  }
  num_rows = std::min({num_rows, most, static_cast<double>(kMaxRecords)});
  const std::string problem =
      why_no_room(static_cast<int64_t>(num_rows) * CodeCounter::bytes_of_row(codings.size()));
  if (problem.empty()) return "";
  return fmt::format(
      "by the schema {:.3g} rows may differ, which {}; if so many do, the run stops before "
      "anything is spent: declare fewer bins (public_bins), or ignore columns that are not needed "
      "(type = \"ignored\")",
      num_rows, problem);
}

}  // namespace equinoise
