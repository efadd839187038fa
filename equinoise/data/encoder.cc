// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.encoder";

[[noreturn]] void fail_foreign_column(const std::string& name) {
  throw Error(ErrorKind::kInput, kWhere,
              "column '{}' does not have this form in the dataset; encode with the "
              "schema that the table was read with",
              name);
}

const CategoricalColumn& categorical_column(const Dataset& dataset, const ColumnSchema& column) {
  const CategoricalColumn* found = dataset.find_categorical(column.name);
  if (found == nullptr || found->categories != column.categories()) {
    fail_foreign_column(column.name);
  }
  return *found;
}

const NumericColumn& numeric_column(const Dataset& dataset, const ColumnSchema& column) {
  const NumericColumn* found = dataset.find_numeric(column.name);
  if (found == nullptr) fail_foreign_column(column.name);
  return *found;
}

/// x -> (clamp(x) - offset) / divisor. The affine map of a numeric column.
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

  /// Rounded to single precision only here, after a large offset has been subtracted.
  float operator()(double value) const {
    return static_cast<float>((std::clamp(value, lower, upper) - offset) / divisor);
  }

  double lower;
  double upper;
  double offset = 0;
  double divisor = 1;
};

NumberScale number_scale(const ColumnSchema& column) {
  const Scaling scaling(column);
  if (column.scale == NumericScale::kStandard) return {scaling.offset, scaling.divisor};
  const double half_width = (scaling.upper - scaling.lower) / 2 / scaling.divisor;
  return {scaling.offset, scaling.divisor,
          (scaling.lower - scaling.offset) / scaling.divisor + half_width, half_width};
}

/// The feature columns in the order of their features.
struct FeatureColumns {
  std::vector<const ColumnSchema*> numeric;
  std::vector<const ColumnSchema*> categorical;
};

FeatureColumns feature_columns(const Schema& schema) {
  FeatureColumns columns;
  if (schema.image) return columns;
  for (const ColumnSchema& column : schema.columns) {
    if (!column.feature || column.name == schema.target) continue;
    if (column.type == ColumnType::kNumeric) columns.numeric.push_back(&column);
    if (column.type == ColumnType::kCategorical) columns.categorical.push_back(&column);
  }
  return columns;
}

/// Fills the features block by block, so that the rows being written stay in the cache while the
/// columns are read one by one. `rows`: of the dataset.
void fill_features(const Dataset& dataset, const FeatureColumns& columns,
                   std::span<const uint32_t> rows, EncodedTable& table) {
  std::vector<std::span<const double>> numbers;
  std::vector<Scaling> scalings;
  for (const ColumnSchema* column : columns.numeric) {
    numbers.emplace_back(numeric_column(dataset, *column).values);
    scalings.emplace_back(*column);
    table.scales.push_back(number_scale(*column));
  }
  std::vector<std::span<const uint16_t>> codes;
  std::vector<uint32_t>& offsets = table.blocks;
  uint32_t offset = table.num_dense;
  for (const ColumnSchema* column : columns.categorical) {
    const CategoricalColumn& found = categorical_column(dataset, *column);
    codes.emplace_back(found.codes);
    offsets.push_back(offset);
    offset += static_cast<uint32_t>(found.categories.size());
  }

  constexpr size_t kBlockRows = 1024;
  table.dense.resize(rows.size() * table.num_dense);
  table.active.resize(rows.size() * table.num_active);
  for (size_t begin = 0; begin < rows.size(); begin += kBlockRows) {
    const size_t end = std::min(begin + kBlockRows, rows.size());
    for (size_t j = 0; j < numbers.size(); ++j) {
      for (size_t r = begin; r < end; ++r)
        table.dense[r * table.num_dense + j] = scalings[j](numbers[j][rows[r]]);
    }
    for (size_t j = 0; j < codes.size(); ++j) {
      for (size_t r = begin; r < end; ++r)
        table.active[r * table.num_active + j] = offsets[j] + codes[j][rows[r]];
    }
  }
}

void fill_pixels(const Dataset& dataset, std::span<const uint32_t> rows, EncodedTable& table) {
  const size_t width = table.num_dense;
  if (dataset.pixels.size() != static_cast<size_t>(dataset.num_records) * width) {
    throw Error(ErrorKind::kInput, kWhere,
                "the dataset does not hold images of the schema's shape; encode with the schema "
                "that they were read with");
  }
  table.dense.resize(rows.size() * width);
  table.scales.assign(width, {0, 255, 0.5, 0.5});
  for (size_t r = 0; r < rows.size(); ++r) {
    const uint8_t* from = dataset.pixels.data() + rows[r] * width;
    float* to = table.dense.data() + r * width;
    for (size_t j = 0; j < width; ++j) to[j] = static_cast<float>(from[j]) / 255.0F;
  }
}

void fill_target(const Dataset& dataset, const Schema& schema, std::span<const uint32_t> rows,
                 EncodedTable& table) {
  if (schema.target.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                "the schema names no target; add target = \"COLUMN\" at its top");
  }
  const ColumnSchema& target = schema.column(schema.target);
  if (target.type == ColumnType::kNumeric) {
    const std::vector<double>& values = numeric_column(dataset, target).values;
    const Scaling scaling(target);
    table.targets.reserve(rows.size());
    for (const uint32_t row : rows) table.targets.push_back(scaling(values[row]));
  } else {
    const CategoricalColumn& column = categorical_column(dataset, target);
    table.classes = column.categories;
    table.labels.reserve(rows.size());
    for (const uint32_t row : rows) table.labels.push_back(column.codes[row]);
  }
}

/// The table without its features.
EncodedTable encode_facts(const Dataset& dataset, const Schema& schema,
                          std::span<const uint32_t> rows, TargetUse target) {
  const FeatureColumns columns = feature_columns(schema);
  EncodedTable table;
  table.num_records = std::ssize(rows);
  table.feature_names = encoded_feature_names(schema);
  table.num_features = static_cast<uint32_t>(table.feature_names.size());
  table.num_dense =
      schema.image ? table.num_features : static_cast<uint32_t>(columns.numeric.size());
  table.num_active = static_cast<uint32_t>(columns.categorical.size());
  if (!schema.target.empty() && schema.column(schema.target).type == ColumnType::kNumeric) {
    const Scaling scaling(schema.column(schema.target));
    table.target_offset = scaling.offset;
    table.target_divisor = scaling.divisor;
    table.target_lower = scaling.lower;
    table.target_upper = scaling.upper;
  }
  if (target == TargetUse::kRequired) fill_target(dataset, schema, rows, table);
  table.contributes.reserve(rows.size());
  for (const uint32_t row : rows) table.contributes.push_back(dataset.contributes[row]);
  return table;
}

void encode_features(const Dataset& dataset, const Schema& schema, std::span<const uint32_t> rows,
                     EncodedTable& table) {
  if (schema.image) {
    fill_pixels(dataset, rows, table);
  } else {
    fill_features(dataset, feature_columns(schema), rows, table);
  }
}

/// The records without repetitions of the one before, and for each record its place among these.
struct SharedRows {
  std::vector<uint32_t> distinct;
  std::vector<uint32_t> places;
};

SharedRows share_rows(std::span<const uint32_t> records) {
  SharedRows shared;
  shared.places.reserve(records.size());
  for (const uint32_t record : records) {
    if (shared.distinct.empty() || shared.distinct.back() != record)
      shared.distinct.push_back(record);
    shared.places.push_back(static_cast<uint32_t>(shared.distinct.size() - 1));
  }
  return shared;
}

}  // namespace

int64_t EncodedTable::total_records() const {
  return row_counts.empty() ? num_records
                            : std::accumulate(row_counts.begin(), row_counts.end(), int64_t{0});
}

float scaled_number(const ColumnSchema& column, double value) { return Scaling(column)(value); }

EncodedColumns encoded_columns(const Schema& schema) {
  EncodedColumns made;
  if (schema.image) return made;
  const FeatureColumns columns = feature_columns(schema);
  for (const ColumnSchema* column : columns.numeric) made.names.push_back(column->name);
  auto first = static_cast<uint32_t>(columns.numeric.size());
  for (const ColumnSchema* column : columns.categorical) {
    made.names.push_back(column->name);
    made.blocks.push_back(first);
    first += static_cast<uint32_t>(column->categories().size());
  }
  return made;
}

std::vector<std::string> encoded_feature_names(const Schema& schema) {
  std::vector<std::string> names;
  if (schema.image) {
    const ImageShape& shape = *schema.image;
    names.reserve(shape.num_values());
    for (int64_t c = 0; c < shape.channels; ++c) {
      for (int64_t y = 0; y < shape.height; ++y) {
        for (int64_t x = 0; x < shape.width; ++x) {
          names.push_back(fmt::format("pixel {},{},{}", c, y, x));
        }
      }
    }
    return names;
  }
  const FeatureColumns columns = feature_columns(schema);
  for (const ColumnSchema* column : columns.numeric) names.push_back(column->name);
  for (const ColumnSchema* column : columns.categorical) {
    for (const std::string& category : column->categories())
      names.push_back(column->name + "=" + category);
  }
  return names;
}

namespace {

constexpr double kOfUniform = 1.0 / 3;  // mean square on [0, 1], and on [-1, 1], in half widths

double typical_square(const ColumnSchema& column) {
  return column.scale == NumericScale::kStandard ? 1 : kOfUniform;
}

}  // namespace

double typical_row_norm(const Schema& schema) {
  double squares = 1;
  if (schema.image) {
    squares += kOfUniform * static_cast<double>(schema.image->num_values());
  } else {
    const FeatureColumns columns = feature_columns(schema);
    squares += static_cast<double>(columns.categorical.size());
    for (const ColumnSchema* column : columns.numeric) squares += typical_square(*column);
  }
  return std::sqrt(squares);
}

std::vector<TypicalFeature> typical_features(const Schema& schema) {
  if (schema.image) return {schema.image->num_values(), TypicalFeature{kOfUniform}};
  const FeatureColumns columns = feature_columns(schema);
  std::vector<TypicalFeature> features;
  for (const ColumnSchema* column : columns.numeric)
    features.push_back({typical_square(*column), false});
  for (const ColumnSchema* column : columns.categorical) {
    const size_t size = column->categories().size();
    double sum = 0;
    for (size_t k = 1; k <= size; ++k) sum += 1 / static_cast<double>(k);
    // Next to the others, s and the share t of the reference leave s t / (s + t).
    for (size_t k = 1; k <= size; ++k)
      features.push_back({k == 1 ? 0 : 1 / (sum * static_cast<double>(k + 1)), true});
  }
  return features;
}

TargetScale target_scale(const ColumnSchema& target) {
  if (target.type != ColumnType::kNumeric) return {};
  const NumberScale scale = number_scale(target);
  if (target.scale == NumericScale::kStandard) {
    return {0, 1, (target.lower - target.mean) / target.stddev,
            (target.upper - target.mean) / target.stddev};
  }
  constexpr double kPartOfRange = 0.25;
  return {scale.middle, 2 * scale.half_width * kPartOfRange, scale.middle - scale.half_width,
          scale.middle + scale.half_width, false};
}

EncodedTable encode(const Dataset& dataset, const Schema& schema, std::span<const uint32_t> records,
                    TargetUse target) {
  for (const uint32_t record : records) {
    if (record >= dataset.num_records) {
      throw Error(ErrorKind::kUsage, kWhere, "record {} of a table of {} records", record,
                  dataset.num_records);
    }
  }
  EncodedTable table = encode_facts(dataset, schema, records, target);
  if (std::ranges::adjacent_find(records) == records.end()) {
    encode_features(dataset, schema, records, table);
  } else {
    SharedRows shared = share_rows(records);
    encode_features(dataset, schema, shared.distinct, table);
    table.rows = std::move(shared.places);
  }
  return table;
}

EncodedTable encode(const Dataset& dataset, const Schema& schema, const UnitRows& rows,
                    TargetUse target) {
  EncodedTable table = encode(dataset, schema, rows.rows, target);
  table.unit_begin = rows.begin;
  return table;
}

EncodedTable encode(const Dataset& dataset, const Schema& schema, TargetUse target) {
  return encode(dataset, schema,
                UnitRows{numbers_below<uint32_t>(static_cast<size_t>(dataset.num_records)),
                         dataset.unit_begin},
                target);
}

void weigh_by_units(EncodedTable& table) {
  if (table.unit_begin.empty()) return;
  table.weights.assign(static_cast<size_t>(table.num_records), 0);
  for (size_t unit = 0; unit + 1 < table.unit_begin.size(); ++unit) {
    const auto begin = table.contributes.begin() + table.unit_begin[unit];
    const auto end = table.contributes.begin() + table.unit_begin[unit + 1];
    const auto num_rows = static_cast<double>(std::count(begin, end, 1));
    for (size_t row = table.unit_begin[unit]; row < table.unit_begin[unit + 1]; ++row)
      if (table.contributes[row] != 0) table.weights[row] = 1 / num_rows;
  }
}

}  // namespace equinoise
