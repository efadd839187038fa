#include "equinoise/tasks/ingest_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/text.h"

namespace equinoise {

std::vector<std::string> ingest_notes(const Dataset& dataset) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& column, int64_t count, const char* what) {
    if (count > 0)
      notes.push_back(fmt::format("column {}: {} {}", column, format_count(count), what));
  };
  for (const ColumnIngestCounts& counts : dataset.counts) {
    note(counts.name, counts.missing, "missing cells");
    note(counts.name, counts.unknown, "cells with a category that the schema does not list");
    note(counts.name, counts.clamped, "numbers outside the bounds, clamped");
  }
  if (dataset.num_dropped > 0) {
    notes.push_back(fmt::format("{} records contribute nothing by the schema's rules",
                                format_count(dataset.num_dropped)));
  }
  return notes;
}

std::string unpredicted_note(const EncodedTable& table, const Predictions& predictions) {
  int64_t num_judged = 0;
  int64_t num_unpredicted = 0;
  for (size_t i = 0; i < table.contributes.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    ++num_judged;
    const auto* outputs = &predictions.outputs[i * predictions.num_outputs];
    if (!std::all_of(outputs, outputs + predictions.num_outputs,
                     [](double output) { return std::isfinite(output); }))
      ++num_unpredicted;
  }
  if (num_unpredicted == 0) return "";
  return fmt::format(
      "{} of {} records have no prediction, because what the model gives is not finite (did its "
      "training diverge?){}",
      format_count(num_unpredicted), format_count(num_judged),
      table.classes.empty() ? "" : "; their predicted class means nothing");
}

}  // namespace equinoise
