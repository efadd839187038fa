// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/point_mass_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/count_text.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

/// Whether a bin holds a single number.
bool has_one_number(const ColumnCodes& column, uint32_t bin) {
  const double low = column.edges[bin];
  const double high = column.edges[bin + 1];
  if (column.whole) return std::ceil(high) - std::ceil(low) <= 1;
  return high <= next_up(low);
}

bool is_present(const NumericColumn& column, size_t row) {
  return (column.missing.empty() || column.missing[row] == 0) &&
         (column.dropped.empty() || column.dropped[row] == 0);
}

/// The majority value of the cells with a value, if there is one. [BoyerMoore1991]
double majority_of(const Dataset& block, const NumericColumn& column) {
  double value = 0;
  int64_t lead = 0;
  for (size_t i = 0; i < column.values.size(); ++i) {
    if (!is_present(column, i)) continue;
    const int64_t count = block.count_of(i);
    if (column.values[i] == value) {
      lead += count;
    } else if (lead >= count) {
      lead -= count;
    } else {
      value = column.values[i];
      lead = count - lead;
    }
  }
  return value;
}

}  // namespace

void PointMassSurvey::add(const Dataset& block) {
  if (schema_.public_bins) return;
  if (!std::exchange(has_begun_, true)) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const NumericColumn* column =
          columns_[i].is_numeric() ? block.find_numeric(columns_[i].name) : nullptr;
      if (column != nullptr) majorities_.push_back({i, majority_of(block, *column)});
    }
  }
  for (Majority& majority : majorities_) {
    const NumericColumn& column = *block.find_numeric(columns_[majority.column].name);
    for (size_t row = 0; row < column.values.size(); ++row) {
      if (!is_present(column, row)) continue;
      majority.num_present += block.count_of(row);
      if (column.values[row] == majority.value) majority.count += block.count_of(row);
    }
  }
}

std::vector<std::string> PointMassSurvey::sentences(const Dataset& facts) const {
  std::vector<std::string> sentences;
  for (Majority majority : majorities_) {
    const ColumnCodes& codes = columns_[majority.column];
    const ColumnSchema& described = schema_.column(codes.name);
    // Filled missing cells are uninformative about the real cells.
    if (described.missing == MissingPolicy::kFill && majority.value == described.fill) {
      if (facts.num_read() > facts.total_records())
        continue;  // missing cells of the others are counted, too
      const auto counts = std::ranges::find(facts.counts, codes.name, &ColumnIngestCounts::name);
      const bool are_filled = described.malformed == MalformedPolicy::kMissing;
      const int64_t num_gaps = counts->missing + (are_filled ? counts->malformed : 0);
      majority.count -= num_gaps;
      majority.num_present -= num_gaps;
    }
    if (2 * majority.count <= majority.num_present || majority.num_present < kTellingCells)
      continue;
    if (has_one_number(codes, codes.bin_of(majority.value))) continue;
    sentences.push_back(fmt::format(
        "column {}: {} count as one value, which synthetic rows spread over the other values of "
        "its bin; to keep its share, list it under this column in the schema, as in atoms = {}",
        codes.name, count_and_share(majority.count, majority.num_present, "cells with a value"),
        codes.time ? "[\"2024-01-01\"]" : "[0]"));
  }
  return sentences;
}

std::vector<std::string> undeclared_point_masses(const Dataset& dataset, const Schema& schema,
                                                 std::span<const ColumnCodes> columns) {
  PointMassSurvey survey(schema, columns);
  survey.add(dataset);
  return survey.sentences(dataset);
}

}  // namespace equinoise
