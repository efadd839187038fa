// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/sweep_reader.h"

#include <optional>
#include <string>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/sweep/sweep_runs.h"

namespace equinoise {

namespace {

/// What is left out is the tool's default.
TrainingConfig read_config(const TomlSection& section, double batch_size, double delta) {
  TrainingConfig config;
  config.delta = delta;
  config.batch_size = batch_size;
  read_training_options(section, {"method", "reason", "published", "target"}, config);
  if (section.has("learning_rate") && !section.has("final_learning_rate"))
    config.final_learning_rate = config.learning_rate / 10;
  return config;
}

void read_parameter(const TomlSection& section, ReproductionSweep& sweep) {
  section.check_keys(
      {"parameter", "values", "constraint", "test_fraction", "metrics", "keeps_slack"});
  sweep.parameter = required_text(section, "parameter");
  if (sweep.parameter != "slack" && sweep.parameter != "max_grad_norm")
    section.fail("parameter", "parameter must be slack or max_grad_norm");
  sweep.constraint = required_text(section, "constraint");
  if ((sweep.parameter == "slack") != (sweep.constraint.find(kBlank) != std::string::npos))
    section.fail("constraint",
                 "constraint must have {} where the parameter is slack, and only there");
  sweep.test_fraction = section.number("test_fraction").value_or(sweep.test_fraction);
  sweep.values = required_numbers(section, "values", "values = [0.2, 0.1]");
  sweep.metrics = required_metrics(section, "metrics = [\"error\"]", is_sweep_metric);
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
  read_parameter(section, sweep);
  const double delta = required_number(root, "delta");
  const std::optional<std::string> kept = section.text("keeps_slack");
  const auto read = [&](const TomlSection& of_method, const std::string& name) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = required_text(of_method, "method");
    sweep.configs.push_back(read_config(of_method, sweep.batch_size, delta));
    read_printed(of_method, method);
    // "value at 0.1" is published as "<= 0.1".
    for (const double slack : kept&& follows_sweep(method) ? sweep.values : std::vector<double>()) {
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
