// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/count_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/count_column.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/data/parse_truth.h"
#include "equinoise/data/printed_number.h"
#include "equinoise/data/public_bins.h"

namespace equinoise {

namespace {

/// The number as which a value of single precision is read.
double number_of_single(float single) {
  PrintedNumber printed;
  return *parse_number(printed.print(single));
}

/// The least value of single precision that is read as at least a number.
float least_single(double number) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr double kLargest = std::numeric_limits<float>::max();
  auto single = static_cast<float>(std::clamp(number, -kLargest, kLargest));
  while (single > -kInfinity && number_of_single(single) >= number)
    single = std::nextafter(single, -kInfinity);
  while (number_of_single(single) < number) single = std::nextafter(single, kInfinity);
  return single;
}

/// The value that is printed as a text, if there is one.
template <typename Value>
std::optional<Value> printed_value(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  if (!number) return std::nullopt;
  if (std::isfinite(*number) && std::fabs(*number) > double{std::numeric_limits<Value>::max()})
    return std::nullopt;
  const auto value = static_cast<Value>(*number);
  PrintedNumber printed;
  return printed.print(value) == text ? std::optional(value) : std::nullopt;
}

/// Adds what values of double and single precision are of texts and numbers.
void add_floats(CodedValues& values) {
  for (const auto& [text, code] : values.texts) {
    if (const auto value = printed_value<double>(text)) values.doubles.emplace(*value, code);
    if (const auto value = printed_value<float>(text)) values.singles.emplace(*value, code);
  }
  for (const auto& [text, code] : values.numbers) {
    const double number = *parse_number(text);
    values.doubles.emplace(number, code);
    const float single = least_single(number);
    if (number_of_single(single) == number) values.singles.emplace(single, code);
  }
}

std::vector<std::string> marks_of(const Schema& schema, const ColumnSchema& column) {
  std::vector<std::string> marks = schema.missing_values;
  marks.insert(marks.end(), column.missing_values.begin(), column.missing_values.end());
  return marks;
}

/// The numbers among texts; of categories without those that two of them spell.
std::map<std::string, int> numbers_among(const std::map<std::string, int>& texts,
                                         bool are_doubled_kept) {
  std::map<double, std::vector<std::string>> texts_of;
  for (const auto& [text, code] : texts)
    if (const auto number = distinct_number(text)) texts_of[*number].push_back(text);
  std::map<std::string, int> numbers;
  for (const auto& [number, spelled] : texts_of)
    if (are_doubled_kept || spelled.size() == 1)
      numbers.emplace(spelled.front(), texts.at(spelled.front()));
  return numbers;
}

/// A word in all mixtures of capital and small letters.
std::vector<std::string> spellings_of(std::string_view word) {
  std::vector<std::string> spellings = {""};
  for (const char small : word) {
    std::vector<std::string> longer;
    for (const std::string& begun : spellings) {
      longer.push_back(begun + small);
      if (small >= 'a' && small <= 'z')
        longer.push_back(begun + static_cast<char>(small - 'a' + 'A'));
    }
    spellings = std::move(longer);
  }
  return spellings;
}

/// The texts of truth values, where the two categories are such.
void add_truths(const std::vector<std::string>& categories, std::map<std::string, int>& texts) {
  if (categories.size() != 2 || !are_truth_pair(categories[0], categories[1])) return;
  const int code_of_true = *parse_truth(categories[0]) ? 0 : 1;
  for (const std::string_view word :
       {"true", "t", "yes", "y", "on", "1", "false", "f", "no", "n", "off", "0"}) {
    for (const std::string& spelling : spellings_of(word))
      texts.emplace(spelling, *parse_truth(word) ? code_of_true : 1 - code_of_true);
  }
}

/// A text that has no code.
std::string text_beside(const std::map<std::string, int>& texts, std::string text) {
  while (texts.count(text) != 0) text += '_';
  return text;
}

void plan_categories(const Schema& schema, const ColumnSchema& column, CountedColumn& counted) {
  counted.cells = column.cell_texts.empty() ? column.values : column.cell_texts;
  CodedValues& values = counted.values;
  for (size_t code = 0; code < counted.cells.size(); ++code)
    values.texts.emplace(counted.cells[code], static_cast<int>(code));
  for (const std::string& mark : marks_of(schema, column))
    values.texts.emplace(mark, CountCode::kMissing);
  const auto is_number = [](const std::string& text) { return parse_number(text).has_value(); };
  if (std::all_of(counted.cells.begin(), counted.cells.end(), is_number))
    values.numbers = numbers_among(values.texts, false);
  for (size_t code = 0; code < column.values.size(); ++code)
    values.texts.emplace(column.values[code], static_cast<int>(code));
  add_truths(counted.cells, values.texts);
  counted.neither = text_beside(values.texts, "not listed");
}

/// A cell that is read as outside the bounds, next to one of them: of times, which cannot be
/// infinite, the next one that has a text.
std::string text_outside(const ColumnSchema& column, double bound, double step) {
  if (!column.time) return step < 0 ? "-inf" : "inf";
  const std::string text = column.text_of(bound + step);
  return parse_time(text, *column.time) == bound + step ? text : column.text_of(bound);
}

void plan_bins(const Schema& schema, const ColumnSchema& column, CountedColumn& counted) {
  const PublicBins bins(schema, column, num_public_bins(schema, column));
  counted.whole = column.whole;
  counted.time = column.time;
  counted.edges = {column.lower};
  counted.edges.insert(counted.edges.end(), bins.edges().begin() + 1, bins.edges().end() - 1);
  counted.edges.push_back(column.time ? column.upper + 1 : next_up(column.upper));
  for (const double edge : counted.edges) counted.single_edges.push_back(least_single(edge));
  for (uint32_t bin = 0; bin < bins.num_bins(); ++bin) {
    counted.numbers.push_back(bins.value_of(bin));
    counted.cells.push_back(column.text_of(bins.value_of(bin)));
  }
  CodedValues& values = counted.values;
  for (const std::string& mark : marks_of(schema, column))
    values.texts.emplace(mark, CountCode::kMissing);
  if (!column.time) values.numbers = numbers_among(values.texts, true);
  counted.below = text_outside(column, column.lower, -1);
  counted.above = text_outside(column, column.upper, 1);
  counted.neither = text_beside(values.texts, "no number");
}

}  // namespace

CountPlan count_plan(const Schema& schema) {
  if (schema.image) {
    throw Error(ErrorKind::kInput, "data.count_plan",
                "images are not counted: each is another one; read them from their folder");
  }
  if (schema.has_unit_column()) {
    throw Error(ErrorKind::kInput, "data.count_plan",
                fmt::format("the schema says unit = \"{}\", and which of a unit's rows count is "
                            "not decided here: have an engine do it, by equinoise count --schema, "
                            "or give the table itself",
                            schema.unit));
  }
  CountPlan plan;
  plan.count_column = CountColumn::of(schema).name();
  plan.num_records = schema.num_records;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kIgnored) continue;
    CountedColumn& counted = plan.columns.emplace_back();
    counted.name = column.name;
    counted.type = column.type;
    if (column.type == ColumnType::kNumeric) {
      plan_bins(schema, column, counted);
    } else {
      plan_categories(schema, column, counted);
    }
    add_floats(counted.values);
  }
  return plan;
}

}  // namespace equinoise
