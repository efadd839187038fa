// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/structural_zeros.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/synth/workload.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.structural_zeros";

[[noreturn]] void fail(const std::string& place, const std::string& problem) {
  throw Error(ErrorKind::kInput, kWhere, "{}: {}", place, problem);
}

size_t position_of(const nlohmann::json& name, const std::vector<ColumnCodes>& columns,
                   const std::vector<std::string>& ignored, const std::string& place) {
  if (!name.is_string()) fail(place, "columns must be names");
  if (const auto found = find_column(columns, name.get<std::string>())) return *found;
  std::vector<std::string> names;
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  fail(place, unknown_column(name.get<std::string>(), names, ignored));
}

/// A value of the file, as printed in messages.
std::string shown(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double number_of(const nlohmann::json& value, const ColumnCodes& column, const std::string& place) {
  if (!column.time) {
    if (!value.is_number())
      fail(place, fmt::format("{} is no number for column '{}'", shown(value), column.name));
    return value.get<double>();
  }
  const std::optional<double> number =
      value.is_string() ? column.number_of(value.get<std::string>()) : std::nullopt;
  if (!number) {
    fail(place, fmt::format("{} is no text as {} for column '{}'", shown(value),
                            to_string(*column.time), column.name));
  }
  return *number;
}

uint32_t code_of(const nlohmann::json& value, const ColumnCodes& column, const std::string& place) {
  if (column.is_numeric()) {
    const double number = number_of(value, column, place);
    if (!(number >= column.edges.front() && number <= column.largest())) {
      fail(place, fmt::format("{} is not a value of column '{}', which must lie between {} and {}",
                              shown(value), column.name, column.text_of(column.edges.front()),
                              column.text_of(column.largest())));
    }
    return column.bin_of(number);
  }
  if (!value.is_string())
    fail(place,
         fmt::format("{} must be a category of column '{}', in quotes", shown(value), column.name));
  const auto category = value.get<std::string>();
  const std::optional<uint32_t> code = column.code_of(category);
  if (!code) {
    fail(place, fmt::format("{} is not a category of column '{}'{}", shown(value), column.name,
                            did_you_mean(category, column.values)));
  }
  return *code;
}

Factor parse_table(const nlohmann::json& entry, const std::vector<ColumnCodes>& columns,
                   const Domain& domain, const std::vector<std::string>& ignored,
                   const std::string& place) {
  if (!entry.is_object() || !entry.contains("columns") || !entry["columns"].is_array() ||
      !entry.contains("impossible") || !entry["impossible"].is_array() || entry.size() != 2) {
    fail(place, "must be {\"columns\": [...], \"impossible\": [[...], ...]}");
  }
  std::vector<int> order;
  for (const nlohmann::json& name : entry["columns"])
    order.push_back(static_cast<int>(position_of(name, columns, ignored, place)));
  AttributeSet sorted = order;
  std::ranges::sort(sorted);
  if (sorted.empty() || std::ranges::adjacent_find(sorted) != sorted.end())
    fail(place, "columns must name at least one column, and each only once");
  Factor table = constant_factor(domain, sorted, 0);
  const nlohmann::json& impossible = entry["impossible"];
  for (size_t i = 0; i < impossible.size(); ++i) {
    const nlohmann::json& combination = impossible[i];
    const std::string here = fmt::format("{}, impossible {}", place, i + 1);
    if (!combination.is_array() || combination.size() != order.size())
      fail(here, "must be a list with a value for each column");
    size_t cell = 0;
    for (const int attribute : sorted) {
      const auto index = static_cast<size_t>(std::ranges::find(order, attribute) - order.begin());
      const ColumnCodes& column = columns[static_cast<size_t>(attribute)];
      cell = cell * column.num_codes() + code_of(combination[index], column, here);
    }
    table.values[cell] = kLogZero;
  }
  if (std::ranges::all_of(table.values, [](double value) { return value == kLogZero; })) {
    fail(place, "leaves no possible combination");
  }
  return table;
}

}  // namespace

std::vector<Factor> parse_structural_zeros(std::string_view text,
                                           const std::vector<ColumnCodes>& columns,
                                           const Domain& domain, std::string_view origin,
                                           const std::vector<std::string>& ignored) {
  const JsonSource source = {
      .origin = std::string(origin),
      .where = kWhere,
      .kind = "a list of structural zeros",
      .hint = R"(write [{"columns": [...], "impossible": [[...], ...]}, ...])"};
  const nlohmann::json json = parse_json(text, source);
  if (!json.is_array()) source.fail(fmt::format("must be a JSON list; {}", source.hint));
  std::vector<Factor> zeros;
  for (size_t i = 0; i < json.size(); ++i)
    zeros.push_back(
        parse_table(json[i], columns, domain, ignored, fmt::format("{}: table {}", origin, i + 1)));
  return zeros;
}

Factor restrict_zeros(const Factor& zeros, const Domain& domain, const std::vector<size_t>& kept,
                      const std::map<size_t, uint32_t>& fixed) {
  Factor result;
  for (const int attribute : zeros.attributes) {
    const auto found = std::ranges::find(kept, static_cast<size_t>(attribute));
    if (found != kept.end()) result.attributes.push_back(static_cast<int>(found - kept.begin()));
  }
  for (size_t cell = 0; cell < zeros.values.size(); ++cell) {
    size_t rest = cell;
    bool matches = true;
    for (size_t i = zeros.attributes.size(); i-- > 0;) {
      const auto attribute = static_cast<size_t>(zeros.attributes[i]);
      const auto num_codes = static_cast<size_t>(domain.num_codes(zeros.attributes[i]));
      if (const auto found = fixed.find(attribute); found != fixed.end())
        matches = matches && found->second == rest % num_codes;
      rest /= num_codes;
    }
    if (matches) result.values.push_back(zeros.values[cell]);
  }
  return result;
}

}  // namespace equinoise
