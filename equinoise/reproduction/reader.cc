// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/tasks/input/run_file.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

/// Calls read(fill) for each text in the list "each", where fill(text) replaces the blank of a
/// text; once without such a list.
template <typename Read>
void for_each_text(const TomlSection& section, const Read& read) {
  for (const std::string& value :
       section.texts("each").value_or(std::vector<std::string>{std::string(kBlank)}))
    read([&](std::string text) { return fill_in(std::move(text), value); });
}

/// Keys, in any section, that do not affect runs.
constexpr std::array<std::string_view, 12> kReported = {
    "schema",       "summary", "notes",          "charts",    "claims", "seeds",
    "target_seeds", "reason",  "epsilon_reason", "published", "target", "levels"};

void add_settings(const toml::node& node, const std::string& name,
                  std::map<std::string, std::string>& settings) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      const std::string_view own = key.str();
      if (contains(kReported, own)) continue;
      add_settings(value, name.empty() ? std::string(own) : fmt::format("{}.{}", name, own),
                   settings);
    }
  } else if (const toml::array* array = node.as_array()) {
    for (size_t i = 0; i < array->size(); ++i)
      add_settings((*array)[i], fmt::format("{}[{}]", name, i), settings);
  } else if (const auto text = node.value_exact<std::string>()) {
    settings[name] = *text;
  } else if (const auto is_so = node.value_exact<bool>()) {
    settings[name] = fmt::format("{}", *is_so);
  } else {
    settings[name] = fmt::format("{}", node.value<double>().value());
  }
}

}  // namespace

std::string fill_in(std::string text, std::string_view value) {
  if (const size_t place = text.find(kBlank); place != std::string::npos)
    text.replace(place, kBlank.size(), value);
  return text;
}

std::string required_text(const TomlSection& section, std::string_view key) {
  const std::optional<std::string> text = section.text(key);
  if (!text) section.fail_missing(key, fmt::format("{} = \"...\"", key));
  return *text;
}

int64_t required_count(const TomlSection& section, std::string_view key) {
  const std::optional<int64_t> value = section.integer(key);
  if (!value || *value < 1) section.fail_missing(key, fmt::format("{} = 5", key));
  return *value;
}

double required_number(const TomlSection& section, std::string_view key) {
  const std::optional<double> value = section.number(key);
  if (!value) section.fail_missing(key, fmt::format("{} = 0.1", key));
  return *value;
}

std::vector<std::string> keys_of(const TomlSection& section) {
  std::vector<std::string> keys;
  for (const auto& entry : section.in_file_order()) keys.emplace_back(entry.first->str());
  return keys;
}

std::vector<std::string> texts_of(const TomlSection& section, std::string_view key) {
  return section.texts(key).value_or(std::vector<std::string>());
}

std::vector<double> required_numbers(const TomlSection& section, std::string_view key,
                                     std::string_view example) {
  std::vector<double> values = section.numbers(key).value_or(std::vector<double>());
  if (values.empty()) section.fail_missing(key, example);
  return values;
}

std::vector<std::string> required_metrics(const TomlSection& section, std::string_view example,
                                          const std::function<bool(std::string_view)>& is_metric) {
  std::vector<std::string> metrics = texts_of(section, "metrics");
  if (metrics.empty()) section.fail_missing("metrics", example);
  for (const std::string& metric : metrics)
    if (!is_metric(metric)) section.fail("metrics", fmt::format("there is no metric {}", metric));
  return metrics;
}

PrintedValue parse_printed_value(std::string_view text) {
  constexpr std::string_view kSign = " +- ";
  const auto kind = text.starts_with("<= ")   ? PrintedValue::Kind::kAtMost
                    : text.starts_with(">= ") ? PrintedValue::Kind::kAtLeast
                                              : PrintedValue::Kind::kFigure;
  const std::string_view figure = text.substr(kind == PrintedValue::Kind::kFigure ? 0 : 3);
  const size_t sign = figure.find(kSign);
  const std::string_view mean = figure.substr(0, sign);
  const std::string_view error =
      sign == std::string_view::npos ? "0" : figure.substr(sign + kSign.size());
  const std::optional<double> mean_value = parse_number(mean);
  const std::optional<double> error_value = parse_number(error);
  if (!mean_value || !error_value || !(*error_value >= 0)) {
    throw Error(ErrorKind::kInput, "tasks.reproduce",
                "\"{}\" has neither the form \"69.9 +- 0.4\" nor the form \"<= 0.05\"", text);
  }
  const size_t point = mean.find('.');
  const int decimals =
      point == std::string_view::npos ? 0 : static_cast<int>(mean.size() - point - 1);
  return {*mean_value, *error_value, decimals, std::string(text), kind};
}

namespace {

/// "0.0024 of 5": a printed value, the mean of 5 runs.
PrintedValue parse_value_of_runs(const std::string& text, int64_t num_runs) {
  constexpr std::string_view kOf = " of ";
  const size_t of = text.find(kOf);
  PrintedValue value = parse_printed_value(text.substr(0, of));
  value.num_runs = num_runs;
  if (of == std::string::npos) return value;
  const std::optional<double> count = parse_number(text.substr(of + kOf.size()));
  if (!count || !(*count >= 1) || *count != std::floor(*count)) {
    throw Error(ErrorKind::kInput, "tasks.reproduce", "\"{}\" names no number of runs", text);
  }
  value.num_runs = static_cast<int64_t>(*count);
  return value;
}

}  // namespace

std::map<std::string, PrintedValue> read_values(const TomlSection& method, std::string_view key) {
  std::map<std::string, PrintedValue> values;
  if (!method.has(key)) return values;
  const TomlSection section = method.section(key, "\"accuracy M\" = \"69.9 +- 0.4\"");
  const int64_t num_runs = section.has("seeds") ? required_count(section, "seeds") : 0;
  for (const std::string& name : keys_of(section)) {
    if (name != "seeds")
      values.emplace(name, parse_value_of_runs(required_text(section, name), num_runs));
  }
  return values;
}

void read_training_options(const TomlSection& section, std::vector<std::string> own,
                           TrainingConfig& config) {
  const TrainingOptions options = all_of({shared_options(), training_options()});
  std::vector<std::string> known = own;
  for (const TrainingOption& option : options) known.emplace_back(option.facts.name);
  section.check_keys(known);
  for (const TrainingOption& option : options) {
    const std::string name(option.facts.name);
    if (section.has(name) && !contains(own, name))
      set_training_option(section, name, {name, read_option_value(section, name)}, config);
  }
}

void set_training_option(const TomlSection& section, std::string_view key, const Setting& setting,
                         TrainingConfig& config) {
  const TrainingOptions options = all_of({shared_options(), training_options()});
  const auto option = std::ranges::find_if(
      options, [&](const TrainingOption& one) { return one.facts.name == setting.name; });
  if (option == options.end())
    section.fail(key, fmt::format("no method has an option {}", setting.name));
  try {
    apply_settings<TrainingConfig>("reproduction", {&*option, 1}, {&setting, 1}, config);
    check_options<TrainingConfig>("reproduction", {&*option, 1}, config);
  } catch (const Error& error) {
    section.fail(key, error.what());
  }
}

void read_printed(const TomlSection& section, ReproductionMethod& method) {
  method.reason = section.text("reason").value_or("");
  method.published = read_values(section, "published");
  method.target = read_values(section, "target");
}

ReproductionMethod& add_method(const TomlSection& section, const std::string& name,
                               const std::string& method, ItemHeader& item) {
  ReproductionMethod& added = item.methods.emplace_back();
  added.name = name;
  added.method = method;
  read_printed(section, added);
  return added;
}

void compare_with(const std::string& reference, std::vector<ReproductionMethod>& methods) {
  for (ReproductionMethod& method : methods)
    if (method.name != reference) method.reference = reference;
}

std::vector<std::vector<std::string>> read_divisions(const TomlSection& section) {
  std::vector<std::vector<std::string>> divisions;
  for (const std::string& division : texts_of(section, "divisions")) {
    std::vector<std::string> columns;
    for (size_t begin = 0; begin <= division.size();) {
      const size_t end = std::min(division.find(',', begin), division.size());
      columns.push_back(division.substr(begin, end - begin));
      begin = end + 1;
    }
    divisions.push_back(std::move(columns));
  }
  if (divisions.empty()) section.fail_missing("divisions", "divisions = [\"sex,race\"]");
  return divisions;
}

void read_settings(const toml::table& document, std::map<std::string, std::string>& settings) {
  add_settings(document, "", settings);
}

std::vector<ReproductionClaim> read_claims(const TomlSection& root) {
  std::vector<ReproductionClaim> claims;
  for_each_table(root, "claims", [&](const TomlSection& section) {
    section.check_keys({"each", "better", "than", "metrics", "significant", "reason"});
    for_each_text(section, [&](const auto& fill) {
      claims.push_back({fill(required_text(section, "better")),
                        fill(required_text(section, "than")), texts_of(section, "metrics"),
                        section.boolean("significant").value_or(true),
                        section.text("reason").value_or("")});
    });
  });
  return claims;
}

std::vector<ReproductionChart> read_charts(const TomlSection& root) {
  std::vector<ReproductionChart> charts;
  for_each_table(root, "charts", [&](const TomlSection& section) {
    section.check_keys({"each", "title", "across", "up", "matrix", "methods"});
    for_each_text(section, [&](const auto& fill) {
      ReproductionChart& chart = charts.emplace_back();
      chart.title = fill(required_text(section, "title"));
      chart.matrix = section.text("matrix").value_or("");
      if (chart.matrix.empty()) {
        chart.across = required_text(section, "across");
        chart.up = required_text(section, "up");
      }
      for (const std::string& method : texts_of(section, "methods"))
        chart.methods.push_back(fill(method));
      constexpr size_t kMaxLines = 3;
      if (chart.matrix.empty() && chart.methods.size() + (chart.has_slack() ? 1 : 0) > kMaxLines)
        section.fail("methods", "a chart has room for three lines, including the slack");
    });
  });
  return charts;
}

}  // namespace equinoise
