// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/sweep_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/sweep/sweep_runs.h"
#include "equinoise/reproduction/training/built_method.h"

namespace equinoise {

namespace {

constexpr const char* kValuesExample = "values = [0.2, 0.1]";

/// Missing keys take the tool's defaults.
TrainingConfig read_config(const TomlSection& section, double batch_size, double delta) {
  TrainingConfig config;
  config.delta = delta;
  config.batch_size = batch_size;
  read_training_options(section, {"method", "reason", "published", "target", "parameter", "values"},
                        config);
  if (section.has("learning_rate") && !section.has("final_learning_rate"))
    config.final_learning_rate = config.learning_rate / 10;
  return config;
}

/// The values of `section`, which vary the configuration.
SweptMethod read_swept(const TomlSection& section, const std::string& parameter,
                       const TrainingConfig& config) {
  SweptMethod swept = {parameter, required_numbers(section, "values", kValuesExample), {}};
  for (const double value : swept.values) {
    swept.configs.push_back(config);
    if (parameter != kSlackParameter)
      set_training_option(section, "parameter", {parameter, value}, swept.configs.back());
  }
  return swept;
}

void read_sweep_section(const TomlSection& section, ReproductionSweep& sweep) {
  section.check_keys(
      {"parameter", "values", "constraint", "test_fraction", "metrics", "keeps_slack", "levels"});
  sweep.parameter = required_text(section, "parameter");
  sweep.constraint = required_text(section, "constraint");
  if ((sweep.parameter == kSlackParameter) != (sweep.constraint.find(kBlank) != std::string::npos))
    section.fail("constraint",
                 "constraint must have {} where the parameter is slack, and only there");
  sweep.test_fraction = section.number("test_fraction").value_or(sweep.test_fraction);
  sweep.metrics = required_metrics(section, "metrics = [\"error\"]", is_sweep_metric);
  sweep.levels = section.numbers("levels").value_or(sweep.levels);
  for (const char* metric : {"error", "training value"})
    if (!sweep.levels.empty() &&
        std::count(sweep.metrics.begin(), sweep.metrics.end(), metric) == 0)
      section.fail("levels", fmt::format("levels need the metric {}", metric));
}

}  // namespace

ReproductionSweep read_sweep_settings(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "model", "seeds", "batch_size", "delta",
                   "reference", "sweep", "methods", "claims", "charts", "notes", "target_seeds"});
  ReproductionSweep sweep;
  item.data = required_text(root, "data");
  sweep.model = required_text(root, "model");
  item.seeds = required_count(root, "seeds");
  sweep.batch_size = required_number(root, "batch_size");
  const TomlSection section = root.section("sweep", "[sweep]");
  read_sweep_section(section, sweep);
  const double delta = required_number(root, "delta");
  const std::optional<std::string> kept = section.text("keeps_slack");
  const auto read = [&](const TomlSection& of_method, const std::string& name) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = required_text(of_method, "method");
    const std::optional<std::string> parameter = of_method.text("parameter");
    const TrainingConfig config = read_config(of_method, sweep.batch_size, delta);
    const TrainingMethodRow* row = find_built_method(method.method);
    if (sweep.parameter == kSlackParameter &&
        parameter.value_or(sweep.parameter) != sweep.parameter && row != nullptr &&
        row->uses_constraints) {
      of_method.fail("parameter", "the slack of a method under constraints would be left open");
    }
    sweep.methods.push_back(read_swept(parameter || of_method.has("values") ? of_method : section,
                                       parameter.value_or(sweep.parameter), config));
    read_printed(of_method, method);
    // "value at 0.1" is published as "<= 0.1".
    const bool keeps = kept && follows_parameter(method, sweep.methods.back().parameter);
    for (const double slack : keeps ? sweep.methods.back().values : std::vector<double>()) {
      method.published.emplace(fmt::format("{} at {:g}", *kept, slack),
                               parse_printed_value(fmt::format("<= {:g}", slack)));
    }
  };
  for_each_section(root, "methods", "[methods.dpsgd]", read);
  compare_with(root.text("reference").value_or(""), item.methods);
  item.charts = read_charts(root);
  item.settings["table"] = table_schema_digest(item.data);
  return sweep;
}

}  // namespace equinoise
