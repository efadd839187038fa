// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/column_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/number_bins.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/privacy/random/uniform.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.column_codes";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

bool ascends_strictly(const std::vector<double>& edges) {
  return std::ranges::adjacent_find(edges, std::greater_equal<>()) == edges.end();
}

bool are_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// Inner edges with the bounds around them.
std::vector<double> bounded_edges(const ColumnSchema& column, const std::vector<double>& inner) {
  std::vector<double> edges = {column.lower};
  append(edges, inner);
  edges.push_back(column.whole ? std::floor(column.upper) + 1 : column.upper);
  return edges;
}

std::vector<double> parse_edges(const ColumnSchema& column, const std::vector<std::string>& texts) {
  std::vector<double> inner;
  for (const std::string& text : texts) {
    const std::optional<double> edge =
        column.time ? parse_time(text, *column.time) : parse_number(text);
    if (!edge) {
      refuse("edges of column '{}' must be {}, got {}", column.name,
             !column.time              ? "numbers"
             : column.time->has_time() ? fmt::format("times as {}, in quotes if they "
                                                     "hold a colon, or dates",
                                                     to_string(*column.time))
                                       : "dates as 2024-03-01",
             text);
    }
    inner.push_back(*edge);
  }
  const std::vector<double> edges = bounded_edges(column, inner);
  if (!ascends_strictly(edges)) {
    refuse("edges of column '{}' must ascend strictly within its bounds {} and {}", column.name,
           column.text_of(column.lower), column.text_of(column.upper));
  }
  return edges;
}

std::vector<double> edges_of(const ColumnSchema& column, const BinOptions& options) {
  if (const auto given = options.edges_of.find(column.name); given != options.edges_of.end())
    return parse_edges(column, given->second);
  const auto own = options.num_bins_of.find(column.name);
  const bool is_asked = own != options.num_bins_of.end();
  if (!is_asked && !column.bin_edges.empty()) return bounded_edges(column, column.bin_edges);
  const int num_bins =
      is_asked ? own->second : column.num_bins.value_or(options.num_bins.value_or(kUsualBins));
  if (num_bins < 1 || num_bins > static_cast<int>(kMaxBins)) {
    refuse("num_bins of column '{}' must lie between 1 and {}, got {}", column.name, kMaxBins,
           num_bins);
  }
  std::vector<double> edges = column.whole ? whole_edges(column.lower, column.upper, num_bins)
                                           : even_edges(column.lower, column.upper, num_bins);
  if (!ascends_strictly(edges)) {
    refuse(
        "num_bins of column '{}': {} bins between {} and {} are narrower than double "
        "precision; ask for fewer",
        column.name, num_bins, column.lower, column.upper);
  }
  return edges;
}

bool is_distribution(const NumberDistribution& distribution) {
  return distribution.knots.size() >= 2 && distribution.knots.size() == distribution.below.size() &&
         are_finite(distribution.knots) && are_finite(distribution.below) &&
         ascends_strictly(distribution.knots) && std::ranges::is_sorted(distribution.below) &&
         distribution.below.front() >= 0 && distribution.below.back() <= 1;
}

void check_named(const Schema& schema, const std::string& name) {
  const ColumnSchema* column = schema.find_column(name);
  if (column != nullptr && column->type == ColumnType::kNumeric) return;
  std::vector<std::string> names;
  for (const ColumnSchema& other : schema.columns) {
    if (other.type == ColumnType::kNumeric) names.push_back(other.name);
  }
  refuse("bins are for numeric columns, but '{}' is not one{}", name, did_you_mean(name, names));
}

/// The shortest text that reads as a missing cell of a column. Without one, no cell in a table of
/// text is missing.
std::string missing_text(const Schema& schema, const ColumnSchema& column) {
  const std::vector<std::string> marks = schema.missing_marks(column);
  const auto shortest = std::ranges::min_element(
      marks, [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return shortest == marks.end() ? "" : *shortest;
}

}  // namespace

uint32_t ColumnCodes::bin_of(double value) const {
  const auto next = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  return static_cast<uint32_t>(next - edges.begin() - 1);
}

double ColumnCodes::part_of(size_t bin, double low, double high) const {
  constexpr double kMinPart = 1e-9;  // relative to an even spread
  if (low <= edges[bin] && high >= edges[bin + 1]) return 1;
  const auto number = [&](double edge) { return whole ? std::ceil(edge) : edge; };
  const double first = number(edges[bin]);
  const double end = number(edges[bin + 1]);
  const double from = std::max(first, number(low));
  const double to = std::min(end, number(high));
  if (!(first < end)) return 1;  // no number of the column is in the bin
  if (!(from < to)) return 0;
  const double even = (to - from) / (end - first);
  const double all = distribution ? distribution->share_between(first, end) : 0;
  if (!(all > 0)) return even;
  return std::max(distribution->share_between(from, to) / all, kMinPart * even);
}

double BinNumbers::draw(RandomSource& source) const {
  if (!(first < last)) return last;
  const double part = uniform_fraction(source);
  const double value = distribution == nullptr
                           ? first + width * part
                           : std::max(first, distribution->number_at(below + within * part, knots));
  return std::min(whole ? std::floor(value) : value, last);
}

BinNumbers ColumnCodes::numbers_of(uint32_t code) const {
  BinNumbers numbers;
  numbers.whole = whole;
  numbers.first = whole ? std::ceil(edges[code]) : edges[code];
  const double end = whole ? std::ceil(edges[code + 1]) : edges[code + 1];
  numbers.width = end - numbers.first;
  // The limit for numbers that rounding moves beyond the bin.
  numbers.last = whole ? std::max(end - 1, numbers.first) : next_down(end);
  if (!distribution) return numbers;
  numbers.below = distribution->share_below(numbers.first);
  numbers.within = distribution->share_below(end) - numbers.below;
  if (!(numbers.within > 0)) return numbers;
  numbers.distribution = &*distribution;
  numbers.knots = distribution->knots_between(numbers.below, numbers.below + numbers.within);
  return numbers;
}

double ColumnCodes::end_of(size_t bin) const {
  const double end = edges[bin + 1];
  return bin + 1 == num_bins() ? std::max(end, next_up(largest())) : end;
}

std::pair<double, double> ColumnCodes::limits_of(size_t bin) const {
  if (!whole) return {edges[bin], std::max(edges[bin], next_down(end_of(bin)))};
  const double first = std::ceil(edges[bin]);
  const double last = std::ceil(edges[bin + 1]) - 1;
  return last < first ? std::pair(edges[bin], edges[bin + 1]) : std::pair(first, last);
}

double ColumnCodes::mean_number(uint32_t code) const {
  const double first = whole ? std::ceil(edges[code]) : edges[code];
  const double end = whole ? std::ceil(edges[code + 1]) : edges[code + 1];
  // A whole number represents all numbers up to the next one.
  const double away = whole ? 0.5 : 0;
  const double even = std::max(first, (first + end) / 2 - away);
  const double within = distribution ? distribution->share_between(first, end) : 0;
  if (!(within > 0)) return even;
  std::vector<double> stops = {first};
  for (const double knot : distribution->knots)
    if (knot > first && knot < end) stops.push_back(knot);
  stops.push_back(end);
  double sum = 0;
  for (size_t i = 0; i + 1 < stops.size(); ++i) {
    const double share = distribution->share_between(stops[i], stops[i + 1]);
    sum += share * ((stops[i] + stops[i + 1]) / 2 - away);
  }
  return std::clamp(sum / within, first, std::max(first, end));
}

std::string ColumnCodes::decode(uint32_t code, RandomSource& source) const {
  if (is_missing(code)) return *missing_text;
  if (!is_numeric()) return code < cell_texts.size() ? cell_texts[code] : values[code];
  return text_of(numbers_of(code).draw(source));
}

std::optional<uint32_t> ColumnCodes::code_of(std::string_view category) const {
  for (const std::vector<std::string>* texts : {&values, &cell_texts}) {
    const auto found = std::ranges::find(*texts, category);
    if (found != texts->end()) return static_cast<uint32_t>(found - texts->begin());
  }
  return std::nullopt;
}

std::string ColumnCodes::text_of(double number) const {
  if (time) return print_time(number, *time);
  return whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
}

std::string ColumnCodes::code_text(size_t code) const {
  if (!is_numeric()) return values[code];
  if (is_missing(static_cast<uint32_t>(code))) return "missing";
  const auto [low, high] = limits_of(code);
  if (low == high) return text_of(low);
  if (whole) return fmt::format("{} to {}", text_of(low), text_of(high));
  const bool is_last = code + 1 == num_bins();
  return fmt::format("{:.6g} to {}{:.6g}", low, is_last ? "" : "below ",
                     is_last ? high : edges[code + 1]);
}

double ColumnCodes::largest() const {
  // The last bin of whole numbers ends where the next one would begin; one of a single number ends
  // at the next double.
  if (whole) return std::ceil(edges.back()) - 1;
  if (distribution) return next_down(edges.back());
  const double before = next_down(edges.back());
  return edges[edges.size() - 2] == before ? before : edges.back();
}

std::optional<double> ColumnCodes::number_of(std::string_view text) const {
  return time ? parse_time(text, *time) : parse_number(text);
}

std::vector<ColumnCodes> column_codes(const Schema& schema, const BinOptions& options) {
  for (const auto& [name, bins] : options.num_bins_of) check_named(schema, name);
  for (const auto& [name, edges] : options.edges_of) {
    check_named(schema, name);
    if (options.num_bins_of.contains(name))
      refuse(
          "column '{}' has a number of bins and edges, too; give one of --bins-of "
          "and --edges-of",
          name);
  }
  std::vector<ColumnCodes> result;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kIgnored) continue;
    ColumnCodes codes;
    codes.name = column.name;
    if (column.type == ColumnType::kCategorical) {
      codes.values = column.categories();
      codes.cell_texts = column.cell_texts;
    } else {
      codes.edges = with_edges(edges_of(column, options), own_edges(schema, column));
      codes.whole = column.whole;
      codes.time = column.time;
    }
    if (column.missing == MissingPolicy::kCategory)
      codes.missing_text = missing_text(schema, column);
    result.push_back(std::move(codes));
  }
  return result;
}

std::optional<size_t> find_column(const std::vector<ColumnCodes>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &ColumnCodes::name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

std::vector<size_t> num_ordered_of(const std::vector<ColumnCodes>& columns) {
  std::vector<size_t> result;
  for (const ColumnCodes& column : columns)
    result.push_back(column.is_numeric() ? column.num_bins() : 0);
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
  for (size_t row = 0; row < dataset.row_counts.size(); ++row)
    if (members[row] != 0) table.counts.push_back(dataset.row_counts[row]);
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
    std::vector<BinNumbers> bins;
    for (uint32_t bin = 0; bin < column.num_bins(); ++bin) bins.push_back(column.numbers_of(bin));
    for (size_t row = 0; row < rows.num_rows; ++row) {
      const uint32_t code = rows.columns[i][row];
      const bool is_missing = column.is_missing(code);
      if (is_missing) numeric.missing[row] = 1;
      numeric.values.push_back(is_missing ? column.edges.front() : bins[code].draw(source));
    }
  }
  return dataset;
}

nlohmann::ordered_json to_json(const ColumnCodes& column) {
  nlohmann::ordered_json json = {{"name", column.name}};
  if (column.is_numeric()) {
    json["edges"] = column.edges;
    if (column.distribution)
      json["law"] = {{"knots", column.distribution->knots}, {"below", column.distribution->below}};
    json["whole"] = column.whole;
    if (column.time) json["time"] = to_string(*column.time);
  } else {
    json["values"] = column.values;
    if (!column.cell_texts.empty()) json["cells"] = column.cell_texts;
  }
  if (column.missing_text) json["missing"] = *column.missing_text;
  return json;
}

ColumnCodes column_codes_from_json(const nlohmann::json& json, const std::string& place) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, kWhere, "{}: {}", place, problem);
  };
  ColumnCodes column;
  try {
    column.name = json.at("name").get<std::string>();
    if (json.contains("values")) {
      column.values = json.at("values").get<std::vector<std::string>>();
      if (column.values.empty() || column.values.size() > 65'536) fail("values must be a list");
      if (json.contains("cells"))
        column.cell_texts = json.at("cells").get<std::vector<std::string>>();
      if (column.cell_texts.size() > column.values.size()) fail("cells must be of values");
    } else {
      column.edges = json.at("edges").get<std::vector<double>>();
      column.whole = json.at("whole").get<bool>();
      if (json.contains("time")) {
        column.time = parse_time_format(json.at("time").get<std::string>());
        if (!column.time || !column.whole) fail("time must be a format of dates or times");
      }
      if (json.contains("law")) {
        column.distribution = {json["law"].at("knots").get<std::vector<double>>(),
                               json["law"].at("below").get<std::vector<double>>()};
        if (!is_distribution(*column.distribution))
          fail("law must be knots and shares that ascend");
      }
      if (column.edges.size() < 2 || column.edges.size() > kMaxBins + 2 * kMaxPointMasses + 1)
        fail("edges must be a list");
      if (!are_finite(column.edges) || !ascends_strictly(column.edges)) fail("edges must ascend");
    }
    if (json.contains("missing")) column.missing_text = json.at("missing").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    fail(
        "must be {\"name\", \"values\"} or {\"name\", \"edges\", \"whole\"}, and \"missing\" must "
        "be a string");
  }
  return column;
}

}  // namespace equinoise
