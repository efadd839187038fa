// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/json_reader.h"

#include <algorithm>
#include <limits>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

Event event_of(const nlohmann::ordered_json& json, const OrderedJsonSection& section,
               const std::string& key) {
  try {
    return Event::from_json(json, key);
  } catch (const Error& error) {
    section.wrong(key, fmt::format("of events that this version knows ({})", error.what()));
  }
}

}  // namespace

template <typename Json>
std::optional<Guarantee> read_guarantee(const BasicJsonSection<Json>& parent,
                                        const std::string& key) {
  if (parent.member(key).is_null()) return std::nullopt;
  const BasicJsonSection<Json> section = parent.section(key);
  const double epsilon = section.number("epsilon");
  if (!(epsilon >= 0)) section.wrong("epsilon", ">= 0");
  const double delta = section.number("delta");
  if (!(delta >= 0 && delta < 1)) section.wrong("delta", "at least 0 and below 1");
  return Guarantee{Epsilon(epsilon), Delta(delta),
                   read_word(section, "accountant", kAccountantNames),
                   read_word(section, "relation", kRelations)};
}

template <typename Json>
OptionValue read_option(const BasicJsonSection<Json>& options, const std::string& name) {
  const Json& value = options.member(name);
  if (value.is_boolean()) return value.template get<bool>();
  if (value.is_number_integer()) return value.template get<int64_t>();
  if (value.is_number()) return value.template get<double>();
  if (value.is_string()) return value.template get<std::string>();
  const auto all = [&](auto is_kind) {
    return value.is_structured() && std::ranges::all_of(value, is_kind);
  };
  if (all([](const auto& part) { return part.is_number(); })) {
    if (value.is_object()) return value.template get<std::map<std::string, double>>();
    return value.template get<std::vector<double>>();
  }
  if (!value.is_array() || !all([](const auto& part) { return part.is_string(); }))
    options.wrong(name, "a value that an option can have");
  return value.template get<std::vector<std::string>>();
}

template std::optional<Guarantee> read_guarantee(const JsonSection&, const std::string&);
template std::optional<Guarantee> read_guarantee(const OrderedJsonSection&, const std::string&);
template OptionValue read_option(const JsonSection&, const std::string&);
template OptionValue read_option(const OrderedJsonSection&, const std::string&);

std::vector<Setting> read_options(const OrderedJsonSection& section, const std::string& key) {
  const OrderedJsonSection options = section.section(key);
  std::vector<Setting> settings;
  for (const std::string& name : options.names())
    settings.push_back({name, read_option(options, name)});
  return settings;
}

NamedFigures read_figures(const OrderedJsonSection& section, const std::string& key) {
  const OrderedJsonSection figures = section.section(key);
  NamedFigures read;
  for (const std::string& name : figures.names())
    read.emplace_back(name, read_number(figures, name));
  return read;
}

Epsilon read_epsilon(const OrderedJsonSection& section, const std::string& key) {
  const double value = section.number(key);
  if (!(value >= 0)) section.wrong(key, ">= 0");
  return Epsilon(value);
}

double read_number(const OrderedJsonSection& section, const std::string& key) {
  return section.member(key).is_null() ? std::numeric_limits<double>::quiet_NaN()
                                       : section.number(key);
}

std::vector<double> read_numbers(const OrderedJsonSection& section, const std::string& key) {
  std::vector<double> values;
  for (const nlohmann::ordered_json& value : section.list(key)) {
    if (!value.is_null() && !value.is_number()) section.wrong(key, "a list of numbers or nulls");
    values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : value.get<double>());
  }
  return values;
}

int64_t read_count(const OrderedJsonSection& section, const std::string& key) {
  const uint64_t value = section.unsigned_integer(key);
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    section.wrong(key, "a whole number below 2^63");
  return static_cast<int64_t>(value);
}

Interval read_interval(const OrderedJsonSection& section, const std::string& key) {
  const nlohmann::ordered_json& ends = section.list(key);
  const auto is_end = [](const auto& end) { return end.is_null() || end.is_number(); };
  if (ends.size() != 2 || !std::ranges::all_of(ends, is_end))
    section.wrong(key, "two numbers or nulls");
  const auto end = [&](size_t i) {
    return ends[i].is_null() ? std::numeric_limits<double>::quiet_NaN() : ends[i].get<double>();
  };
  return {end(0), end(1)};
}

Estimate read_estimate(const OrderedJsonSection& section, const std::string& key) {
  Estimate estimate;
  estimate.value = read_number(section, key);
  const std::string interval = key + "_interval";
  estimate.interval = read_interval(section, section.has(interval) ? interval : "interval");
  return estimate;
}

GroupLabel read_label(const OrderedJsonSection& label) {
  GroupLabel group;
  for (const std::string& column : label.names()) group.emplace_back(column, label.text(column));
  return group;
}

GroupLabel read_group(const OrderedJsonSection& section, const std::string& key) {
  return read_label(section.section(key));
}

Event read_event(const OrderedJsonSection& section, const std::string& key) {
  return event_of(section.member(key), section, key);
}

std::vector<Event> read_events(const OrderedJsonSection& section, const std::string& key) {
  std::vector<Event> events;
  for (const nlohmann::ordered_json& event : section.list(key))
    events.push_back(event_of(event, section, key));
  return events;
}

}  // namespace equinoise
