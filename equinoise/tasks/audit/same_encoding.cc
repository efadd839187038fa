// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/same_encoding.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

std::string_view different_key(const ColumnSchema& a, const ColumnSchema& b) {
  if (a.type != b.type) return "type";
  if (a.feature != b.feature) return "feature";
  if (a.time != b.time) return "format";
  if (a.lower != b.lower || a.upper != b.upper) return "bounds";
  if (a.scale != b.scale) return "scale";
  if (a.mean != b.mean) return "mean";
  if (a.stddev != b.stddev) return "stddev";
  if (a.values != b.values) return "values";
  if (a.cell_texts != b.cell_texts) return "labels";
  if (a.thousands != b.thousands) return "thousands";
  if (a.number_unit != b.number_unit) return "unit";
  if (a.unknown != b.unknown) return "unknown";
  if (a.missing != b.missing) return "missing";
  if (a.fill != b.fill) return "fill";
  if (std::set(a.missing_values.begin(), a.missing_values.end()) !=
      std::set(b.missing_values.begin(), b.missing_values.end()))
    return "missing_values";
  return "";
}

void require_same_encoding(const Schema& trained, const Schema& given, std::string_view origin) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, "tasks.schema", "{}: {}", origin, problem);
  };
  if (given.target != trained.target) {
    fail(fmt::format("must have target = \"{}\", which the model predicts", trained.target));
  }
  const std::set<std::string> marks(trained.missing_values.begin(), trained.missing_values.end());
  if (marks != std::set<std::string>(given.missing_values.begin(), given.missing_values.end())) {
    fail("must list the missing_values that the model was trained with");
  }
  if (given.image != trained.image) {
    fail(
        "differs in [image] from what the model was trained with; copy that section from "
        "table_schema in model.json");
  }
  for (const ColumnSchema& column : trained.columns) {
    if (!column.feature && column.name != trained.target) continue;
    const ColumnSchema* other = given.find_column(column.name);
    if (other == nullptr) fail(fmt::format("lacks column '{}' of the model", column.name));
    const std::string_view key = different_key(column, *other);
    if (!key.empty()) {
      fail(
          fmt::format("column '{}' differs in {} from what the model was trained with; copy its "
                      "section from table_schema in model.json",
                      column.name, key));
    }
  }
  for (const ColumnSchema& column : given.columns) {
    const ColumnSchema* other = trained.find_column(column.name);
    if (column.feature && (other == nullptr || !other->feature)) {
      fail(fmt::format(
          "column '{}' is not a feature of the model; add feature = false to its section",
          column.name));
    }
  }
  if (encoded_feature_names(given) != encoded_feature_names(trained)) {
    fail(
        "has the model's features in a different order; order its columns as in table_schema of "
        "model.json");
  }
}

}  // namespace equinoise
