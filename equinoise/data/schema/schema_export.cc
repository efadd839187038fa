// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/schema_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/data/values/strftime_format.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "data.schema";

using OrderedJson = nlohmann::ordered_json;

/// Adds a note that names columns of which something is lost; none if there are no such columns.
void note_columns(const std::vector<std::string>& columns, std::string_view lost,
                  std::vector<std::string>& notes) {
  if (!columns.empty()) notes.push_back(fmt::format("{}: {}", lost, fmt::join(columns, ", ")));
}

/// Whether other programs read the cells as truth values, which they do not for other pairs of
/// texts.
bool is_true_and_false(const ColumnSchema& column) {
  const std::vector<std::string>& texts = column.texts();
  return texts.size() == 2 && are_true_and_false(texts[0], texts[1]);
}

OrderedJson sdv_of(const Schema& schema, std::vector<std::string>& notes) {
  OrderedJson columns = OrderedJson::object();
  std::vector<std::string> with_bounds;
  std::vector<std::string> with_values;
  std::vector<std::string> with_labels;
  std::vector<std::string> with_thousands;
  std::vector<std::string> with_unit;
  for (const ColumnSchema& column : schema.columns) {
    OrderedJson& entry = columns[column.name];
    switch (column.type) {
      case ColumnType::kNumeric:
        with_bounds.push_back(column.name);
        if (column.time) {
          entry["sdtype"] = "datetime";
          entry["datetime_format"] = strftime_format(*column.time);
          break;
        }
        entry["sdtype"] = "numerical";
        if (column.whole) entry["computer_representation"] = "Int64";
        if (column.thousands != '\0') with_thousands.push_back(column.name);
        if (!column.number_unit.empty()) with_unit.push_back(column.name);
        break;
      case ColumnType::kCategorical:
        if (!column.cell_texts.empty()) with_labels.push_back(column.name);
        if (is_true_and_false(column)) {
          entry["sdtype"] = "boolean";
          break;
        }
        entry["sdtype"] = "categorical";
        with_values.push_back(column.name);
        break;
      case ColumnType::kIgnored:
        entry["sdtype"] = column.name == schema.unit ? "id" : "unknown";
        break;
    }
  }
  note_columns(with_bounds, "bounds are not held by metadata of SDV", notes);
  note_columns(with_values, "categories are not held by metadata of SDV", notes);
  note_columns(with_labels, "labels are not held by metadata of SDV", notes);
  note_columns(with_thousands,
               "marks between thousands are not held by metadata of SDV, which takes plain numbers",
               notes);
  note_columns(with_unit,
               "units in cells are not held by metadata of SDV, which takes plain numbers", notes);
  OrderedJson tables = OrderedJson::object();
  tables[schema.dataset] = {{"columns", std::move(columns)}};
  return {{"METADATA_SPEC_VERSION", "V1"}, {"tables", std::move(tables)}};
}

OrderedJson domain_of(const Schema& schema, std::vector<std::string>& notes) {
  OrderedJson domain = OrderedJson::object();
  std::vector<std::string> numeric;
  std::vector<std::string> ignored;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kCategorical) domain[column.name] = column.categories().size();
    if (column.type == ColumnType::kNumeric) numeric.push_back(column.name);
    if (column.type == ColumnType::kIgnored) ignored.push_back(column.name);
  }
  if (domain.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "the schema has no categorical column, and a domain of private-pgm holds no other");
  }
  note_columns(numeric, "numeric columns have no codes in a domain and are left out", notes);
  note_columns(ignored, "ignored columns are left out", notes);
  notes.emplace_back(
      "a domain is about codes from 0: write each category as its place in the schema's list");
  return domain;
}

}  // namespace

ExportedSchema export_schema(const Schema& schema, ExportFormat format) {
  if (schema.image) {
    throw Error(ErrorKind::kInput, kWhere,
                "the schema describes images, which neither SDV nor private-pgm do");
  }
  ExportedSchema exported;
  const OrderedJson json = format == ExportFormat::kSdv ? sdv_of(schema, exported.notes)
                                                        : domain_of(schema, exported.notes);
  if (!schema.group_attributes.empty()) exported.notes.emplace_back("[groups] are not held");
  if (schema.has_unit_column())
    exported.notes.emplace_back("unit and max_records_per_unit are not held: a row is a row");
  if (!schema.public_group_sizes.empty() || schema.num_records > 0)
    exported.notes.emplace_back("[public] sizes are not held");
  exported.text = json.dump(2) + "\n";
  return exported;
}

}  // namespace equinoise
