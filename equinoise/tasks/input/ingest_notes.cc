// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/ingest_notes.h"

#include <fmt/format.h>

#include "equinoise/report/format.h"

namespace equinoise {

std::vector<std::string> ingest_notes(std::span<const ColumnIngestCounts> columns) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& column, int64_t count, const char* what) {
    if (count > 0)
      notes.push_back(fmt::format("column {}: {} {}", column, format_count(count), what));
  };
  for (const ColumnIngestCounts& counts : columns) {
    note(counts.name, counts.missing, "missing cells");
    note(counts.name, counts.malformed, "cells that do not hold a number");
    note(counts.name, counts.unknown, "cells with a category that the schema does not list");
    note(counts.name, counts.clamped, "numbers outside the bounds, clamped");
    note(counts.name, counts.rounded,
         "whole numbers beyond 2^53 that were rounded because double precision does not hold them");
  }
  return notes;
}

std::vector<std::string> ingest_notes(const Dataset& dataset) {
  std::vector<std::string> notes = ingest_notes(dataset.counts);
  if (dataset.num_dropped > 0) {
    notes.push_back(fmt::format("{} records contribute nothing by the schema's rules",
                                format_count(dataset.num_dropped)));
  }
  return notes;
}

}  // namespace equinoise
