// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/given_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/quotes.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/schema/toml_section.h"

namespace equinoise {

namespace {

constexpr Refusal refuse_given{ErrorKind::kUsage, "synth.given_values"};

/// So many units more than the number of its text an end of a range stands for: of timestamps, a
/// date without a time is that whole day.
double rest_of_day(const ColumnCodes& column, const std::string& end) {
  if (!column.time || !column.time->has_time()) return 0;
  const std::optional<ParsedTime> time = parse_time(end);
  return time && !time->has_time ? units_per_day(column.time->unit) - 1 : 0;
}

/// A number in a text of the option.
double parse_end(std::string_view option, const ColumnCodes& column, const std::string& value,
                 const std::string& end) {
  const std::optional<double> number = column.number_of(end);
  if (!number) {
    refuse_given(
        "{} {}={}: the value must be a {}, or a range of two with .. between "
        "them{}",
        option, column.name, value,
        !column.time              ? "number"
        : column.time->has_time() ? fmt::format("time as {}, or a date", to_string(*column.time))
                                  : "date as " + to_string(*column.time),
        column.missing_text ? ", or missing" : "");
  }
  return *number;
}

/// The part of each bin that lies from `low` to below `high`, over the largest of these.
std::vector<double> weights_within(const ColumnCodes& column, double low, double high) {
  std::vector<double> weights(column.num_codes(), 0);
  for (size_t bin = 0; bin < column.num_bins(); ++bin) {
    weights[bin] = column.part_of(bin, low, high);
    // Its largest number may be where it ends.
    if (low == column.edges[bin + 1] && low < column.end_of(bin)) weights[bin] = 1;
  }
  const double largest = *std::ranges::max_element(weights);
  for (double& weight : weights) weight /= largest;
  return weights;
}

Given parse_value(std::string_view option, const ColumnCodes& column, const std::string& value) {
  if (!column.is_numeric()) {
    const std::optional<uint32_t> code = column.code_of(value);
    if (!code) {
      refuse_given("{} {}={}: the column has no such value{}", option, column.name, value,
                   did_you_mean(value, column.values));
    }
    return {{0, static_cast<int>(*code)}};
  }
  if (column.missing_text && (value == "missing" || value == *column.missing_text))
    return {{0, static_cast<int>(column.num_bins())}};
  constexpr std::string_view kTo = "..";
  const size_t split = value.find(kTo);
  const bool is_range = split != value.npos;
  const double lowest = column.edges.front();
  const double last = column.largest();
  const std::string from = value.substr(0, split);
  const std::string to = is_range ? value.substr(split + kTo.size()) : from;
  const double low = is_range && from.empty() ? lowest : parse_end(option, column, value, from);
  const double high = is_range && to.empty()
                          ? last
                          : parse_end(option, column, value, to) + rest_of_day(column, to);
  if (column.whole && !is_range && low != std::floor(low)) {
    refuse_given("{} {}={}: the column holds whole numbers", option, column.name, value);
  }
  if (is_range && !(low <= high)) {
    refuse_given("{} {}={}: the first end of a range must not be above the second", option,
                 column.name, value);
  }
  const double begin = column.whole ? std::ceil(std::max(low, lowest)) : std::max(low, lowest);
  const double end =
      column.whole ? std::floor(std::min(high, last)) + 1 : next_up(std::min(high, last));
  // A part alone is possible of a day within which the bounds lie.
  if (!(begin < end) || (!is_range && !(high >= lowest && low <= last))) {
    refuse_given("{} {}={}: {} between {} and {}", option, column.name, value,
                 is_range ? "the range must hold numbers" : "the value must lie",
                 column.text_of(lowest), column.text_of(last));
  }
  return {{0, 0, weights_within(column, begin, end)}, std::pair(begin, end)};
}

Given parse_group(std::string_view option, const CodeGroups& groups, const std::string& value) {
  const std::optional<size_t> group = groups.find(value);
  if (!group) {
    refuse_given("{} {}={}: there is no such group{}", option, groups.name, value,
                 did_you_mean_in_list(value, groups.groups));
  }
  return {{0, 0, groups.weights(*group)}};
}

}  // namespace

size_t find_in_model(const std::string& name, const std::vector<ColumnCodes>& columns,
                     const std::vector<CodeGroups>& groups, std::string_view option,
                     const Refusal& refuse) {
  std::vector<std::string> names;
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  for (const CodeGroups& own : groups) names.push_back(own.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    refuse("{} {}: the model has no such column{}", option, name,
           did_you_mean_in_list(name, names));
  }
  return static_cast<size_t>(found - names.begin());
}

std::vector<Given> parse_given(const std::vector<std::string>& entries,
                               const std::vector<ColumnCodes>& columns,
                               const std::vector<CodeGroups>& groups, std::string_view option) {
  std::vector<Given> result;
  for (const std::string& entry : entries) {
    const size_t split = find_outside_quotes(entry, '=');
    if (split == std::string::npos) refuse_given("{} needs COLUMN=VALUE, got {}", option, entry);
    const std::string name = without_quotes(entry.substr(0, split));
    const std::string value = without_quotes(entry.substr(split + 1));
    const size_t found = find_in_model(name, columns, groups, option, refuse_given);
    const bool is_column = found < columns.size();
    const size_t position = is_column ? found : groups[found - columns.size()].column;
    const bool is_again = std::ranges::any_of(result, [&](const Given& given) {
      return given.evidence.attribute == static_cast<int>(position);
    });
    if (is_again) refuse_given("{} names column {} twice", option, columns[position].name);
    result.push_back(is_column ? parse_value(option, columns[position], value)
                               : parse_group(option, groups[found - columns.size()], value));
    result.back().evidence.attribute = static_cast<int>(position);
  }
  return result;
}

}  // namespace equinoise
