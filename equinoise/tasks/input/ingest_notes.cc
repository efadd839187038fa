// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/ingest_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "equinoise/base/count_text.h"

namespace equinoise {

namespace {

/// The number of cells in each column that drop their record, most first.
std::vector<std::pair<int64_t, std::string>> drops_by_column(const Dataset& dataset) {
  std::vector<std::pair<int64_t, std::string>> drops;
  const auto add = [&](const auto& column) {
    int64_t count = 0;
    for (size_t row = 0; row < column.dropped.size(); ++row)
      if (column.dropped[row] != 0) count += dataset.count_of(row);
    if (count > 0) drops.emplace_back(count, column.name);
  };
  for (const NumericColumn& column : dataset.numeric) add(column);
  for (const CategoricalColumn& column : dataset.categorical) add(column);
  std::ranges::stable_sort(drops, [](const auto& a, const auto& b) { return a.first > b.first; });
  return drops;
}

}  // namespace

std::vector<uint8_t> rows_with_gaps(const Dataset& dataset, const Schema& schema,
                                    const std::function<bool(const std::string&)>& needed) {
  std::vector<uint8_t> lacks(dataset.contributes.size());
  for (const NumericColumn& column : dataset.numeric)
    for (size_t row = 0; row < column.missing.size() && needed(column.name); ++row)
      if (column.missing[row] != 0) lacks[row] = 1;
  for (const CategoricalColumn& column : dataset.categorical) {
    if (schema.column(column.name).missing != MissingPolicy::kCategory || !needed(column.name))
      continue;
    for (size_t row = 0; row < column.codes.size(); ++row)
      if (column.codes[row] + size_t{1} == column.categories.size()) lacks[row] = 1;
  }
  return lacks;
}

std::string rows_that_count(const Schema& schema) {
  if (!schema.has_unit_column()) return "records";
  return fmt::format("rows that count (at most {} of a {})",
                     format_count(schema.max_records_per_unit), schema.unit);
}

std::vector<std::string> misfits(const Dataset& dataset, int64_t min_cells) {
  std::vector<std::string> sentences;
  for (const ColumnIngestCounts& counts : dataset.counts) {
    const int64_t present = dataset.num_read() - counts.missing;
    const bool is_expected = counts.has_other && counts.unknown < present;
    const int64_t misfit = (is_expected ? 0 : counts.unknown) + counts.malformed + counts.clamped;
    if (2 * misfit <= present || present < min_cells) continue;
    const bool is_categorical = counts.unknown > 0;
    sentences.push_back(fmt::format(
        "column {}: {} hold {}, so the schema does not fit this column{}", counts.name,
        count_and_share(misfit, present,
                        counts.missing > 0 ? "cells that are not missing" : "cells"),
        is_categorical ? "no category of the schema"
                       : fmt::format("no {} within the bounds", counts.value),
        counts.other_forms.empty()
            ? ""
            : fmt::format(": {} {}", counts.other_forms[0].first, counts.other_forms[0].problem)));
  }
  if (dataset.num_records > 0 && dataset.num_dropped == dataset.total_records())
    sentences.emplace_back("no record contributes anything, by the schema's rules");
  return sentences;
}

std::optional<std::string> dropped_records(const Dataset& dataset) {
  if (dataset.num_dropped == 0) return std::nullopt;
  constexpr size_t kMaxNamed = 3;
  std::vector<std::string> names;
  const auto drops = drops_by_column(dataset);
  for (const auto& [count, name] : drops) {
    if (names.size() == kMaxNamed) break;
    names.push_back(fmt::format("{} ({})", name, format_count(count)));
  }
  return fmt::format("{} contribute nothing, by cells of {}{}",
                     count_and_share(dataset.num_dropped, dataset.total_records(), "records"),
                     fmt::join(names, ", "), drops.size() > kMaxNamed ? " and others" : "");
}

std::vector<std::string> ingest_notes(std::span<const ColumnIngestCounts> columns,
                                      std::string_view target) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& column, int64_t count, std::string_view what) {
    if (count > 0)
      notes.push_back(fmt::format("column {}: {} {}", column, format_count(count), what));
  };
  std::vector<std::string> missing;
  for (const ColumnIngestCounts& counts : columns)
    if (counts.missing > 0)
      missing.push_back(fmt::format("{} {}", counts.name, format_count(counts.missing)));
  if (!missing.empty()) notes.push_back(fmt::format("missing cells: {}", fmt::join(missing, ", ")));
  for (const ColumnIngestCounts& counts : columns) {
    note(counts.name, counts.malformed, fmt::format("cells that do not hold a {}", counts.value));
    note(counts.name, counts.unknown, "cells with a category that the schema does not list");
    note(counts.name, counts.clamped,
         fmt::format("{}s outside the bounds, clamped{}", counts.value,
                     counts.name == target ? "; errors are those against the bounds, not against "
                                             "the numbers as they stand"
                                           : ""));
    note(counts.name, counts.rounded,
         "whole numbers beyond 2^53 that were rounded because double precision does not hold them");
    note(counts.name, counts.cut, "times that are finer than the column's format, cut off");
  }
  return notes;
}

std::vector<std::string> ingest_notes(const Dataset& dataset, std::string_view target) {
  std::vector<std::string> notes = misfits(dataset, kTellingCells);
  for (std::string& note : ingest_notes(dataset.counts, target)) notes.push_back(std::move(note));
  const bool has_units = !dataset.unit_begin.empty();
  if (has_units && !notes.empty()) {
    notes.push_back(
        fmt::format("cells are counted in all {} rows that were read, of which {} count",
                    format_count(dataset.num_read()), format_count(dataset.num_records)));
  }
  if (dataset.num_without_unit > 0) {
    notes.push_back(fmt::format("{} rows say not whose they are and are left out",
                                format_count(dataset.num_without_unit)));
  }
  if (dataset.num_beyond > 0) {
    notes.push_back(fmt::format("{} rows are left out as more than units may have",
                                format_count(dataset.num_beyond)));
  }
  if (dataset.num_dropped > 0) {
    notes.push_back(fmt::format("{} {} contribute nothing by the schema's rules",
                                format_count(dataset.num_dropped),
                                has_units ? "rows that count" : "records"));
  }
  return notes;
}

}  // namespace equinoise
