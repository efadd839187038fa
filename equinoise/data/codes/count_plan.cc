// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/count_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/codes/number_threshold.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/data/values/printed_number.h"

namespace equinoise {

namespace {

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

/// Adds the values of double and single precision that equal the texts and numbers.
void add_floats(CodedValues& values) {
  for (const auto& [text, code] : values.texts) {
    if (is_infinity(text)) {
      values.doubles.emplace(*parse_number(text), code);
      values.singles.emplace(static_cast<float>(*parse_number(text)), code);
    }
    if (const auto value = printed_value<double>(text)) values.doubles.emplace(*value, code);
    if (const auto value = printed_value<float>(text)) values.singles.emplace(*value, code);
  }
  for (const auto& [text, code] : values.numbers) {
    const double number = *parse_number(text);
    values.doubles.emplace(number, code);
    const float single = float_threshold(number);
    PrintedNumber printed;
    if (*parse_number(printed.print(single)) == number) values.singles.emplace(single, code);
  }
}

/// The finite numbers among texts. Without `are_doubled_kept`, numbers that two texts spell are
/// left out.
std::map<std::string, int> numbers_among(const std::map<std::string, int>& texts,
                                         bool are_doubled_kept) {
  std::map<double, std::vector<std::string>> texts_of;
  for (const auto& [text, code] : texts) {
    const std::optional<double> number = distinct_number(text);
    if (number && std::isfinite(*number)) texts_of[*number].push_back(text);
  }
  std::map<std::string, int> numbers;
  for (const auto& [number, spelled] : texts_of)
    if (are_doubled_kept || spelled.size() == 1)
      numbers.emplace(spelled.front(), texts.at(spelled.front()));
  return numbers;
}

/// All mixtures of capital and small letters of a word.
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

/// Adds all spellings of true and false. Pre: the categories are a truth pair.
void add_truths(const std::vector<std::string>& categories, std::map<std::string, int>& texts) {
  const int code_of_true = *parse_truth(categories[0]) ? 0 : 1;
  for (const std::string_view word : kTruthWords) {
    for (const std::string& spelling : spellings_of(word))
      texts.emplace(spelling, *parse_truth(word) ? code_of_true : 1 - code_of_true);
  }
}

void plan_categories(const ColumnCoding& coding, CountedColumn& counted) {
  const ColumnSchema& column = coding.column();
  for (size_t code = 0; code < column.values.size(); ++code)
    counted.cells.push_back(*coding.cell(static_cast<int32_t>(code)));
  CodedValues& values = counted.values;
  for (size_t code = 0; code < counted.cells.size(); ++code)
    values.texts.emplace(counted.cells[code], static_cast<int>(code));
  for (const std::string& mark : coding.missing_marks())
    values.texts.emplace(mark, CellCode::kMissing);
  const auto is_number = [](const std::string& text) { return parse_number(text).has_value(); };
  if (are_truth_pair(counted.cells)) {
    std::map<std::string, int> spelled = values.texts;
    add_truths(counted.cells, spelled);
    values.numbers = numbers_among(spelled, false);
  } else if (std::ranges::all_of(counted.cells, is_number)) {
    values.numbers = numbers_among(values.texts, false);
  }
  for (size_t code = 0; code < column.values.size(); ++code)
    values.texts.emplace(column.values[code], static_cast<int>(code));
  if (are_truth_pair(counted.cells)) add_truths(counted.cells, values.texts);
  counted.neither = *coding.cell(CellCode::kUnlisted);
}

void plan_bins(const ColumnCoding& coding, CountedColumn& counted) {
  const ColumnSchema& column = coding.column();
  const PublicBins& bins = coding.bins();
  counted.whole = column.whole;
  counted.time = column.time;
  counted.edges = {column.lower};
  counted.edges.insert(counted.edges.end(), bins.edges().begin() + 1, bins.edges().end() - 1);
  counted.edges.push_back(column.time ? column.upper + 1 : next_up(column.upper));
  for (const double edge : counted.edges) counted.single_edges.push_back(float_threshold(edge));
  for (uint32_t bin = 0; bin < bins.num_bins(); ++bin) {
    counted.numbers.push_back(bins.value_of(bin));
    counted.cells.push_back(*coding.cell(static_cast<int32_t>(bin)));
  }
  CodedValues& values = counted.values;
  for (const std::string& mark : coding.missing_marks())
    values.texts.emplace(mark, CellCode::kMissing);
  if (!column.time) values.numbers = numbers_among(values.texts, true);
  counted.below = *coding.cell(CellCode::kBelow);
  counted.above = *coding.cell(CellCode::kAbove);
  counted.neither = *coding.cell(CellCode::kNoNumber);
}

}  // namespace

CountPlan count_plan(const Schema& schema) {
  if (schema.has_unit_column()) {
    throw Error(ErrorKind::kInput, "data.count_plan",
                "the schema says unit = \"{}\", and which of a unit's rows count is "
                "not decided here: have an engine do it, by equinoise count --schema, "
                "or give the table itself",
                schema.unit);
  }
  CountPlan plan;
  plan.count_column = CountColumn::of(schema).name();
  plan.num_records = schema.num_records;
  for (const ColumnCoding& coding : column_codings(schema)) {
    CountedColumn& counted = plan.columns.emplace_back();
    counted.name = coding.column().name;
    counted.type = coding.column().type;
    if (coding.is_numeric()) {
      plan_bins(coding, counted);
    } else {
      plan_categories(coding, counted);
    }
    add_floats(counted.values);
  }
  return plan;
}

}  // namespace equinoise
