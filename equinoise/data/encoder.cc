#include "equinoise/data/encoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.encoder";

[[noreturn]] void fail_foreign_column(const std::string& name) {
  throw Error(ErrorKind::kInput, kWhere,
              fmt::format("column '{}' of the schema is not in the dataset in that form; encode "
                          "with the schema that the table was read with",
                          name));
}

const CategoricalColumn& categorical_column(const Dataset& dataset, const ColumnSchema& column) {
  const CategoricalColumn* found = dataset.find_categorical(column.name);
  if (found == nullptr || found->categories != column.categories()) {
    fail_foreign_column(column.name);
  }
  return *found;
}

/// x -> (clamp(x) - offset) * factor. The affine map of a numeric feature.
struct Scaling {
  explicit Scaling(const ColumnSchema& column) : lower(column.lower), upper(column.upper) {
    switch (column.scale) {
      case NumericScale::kUnit:
        offset = lower;
        divisor = upper - lower;
        break;
      case NumericScale::kSymmetric:
        offset = lower + (upper - lower) / 2;
        divisor = (upper - lower) / 2;
        break;
      case NumericScale::kStandard:
        offset = column.mean;
        divisor = column.stddev;
        break;
    }
  }

  float operator()(float value) const {
    return static_cast<float>((std::clamp<double>(value, lower, upper) - offset) / divisor);
  }

  double lower;
  double upper;
  double offset = 0;
  double divisor = 1;
};

/// The feature columns in the order of their features.
struct FeatureColumns {
  std::vector<const ColumnSchema*> numeric;
  std::vector<const ColumnSchema*> categorical;
};

FeatureColumns feature_columns(const Schema& schema) {
  FeatureColumns columns;
  for (const ColumnSchema& column : schema.columns) {
    if (!column.feature || column.name == schema.target) continue;
    if (column.type == ColumnType::kNumeric) columns.numeric.push_back(&column);
    if (column.type == ColumnType::kCategorical) columns.categorical.push_back(&column);
  }
  return columns;
}

}  // namespace

std::vector<std::string> encoded_feature_names(const Schema& schema) {
  const FeatureColumns columns = feature_columns(schema);
  std::vector<std::string> names;
  for (const ColumnSchema* column : columns.numeric) names.push_back(column->name);
  for (const ColumnSchema* column : columns.categorical) {
    for (const std::string& category : column->categories())
      names.push_back(column->name + "=" + category);
  }
  return names;
}

EncodedTable encode(const Dataset& dataset, const Schema& schema) {
  if (schema.target.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "the schema names no target; add target = \"COLUMN\" at its top");
  }
  const ColumnSchema& target = schema.column(schema.target);
  if (target.type != ColumnType::kCategorical) {
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("the target '{}' must be categorical", target.name));
  }

  EncodedTable table;
  table.num_records = dataset.num_records;
  table.contributes = dataset.contributes;
  table.classes = target.categories();
  table.labels = categorical_column(dataset, target).codes;

  const auto [numeric, categorical] = feature_columns(schema);
  table.feature_names = encoded_feature_names(schema);
  table.num_features = static_cast<uint32_t>(table.feature_names.size());
  table.num_dense = static_cast<uint32_t>(numeric.size());
  table.num_active = static_cast<uint32_t>(categorical.size());
  const size_t num_records = static_cast<size_t>(dataset.num_records);
  table.dense.resize(num_records * table.num_dense);
  table.active.resize(num_records * table.num_active);

  for (size_t feature = 0; feature < numeric.size(); ++feature) {
    const ColumnSchema& column = *numeric[feature];
    const NumericColumn* found = dataset.find_numeric(column.name);
    if (found == nullptr) fail_foreign_column(column.name);
    const Scaling scaling(column);
    for (size_t r = 0; r < num_records; ++r) {
      table.dense[r * table.num_dense + feature] = scaling(found->values[r]);
    }
  }
  uint32_t offset = table.num_dense;
  for (size_t block = 0; block < categorical.size(); ++block) {
    const CategoricalColumn& column = categorical_column(dataset, *categorical[block]);
    for (size_t r = 0; r < num_records; ++r) {
      table.active[r * table.num_active + block] = offset + column.codes[r];
    }
    offset += static_cast<uint32_t>(column.categories.size());
  }
  return table;
}

EncodedTable select(const EncodedTable& table, std::span<const uint32_t> records) {
  EncodedTable part;
  part.num_records = static_cast<int64_t>(records.size());
  part.num_dense = table.num_dense;
  part.num_active = table.num_active;
  part.num_features = table.num_features;
  part.feature_names = table.feature_names;
  part.classes = table.classes;
  part.dense.reserve(records.size() * table.num_dense);
  part.active.reserve(records.size() * table.num_active);
  part.labels.reserve(records.size());
  part.contributes.reserve(records.size());
  for (const uint32_t record : records) {
    if (record >= table.num_records) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("record {} of a table of {} records", record, table.num_records));
    }
    const std::span<const float> dense = table.dense_row(record);
    const std::span<const uint32_t> active = table.active_row(record);
    part.dense.insert(part.dense.end(), dense.begin(), dense.end());
    part.active.insert(part.active.end(), active.begin(), active.end());
    part.labels.push_back(table.labels[record]);
    part.contributes.push_back(table.contributes[record]);
  }
  return part;
}

}  // namespace equinoise
