// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/table_check.h"

#include <fmt/format.h>

#include "equinoise/report/format.h"
#include "equinoise/synth/private_law.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/undeclared_atoms.h"
#include "equinoise/tasks/input/wrong_sizes.h"

namespace equinoise {

namespace {

/// What the malformed cells of a column seem to be: "it names a time zone, ...; row 7 (line 8) has
/// a unit: ... (3 cells)"; "" where they are just no numbers.
std::string forms_of_malformed(const ColumnIngestCounts& counts) {
  std::string text;
  for (const ColumnIngestCounts::OtherForm& form : counts.other_forms) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ",
                        form.first == counts.first_malformed ? "it" : form.first, form.problem);
    if (form.count < counts.malformed)
      text += fmt::format(" ({} of these cells)", format_count(form.count));
  }
  return text;
}

void add_notes(const ColumnIngestCounts& counts, const ColumnSchema& column, bool has_decimal_comma,
               int64_t num_records, TableCheck& check) {
  const auto note = [&](int64_t count, std::string_view what, std::vector<std::string>& sentences) {
    if (count == 0) return;
    sentences.push_back(fmt::format("column {}: {} {}", counts.name,
                                    count_and_share(count, num_records, "cells"), what));
  };
  note(counts.missing,
       column.missing == MissingPolicy::kNone
           ? "are missing, although missing = \"none\" says that there are none"
           : "are missing",
       column.missing == MissingPolicy::kNone ? check.failures : check.notes);
  const std::string no_value =
      column.time ? fmt::format("hold no {} as {}", counts.value, to_string(*column.time))
                  : fmt::format("hold no {}{}", counts.value,
                                has_decimal_comma ? " with a decimal comma" : "");
  std::string forms = forms_of_malformed(counts);
  int64_t num_explained = 0;
  for (const ColumnIngestCounts::OtherForm& form : counts.other_forms) num_explained += form.count;
  if (column.malformed == MalformedPolicy::kStop) {
    if (num_explained < counts.malformed) {
      forms += fmt::format(
          "{}list marks of missing values in missing_values, or set malformed = "
          "\"drop\" or \"missing\"",
          forms.empty() ? "" : "; of the others ");
    }
    note(counts.malformed,
         fmt::format("{}, the first in {}; every run stops there: {}", no_value,
                     counts.first_malformed, forms),
         check.failures);
  } else {
    note(counts.malformed,
         fmt::format("{}, the first in {}{}", no_value, counts.first_malformed,
                     forms.empty() ? "" : ": " + forms),
         check.notes);
  }
  note(counts.unknown, "hold a category that the schema does not list", check.notes);
  note(counts.clamped, "lie outside the bounds and count as the nearest one", check.notes);
  note(counts.rounded, "hold a whole number beyond 2^53, which is rounded", check.notes);
  if (column.time) {
    note(counts.cut, fmt::format("are finer than {} and cut off", to_string(*column.time)),
         check.notes);
  }
}

}  // namespace

TableCheck check_table(const TableFiles& files, const Schema& schema) {
  Schema counting = schema;
  for (ColumnSchema& column : counting.columns)
    if (column.malformed == MalformedPolicy::kStop) column.malformed = MalformedPolicy::kDrop;
  if (!schema.image) counting.num_records = 0;
  TaskProgress silent;
  Dataset dataset = read_table_files(files, counting, TableUse::kDescribed, silent);

  TableCheck check;
  if (schema.num_records > 0 && dataset.num_records != schema.num_records) {
    check.failures.push_back(
        fmt::format("it has {} rows, but the schema says num_records = {}; correct the schema or "
                    "use the table that it describes",
                    format_count(dataset.num_records), schema.num_records));
  }
  if (dataset.num_records == schema.num_records)
    for (std::string& sentence : wrong_sizes(dataset, schema))
      check.failures.push_back(std::move(sentence));
  for (ColumnIngestCounts& counts : dataset.counts) {
    const ColumnSchema& column = schema.column(counts.name);
    add_notes(counts, column, schema.layout.decimal_comma, dataset.num_records, check);
    // What stops a run is said: these cells are no second reason.
    if (column.malformed == MalformedPolicy::kStop) {
      counts.malformed = 0;
      counts.other_forms.clear();
    }
  }
  if (!schema.image) {
    const std::vector<ColumnCodes> codes = with_law_cells(schema, column_codes(schema, {}));
    for (std::string& sentence : undeclared_atoms(dataset, schema, codes))
      check.notes.push_back(std::move(sentence));
  }
  for (std::string& sentence : misfits(dataset)) check.failures.push_back(std::move(sentence));
  if (dataset.num_dropped > 0 && dataset.num_dropped < dataset.num_records)
    check.notes.push_back(*dropped_records(dataset));
  return check;
}

}  // namespace equinoise
