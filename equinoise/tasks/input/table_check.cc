// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/table_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "equinoise/data/draft/schema_draft.h"
#include "equinoise/data/schema/other_size.h"
#include "equinoise/data/table_passes.h"
#include "equinoise/report/format.h"
#include "equinoise/synth/point_mass_survey.h"
#include "equinoise/synth/private_distribution.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/wrong_sizes.h"

namespace equinoise {

namespace {

/// The apparent form of a column's malformed cells: "it names a time zone, ...; row 7 (line 8) has
/// a unit: ... (3 cells)"; "" if they are simply not numbers.
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
  const std::string first = counts.first_malformed == ColumnIngestCounts::kSomeRow
                                ? ""
                                : ", the first in " + counts.first_malformed;
  if (column.malformed == MalformedPolicy::kStop) {
    if (num_explained < counts.malformed) {
      forms += fmt::format(
          "{}list marks of missing values in missing_values, or set malformed = "
          "\"drop\" or \"missing\"",
          forms.empty() ? "" : "; of the others ");
    }
    note(counts.malformed, fmt::format("{}{}; every run stops there: {}", no_value, first, forms),
         check.failures);
  } else {
    note(counts.malformed,
         fmt::format("{}{}{}", no_value, first, forms.empty() ? "" : ": " + forms), check.notes);
  }
  note(counts.unknown, "hold a category that the schema does not list", check.notes);
  note(counts.clamped, "lie outside the bounds and count as the nearest one", check.notes);
  note(counts.rounded, "hold a whole number beyond 2^53, which is rounded", check.notes);
  if (column.time) {
    note(counts.cut, fmt::format("are finer than {} and cut off", to_string(*column.time)),
         check.notes);
  }
}

RowsOfUnits count_rows_of_units(const Dataset& dataset) {
  std::vector<uint32_t> counts = dataset.num_rows_read;
  std::ranges::sort(counts);
  RowsOfUnits rows{std::ssize(counts), dataset.num_records + dataset.num_beyond};
  for (const double share : {0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0}) {
    if (counts.empty()) break;
    const auto place =
        static_cast<size_t>(std::ceil(share * static_cast<double>(counts.size() - 1)));
    rows.quantiles.push_back({share, counts[place]});
  }
  for (const int64_t most : {1, 2, 5, 10, 20, 50, 100}) {
    int64_t kept = 0;
    for (const int64_t count : counts) kept += std::min(count, most);
    rows.kept.push_back({most, kept});
  }
  return rows;
}

/// The same in sentences.
void add_notes(const RowsOfUnits& rows, const Schema& schema, std::vector<std::string>& notes) {
  if (rows.num_units == 0) return;
  std::vector<std::string> quantiles;
  for (const auto& [share, count] : rows.quantiles) {
    quantiles.push_back(share == 0 ? fmt::format("each has at least {}", format_count(count))
                        : share == 1
                            ? fmt::format("all at most {}", format_count(count))
                            : fmt::format("{:g} % at most {}", 100 * share, format_count(count)));
  }
  notes.push_back(fmt::format("{} {} have {} rows: {}", format_count(rows.num_units),
                              schema.units_name(), format_count(rows.num_rows),
                              fmt::join(quantiles, ", ")));
  std::vector<std::string> kept;
  for (const auto& [most, count] : rows.kept) {
    kept.push_back(fmt::format("{} keeps {}", most, count_and_share(count, rows.num_rows, "rows")));
  }
  notes.push_back(fmt::format("max_records_per_unit = {}", fmt::join(kept, ", ")));
}

/// The number of records that each task uses of a table with missing cells; "" if none is missing.
/// `read`: reads the table by another schema.
template <typename Read>
std::string records_used(const Schema& schema, const Read& read) {
  Schema knowing = schema;
  for (ColumnSchema& column : knowing.columns) {
    // Missing cells drop the record here as well if "missing" is already a value.
    const bool is_known =
        column.missing != MissingPolicy::kNone && std::ranges::count(column.values, "missing") == 0;
    if (column.type != ColumnType::kIgnored && is_known) column.missing = MissingPolicy::kCategory;
  }
  const Dataset dataset = read(knowing);
  const auto num_used = [&](const std::function<bool(const std::string&)>& needs) {
    const std::vector<uint8_t> lacks = rows_with_gaps(dataset, knowing, needs);
    int64_t count = 0;
    for (size_t row = 0; row < lacks.size(); ++row)
      if (dataset.contributes[row] != 0 && lacks[row] == 0) count += dataset.count_of(row);
    return count;
  };
  const auto drops = [&](const std::string& name) {
    return schema.column(name).missing == MissingPolicy::kDrop;
  };
  const auto are_dropped_from_rows = [&](const std::string& name) {
    return drops(name) && (name != schema.target || has_bands(schema, schema.column(name)));
  };
  const int64_t num_complete = num_used([](const std::string&) { return true; });
  const int64_t total = dataset.total_records();
  if (num_complete == num_used([](const std::string&) { return false; })) return "";
  return fmt::format(
      "with missing cells models use {}, synthetic rows {}, and a mean those with a value in its "
      "column; {} have no missing cell, and --drop-incomplete uses these alone",
      count_and_share(num_used(drops), total, "records"),
      count_and_share(num_used(are_dropped_from_rows), total, "records"),
      count_and_share(num_complete, total, "records"));
}

/// A progress that reports nothing, but passes interruptions on.
class Silent : public TaskProgress {
 public:
  explicit Silent(TaskProgress& progress) : progress_(progress) {}

  void hold_interruptions() override { progress_.hold_interruptions(); }
  void release_interruptions() override { progress_.release_interruptions(); }
  bool interrupted() const override { return progress_.interrupted(); }

 private:
  TaskProgress& progress_;
};

}  // namespace

TableCheck check_table(const TableFiles& files, const Schema& schema, TaskProgress& progress) {
  Schema counting = schema;
  for (ColumnSchema& column : counting.columns)
    if (column.malformed == MalformedPolicy::kStop) column.malformed = MalformedPolicy::kDrop;
  if (!schema.image) counting.num_records = 0;
  Silent silent(progress);
  const auto read_by = [&](const Schema& by) {
    return read_table_files(files, by, TableUse::kDescribed, silent, CountedRows::kKept);
  };
  const auto read = [&] { return read_by(counting); };
  Dataset dataset = read();
  // An engine applies the rules for cells before it selects rows of units, so the original cells of
  // selected rows are unknown. They are counted over all rows instead, each as a unit.
  std::optional<Dataset> all_rows;
  if (dataset.num_counted_units && files.data.is_engine()) {
    counting.unit = "row";
    counting.max_records_per_unit = 1;
    all_rows = read();
  }
  Dataset& cells = all_rows ? *all_rows : dataset;
  const bool tells_cells = !dataset.num_counted_units || all_rows;

  TableCheck check;
  if (schema.unit_answer == UnitAnswer::kOpen) check.failures.emplace_back(kOpenUnit);
  if (schema.num_records > 0 && dataset.num_units() != schema.num_records) {
    check.failures.push_back(fmt::format("it has {} {}, but the schema says {} = {}; {}",
                                         format_count(dataset.num_units()),
                                         schema.has_unit_column() ? schema.units_name() : "rows",
                                         schema.size_key(), schema.num_records, kOtherSize));
  }
  if (dataset.num_units() == schema.num_records && !dataset.num_counted_units)
    for (std::string& sentence : wrong_sizes(dataset, schema))
      check.failures.push_back(std::move(sentence));
  for (ColumnIngestCounts& counts : cells.counts) {
    if (!tells_cells) break;
    const ColumnSchema& column = schema.column(counts.name);
    add_notes(counts, column, schema.layout.decimal_comma, cells.num_read(), check);
    // Cells that stop a run are reported as that: they are not a second failure.
    if (column.malformed == MalformedPolicy::kStop) {
      counts.malformed = 0;
      counts.other_forms.clear();
    }
  }
  if (!schema.image) {
    const std::vector<ColumnCodes> codes =
        with_distribution_cells(schema, column_codes(schema, {}));
    for (std::string& sentence : undeclared_point_masses(dataset, schema, codes))
      check.notes.push_back(std::move(sentence));
  }
  for (std::string& sentence : misfits(cells)) check.failures.push_back(std::move(sentence));
  if (dataset.num_counted_units) {
    check.notes.push_back(fmt::format(
        "its rows are counted and do not say whose they are, so that neither declared sizes of "
        "groups nor how many rows each has {}could be checked",
        tells_cells ? "" : "nor what its cells were before rules dropped or filled them "));
  } else if (schema.has_unit_column()) {
    check.rows_of_units = count_rows_of_units(dataset);
    add_notes(*check.rows_of_units, schema, check.notes);
  }
  if (dataset.num_without_unit > 0) {
    check.notes.push_back(fmt::format(
        "column {}: {} are missing, so that these rows are nobody's and left out", schema.unit,
        count_and_share(dataset.num_without_unit, dataset.num_read(), "cells")));
  }
  if (std::string used; tells_cells && !schema.image) {
    used = records_used(counting, read_by);
    if (!used.empty()) check.notes.push_back(std::move(used));
  }
  if (!schema.has_unit_column() && !schema.image && !files.data.is_engine() &&
      dataset.row_counts.empty() && TablePasses(files.data, schema).can_repeat()) {
    for (const std::string& name : repeating_identifiers(files.data, schema)) {
      check.notes.push_back(fmt::format(
          "column {} may be an identifier, and repeats: if it says whose a row is, write unit = "
          "\"{}\", since unit = \"row\" protects single rows, not people",
          name, name));
    }
  }
  if (tells_cells && cells.num_dropped > 0 && cells.num_dropped < cells.total_records())
    check.notes.push_back(*dropped_records(cells));
  return check;
}

}  // namespace equinoise
