// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/count_column.h"

#include <fmt/format.h>

#include <charconv>

#include "equinoise/base/small_letters.h"

namespace equinoise {

namespace {

constexpr std::string_view kStem = "equinoise_count";

/// Removes "_WORDNUMBER" from the beginning of a text, if it is there, and returns the number.
std::optional<int64_t> take_number(std::string_view word, std::string_view& text) {
  if (text.empty() || text.front() != '_' || !text.substr(1).starts_with(word)) return std::nullopt;
  const char* begin = text.data() + 1 + word.size();
  const char* end = text.data() + text.size();
  int64_t number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return number;
}

}  // namespace

CountColumn CountColumn::of(const Schema& schema, std::optional<int64_t> num_units) {
  CountColumn column;
  column.public_bins = schema.public_bins;
  if (!schema.has_unit_column()) return column;
  column.num_units = num_units;
  column.rows_of_unit = schema.max_records_per_unit;
  return column;
}

std::string CountColumn::name() const {
  std::string name(kStem);
  if (public_bins) name += fmt::format("_bins{}", *public_bins);
  if (num_units) name += fmt::format("_units{}_rows{}", *num_units, rows_of_unit);
  return name;
}

bool is_like_count_column(std::string_view name) {
  // Databases turn names into capitals.
  return in_small_letters(std::string(name)).starts_with(kStem);
}

std::optional<CountColumn> parse_count_column(std::string_view name) {
  if (!is_like_count_column(name)) return std::nullopt;
  const std::string small = in_small_letters(std::string(name));
  std::string_view rest = std::string_view(small).substr(kStem.size());
  CountColumn column;
  if (const std::optional<int64_t> bins = take_number("bins", rest))
    column.public_bins = static_cast<int>(*bins);
  column.num_units = take_number("units", rest);
  if (column.num_units) column.rows_of_unit = take_number("rows", rest).value_or(0);
  if (column.name() != small || column.rows_of_unit < 1) return std::nullopt;
  return column;
}

std::string problem_of_count_column(const CountColumn& column, const Schema& schema) {
  if (column.public_bins != schema.public_bins) {
    const auto said = [](const std::optional<int>& bins) {
      return bins ? fmt::format("public_bins = {}", *bins) : std::string("no public_bins");
    };
    return fmt::format("was counted by a schema with {}, but this one has {}; count it again",
                       said(column.public_bins), said(schema.public_bins));
  }
  if (column.num_units.has_value() != schema.has_unit_column()) {
    return schema.has_unit_column()
               ? fmt::format(
                     "is of counted rows, which do not say whose they are, but the schema "
                     "has unit = \"{}\"; count it with this schema",
                     schema.unit)
               : "was counted by a schema with a column of units, but this one says unit = "
                 "\"row\"; count it again";
  }
  if (column.num_units && column.rows_of_unit != schema.max_records_per_unit) {
    return fmt::format(
        "was counted with max_records_per_unit = {}, but the schema has {}; count "
        "it again",
        column.rows_of_unit, schema.max_records_per_unit);
  }
  return "";
}

}  // namespace equinoise
