// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/undeclared_atoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/rounding.h"
#include "equinoise/tasks/input/ingest_notes.h"

namespace equinoise {

namespace {

/// Whether a bin holds one number only.
bool has_one_number(const ColumnCodes& column, uint32_t bin) {
  const double low = column.edges[bin];
  const double high = column.edges[bin + 1];
  if (column.whole) return std::ceil(high) - std::ceil(low) <= 1;
  return high <= next_up(low);
}

/// The cells of a column that hold a value, and how many of these are the one that most are, if
/// there is such a one.
struct Majority {
  double value = 0;
  int64_t count = 0;
  int64_t num_present = 0;
};

Majority majority_of(const Dataset& dataset, const NumericColumn& column) {
  const auto is_present = [&](size_t i) {
    return (column.missing.empty() || column.missing[i] == 0) &&
           (column.dropped.empty() || column.dropped[i] == 0);
  };
  Majority majority;
  // One pass keeps what most are, if there is that; another one counts it. [BoyerMoore1991]
  int64_t lead = 0;
  for (size_t i = 0; i < column.values.size(); ++i) {
    if (!is_present(i)) continue;
    const int64_t count = dataset.count_of(i);
    majority.num_present += count;
    if (column.values[i] == majority.value) {
      lead += count;
    } else if (lead >= count) {
      lead -= count;
    } else {
      majority.value = column.values[i];
      lead = count - lead;
    }
  }
  for (size_t i = 0; i < column.values.size(); ++i)
    if (is_present(i) && column.values[i] == majority.value) majority.count += dataset.count_of(i);
  return majority;
}

}  // namespace

std::vector<std::string> undeclared_atoms(const Dataset& dataset, const Schema& schema,
                                          std::span<const ColumnCodes> columns) {
  std::vector<std::string> sentences;
  if (schema.public_bins) return sentences;
  for (const ColumnCodes& codes : columns) {
    const NumericColumn* column = codes.is_numeric() ? dataset.find_numeric(codes.name) : nullptr;
    if (column == nullptr) continue;
    Majority majority = majority_of(dataset, *column);
    const ColumnSchema& described = schema.column(codes.name);
    // Gaps that were filled say nothing of the cells.
    if (described.missing == MissingPolicy::kFill && majority.value == described.fill) {
      if (dataset.num_read() > dataset.total_records())
        continue;  // gaps of the others are counted, too
      const auto counts =
          std::find_if(dataset.counts.begin(), dataset.counts.end(),
                       [&](const ColumnIngestCounts& own) { return own.name == codes.name; });
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

}  // namespace equinoise
