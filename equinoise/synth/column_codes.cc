#include "equinoise/synth/column_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/data/toml_section.h"
#include "equinoise/privacy/random/uniform.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.column_codes";
constexpr int kMaxBins = 4096;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, kWhere, message);
}

/// Below it every whole number is exact in single precision, in which columns are read.
constexpr double kMaxWhole = 0x1p24;

std::vector<double> whole_edges(double lower, double upper, int num_bins) {
  const double first = std::ceil(lower);
  const double count = std::floor(upper) - first + 1;
  const double bins = std::min(count, static_cast<double>(num_bins));
  std::vector<double> edges;
  // The last bin ends where the next whole number would begin.
  for (int i = 0; i <= static_cast<int>(bins); ++i)
    edges.push_back(first + std::floor(i * count / bins));
  return edges;
}

std::vector<double> even_edges(double lower, double upper, int num_bins) {
  std::vector<double> edges;
  for (int i = 0; i <= num_bins; ++i) edges.push_back(lower + (upper - lower) * i / num_bins);
  edges.back() = upper;
  return edges;
}

std::vector<double> edges_of(const ColumnSchema& column, const BinOptions& options) {
  // What is clamped to the bounds of the schema may lie beyond the first or last whole number.
  const bool holds_whole = std::floor(column.upper) >= std::ceil(column.lower) &&
                           std::max(std::abs(column.lower), std::abs(column.upper)) <= kMaxWhole;
  if (column.whole && !holds_whole) {
    refuse(
        fmt::format("column '{}' is declared whole, but its bounds hold no whole number or such "
                    "beyond {:.0f}",
                    column.name, kMaxWhole));
  }
  if (const auto given = options.edges_of.find(column.name); given != options.edges_of.end()) {
    std::vector<double> edges = {column.lower};
    edges.insert(edges.end(), given->second.begin(), given->second.end());
    edges.push_back(column.whole ? std::floor(column.upper) + 1 : column.upper);
    for (size_t i = 1; i < edges.size(); ++i) {
      if (!(edges[i] > edges[i - 1])) {
        refuse(fmt::format("edges of column '{}' must ascend strictly within its bounds {} and {}",
                           column.name, column.lower, column.upper));
      }
    }
    return edges;
  }
  const auto own = options.num_bins_of.find(column.name);
  const int num_bins = own != options.num_bins_of.end() ? own->second : options.num_bins;
  if (num_bins < 1 || num_bins > kMaxBins) {
    refuse(fmt::format("num_bins of column '{}' must lie between 1 and {}, got {}", column.name,
                       kMaxBins, num_bins));
  }
  return column.whole ? whole_edges(column.lower, column.upper, num_bins)
                      : even_edges(column.lower, column.upper, num_bins);
}

void check_named(const Schema& schema, const std::string& name) {
  const ColumnSchema* column = schema.find_column(name);
  if (column != nullptr && column->type == ColumnType::kNumeric) return;
  std::vector<std::string> names;
  for (const ColumnSchema& other : schema.columns) {
    if (other.type == ColumnType::kNumeric) names.push_back(other.name);
  }
  refuse(fmt::format("bins are for numeric columns, and '{}' is none{}", name,
                     did_you_mean(name, names)));
}

template <typename Number>
std::string number_text(Number value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// The shortest text that the schema reads as a missing cell; with none, nothing in a table of text
/// is missing.
std::string missing_text(const Schema& schema) {
  const auto shortest = std::min_element(
      schema.missing_values.begin(), schema.missing_values.end(),
      [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return shortest == schema.missing_values.end() ? "" : *shortest;
}

}  // namespace

uint32_t ColumnCodes::bin_of(double value) const {
  const auto next = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  return static_cast<uint32_t>(next - edges.begin() - 1);
}

double ColumnCodes::draw_number(uint32_t code, RandomSource& source) const {
  if (whole) {
    const double first = std::ceil(edges[code]);
    const double count = std::ceil(edges[code + 1]) - first;
    return first + std::floor(uniform_fraction(source) * std::max(count, 1.0));
  }
  const double value = edges[code] + (edges[code + 1] - edges[code]) * uniform_fraction(source);
  // Single precision, as columns are read; rounding must not leave the bin.
  const double rounded = static_cast<float>(value);
  return rounded >= edges[code] && rounded < edges[code + 1] ? rounded : value;
}

std::string ColumnCodes::decode(uint32_t code, RandomSource& source) const {
  if (is_missing(code)) return *missing_text;
  if (!is_numeric()) return values[code];
  const double value = draw_number(code, source);
  const auto single = static_cast<float>(value);
  return !whole && static_cast<double>(single) == value ? number_text(single) : number_text(value);
}

std::vector<ColumnCodes> column_codes(const Schema& schema, const BinOptions& options) {
  for (const auto& [name, bins] : options.num_bins_of) check_named(schema, name);
  for (const auto& [name, edges] : options.edges_of) check_named(schema, name);
  std::vector<ColumnCodes> result;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kIgnored) continue;
    ColumnCodes codes;
    codes.name = column.name;
    if (column.type == ColumnType::kCategorical) {
      codes.values = column.categories();
    } else {
      codes.edges = edges_of(column, options);
      codes.whole = column.whole;
    }
    if (column.missing == MissingPolicy::kCategory) codes.missing_text = missing_text(schema);
    result.push_back(std::move(codes));
  }
  return result;
}

CodedTable encode_table(const Dataset& dataset, const std::vector<ColumnCodes>& columns) {
  return encode_table(dataset, columns, dataset.contributes);
}

CodedTable encode_table(const Dataset& dataset, const std::vector<ColumnCodes>& columns,
                        std::span<const uint8_t> members) {
  std::vector<size_t> sizes;
  sizes.reserve(columns.size());
  for (const ColumnCodes& column : columns) sizes.push_back(column.num_codes());
  CodedTable table(sizes);
  for (const uint8_t is_member : members) table.num_records += is_member;
  for (size_t i = 0; i < columns.size(); ++i) {
    const ColumnCodes& column = columns[i];
    CodedColumn& coded = table.columns[i];
    const NumericColumn* numeric = dataset.find_numeric(column.name);
    const CategoricalColumn* categorical = dataset.find_categorical(column.name);
    for (size_t record = 0; record < members.size(); ++record) {
      if (members[record] == 0) continue;
      if (categorical != nullptr) {
        coded.append(categorical->codes[record]);
      } else if (column.missing_text && numeric->missing[record] != 0) {
        coded.append(static_cast<uint32_t>(column.num_bins()));
      } else {
        coded.append(column.bin_of(numeric->values[record]));
      }
    }
  }
  return table;
}

Dataset decode_rows(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                    RandomSource& source) {
  Dataset dataset;
  dataset.num_records = static_cast<int64_t>(rows.num_rows);
  dataset.contributes.assign(rows.num_rows, 1);
  for (size_t i = 0; i < columns.size(); ++i) {
    const ColumnCodes& column = columns[i];
    if (!column.is_numeric()) {
      dataset.categorical.push_back({column.name, column.values, rows.columns[i]});
      continue;
    }
    NumericColumn& numeric = dataset.numeric.emplace_back();
    numeric.name = column.name;
    if (column.missing_text) numeric.missing.assign(rows.num_rows, 0);
    for (size_t row = 0; row < rows.num_rows; ++row) {
      const uint32_t code = rows.columns[i][row];
      const bool is_missing = column.is_missing(code);
      if (is_missing) numeric.missing[row] = 1;
      numeric.values.push_back(
          static_cast<float>(is_missing ? column.edges.front() : column.draw_number(code, source)));
    }
  }
  return dataset;
}

nlohmann::ordered_json to_json(const ColumnCodes& column) {
  nlohmann::ordered_json json = {{"name", column.name}};
  if (column.is_numeric()) {
    json["edges"] = column.edges;
    json["whole"] = column.whole;
  } else {
    json["values"] = column.values;
  }
  if (column.missing_text) json["missing"] = *column.missing_text;
  return json;
}

ColumnCodes column_codes_from_json(const nlohmann::json& json, const std::string& place) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, kWhere, fmt::format("{}: {}", place, problem));
  };
  ColumnCodes column;
  try {
    column.name = json.at("name").get<std::string>();
    if (json.contains("values")) {
      column.values = json.at("values").get<std::vector<std::string>>();
      if (column.values.empty() || column.values.size() > 65'536) fail("values must be a list");
    } else {
      column.edges = json.at("edges").get<std::vector<double>>();
      column.whole = json.at("whole").get<bool>();
      if (column.edges.size() < 2 || column.edges.size() > kMaxBins + 1)
        fail("edges must be a list");
      for (size_t i = 0; i < column.edges.size(); ++i) {
        if (!std::isfinite(column.edges[i]) || (i > 0 && !(column.edges[i] > column.edges[i - 1])))
          fail("edges must ascend");
      }
    }
    if (json.contains("missing")) column.missing_text = json.at("missing").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    fail(
        "must be {\"name\", \"values\"} or {\"name\", \"edges\", \"whole\"}, and \"missing\" a "
        "text");
  }
  return column;
}

}  // namespace equinoise
