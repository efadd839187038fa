// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/kinds.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/simulation/simulation_runs.h"

namespace equinoise {

namespace {

SimulatedMethod read_method(const TomlSection& section) {
  section.check_keys({"algorithm", "split", "private", "objective", "lagrange_multiplier",
                      "step_size", "reason", "published", "target"});
  SimulatedMethod method;
  method.algorithm = parse_tailoring_algorithm(required_text(section, "algorithm"));
  if (const std::optional<std::string> split = section.text("split"))
    method.split = parse_split_rule(*split);
  method.is_private = section.boolean("private").value_or(true);
  method.objective = section.choice("objective", kSumOfGroups,
                                    {{"population", kMeanOfRecords}, {"sum", kSumOfGroups}});
  method.lagrange_multiplier = section.number("lagrange_multiplier").value_or(0);
  method.step_size = section.number("step_size");
  const bool is_divided = method.algorithm == TailoringAlgorithm::kSummed ||
                          method.algorithm == TailoringAlgorithm::kPrinted ||
                          method.algorithm == TailoringAlgorithm::kWeighted ||
                          method.algorithm == TailoringAlgorithm::kStageOne;
  if (is_divided && !method.split) section.fail_missing("split", "split = \"error\"");
  return method;
}

SimulationSettings read_settings(const TomlSection& section) {
  SimulationSettings settings;
  settings.model = section.choice(
      "model", RegressionModel::kLinear,
      {{"linear", RegressionModel::kLinear}, {"logistic", RegressionModel::kLogistic}});
  const auto number = [&](std::string_view key, double otherwise) {
    return section.number(key).value_or(otherwise);
  };
  settings.descent.num_steps = section.integer("steps").value_or(settings.descent.num_steps);
  settings.descent.box = number("box", settings.descent.box);
  if (const std::optional<double> scale = section.number("step_size"))
    settings.descent.step_size = {StepSize::Rule::kInverseRoot, *scale};
  settings.bounds.relation = settings.stage_one.relation =
      parse_relation(section.text("relation").value_or("zero_out"));
  settings.bounds.max_grad_norm = number("max_grad_norm", settings.bounds.max_grad_norm);
  settings.bounds.loss_clip = number("loss_clip", settings.bounds.loss_clip);
  settings.loss_bound = number("loss_bound", settings.loss_bound);
  StageOneBounds& stage_one = settings.stage_one;
  stage_one.feature_norm_bound = number("feature_norm_bound", stage_one.feature_norm_bound);
  stage_one.target_bound = number("target_bound", stage_one.target_bound);
  stage_one.residual_clip = number("residual_clip", stage_one.residual_clip);
  return settings;
}

/// Records that are drawn, or the groups of a table.
SimulationPanel read_panel(const TomlSection& section, bool is_table) {
  section.check_keys({"sizes", "slopes", "noise", "group_column", "groups", "published", "target"});
  SimulationPanel panel;
  if (is_table) {
    panel.group_column = required_text(section, "group_column");
    panel.groups = texts_of(section, "groups");
    if (panel.groups.size() < 2) section.fail("groups", "there must be at least two groups");
    return panel;
  }
  for (const double size : required_numbers(section, "sizes", "sizes = [10000, 500]"))
    panel.sizes.push_back(static_cast<int64_t>(size));
  panel.slopes = section.numbers("slopes").value_or(std::vector<double>());
  panel.noise = section.numbers("noise").value_or(std::vector<double>(panel.sizes.size(), 1.0));
  if (panel.slopes.size() != panel.sizes.size() || panel.noise.size() != panel.sizes.size())
    section.fail("slopes", "sizes, slopes and noise must have a value for each group");
  return panel;
}

/// The parameter and the metrics.
void read_parameter(const TomlSection& section, ReproductionSimulation& simulation) {
  section.check_keys({"parameter", "values", "rho", "metrics", "model", "steps", "box", "step_size",
                      "relation", "max_grad_norm", "loss_clip", "loss_bound", "feature_norm_bound",
                      "target_bound", "residual_clip"});
  simulation.parameter = required_text(section, "parameter");
  simulation.values = required_numbers(section, "values", "values = [0.5, 2]");
  if (simulation.parameter != "rho") {
    if (simulation.parameter != "size" && simulation.parameter != "groups" &&
        simulation.parameter != "steps")
      section.fail("parameter", "parameter must be rho, size, groups or steps");
    simulation.rho = required_number(section, "rho");
  }
  simulation.metrics = required_metrics(section, "metrics = [\"MSPE 1\"]", is_simulation_metric);
}

/// The panel's values for a method's figures.
std::map<std::string, PrintedValue> values_of_panel(const TomlSection& panel,
                                                    const TomlSection& methods,
                                                    const std::string& kind,
                                                    const std::string& method) {
  if (!panel.has(kind)) return {};
  const TomlSection values = panel.section(kind, "[panels.\"20x\".target.DPNoSE]");
  for (const std::string& name : keys_of(values))
    if (!methods.has(name)) values.fail(name, "there is no such method");
  return read_values(values, method);
}

/// The methods on one panel.
void read_methods(const TomlSection& methods, const TomlSection& panel, const std::string& prefix,
                  ReproductionSimulation& simulation, ItemHeader& item) {
  const auto read = [&](const TomlSection& section, const std::string& name) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = prefix + name;
    method.method = required_text(section, "algorithm");
    simulation.lines.push_back({read_method(section), simulation.panels.size() - 1});
    if (!simulation.reference.empty() && name != simulation.reference)
      method.reference = prefix + simulation.reference;
    method.reason = section.text("reason").value_or("");
    method.published = values_of_panel(panel, methods, "published", name);
    method.target = values_of_panel(panel, methods, "target", name);
    for (const auto& [metric, value] : read_values(section, "published"))
      method.published.emplace(metric, value);
  };
  for_each_section(methods, "[methods.DPNoSE]", read);
}

constexpr std::string_view kSmallest = "MSPE smallest";

class SimulationExperiment final : public ExperimentOf<ReproductionSimulation> {
 public:
  using ExperimentOf::ExperimentOf;

  std::string position() const override { return settings_.parameter; }
  std::vector<std::string> columns(const ItemHeader&) const override { return settings_.metrics; }
  int64_t revision() const override { return 1; }

  /// Every metric at every value of the parameter; next to a reference also by how much, in
  /// percent, the smallest group's error is below its own.
  std::vector<Figures> figures(const ItemHeader&, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override {
    const bool follows = settings_.is_followed_by(settings_.lines[method].method);
    std::vector<Figures> all;
    for (size_t c = 0; c < settings_.metrics.size(); ++c) {
      for (size_t point = 0; point < (follows ? settings_.values.size() : 1); ++point) {
        const std::string place = follows ? fmt::format(" at {:g}", settings_.values[point]) : "";
        const auto value = [&](const ReproductionOutcome& run) {
          return run.points[point].values[c];
        };
        all.push_back(values_of(settings_.metrics[c] + place, runs, value));
        if (reference == nullptr || !follows || settings_.metrics[c] != kSmallest) continue;
        all.push_back(values_beside(
            fmt::format("{} below {}{}", kSmallest, settings_.reference, place), runs, *reference,
            [&](const ReproductionOutcome& run, const ReproductionOutcome& beside) {
              return 100 * (1 - value(run) / value(beside));
            }));
        all.back().is_percentage = true;
      }
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override {
    const SimulationSettings& settings = settings_.settings;
    const StageOneBounds& stage_one = settings.stage_one;
    const bool is_logistic = settings.model == RegressionModel::kLogistic;
    std::vector<std::string> notes = {
        fmt::format("NOT PRIVATE: {} seeds of an insecure random source and floating-point noise; "
                    "each seed is {} and new noise. {} steps, gradients clipped to {:g}, "
                    "parameters within {:g}, relation {}",
                    num_seeds, item.is_drawn() ? "a newly drawn table" : "a split of the table",
                    settings.descent.num_steps, settings.bounds.max_grad_norm, settings.descent.box,
                    to_string(settings.bounds.relation)),
        fmt::format(
            "splits that depend on errors pay for stage one with {:g} % of the budget, other "
            "methods have the whole budget; {}",
            100 * settings.stage_one_share,
            is_logistic
                ? fmt::format("stage one is {} steps of descent and Brier's score", kStageOneSteps)
                : fmt::format("rows clipped to norm {:g}, targets to {:g}, residuals to {:g}",
                              stage_one.feature_norm_bound, stage_one.target_bound,
                              stage_one.residual_clip))};
    if (is_logistic) return notes;
    notes.emplace_back(item.is_drawn()
                           ? "MSPE: mean squared prediction error on new records of the group"
                           : "MSPE: mean squared prediction error on the group's held-out records, "
                             "in units of the scaled target");
    return notes;
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionSimulation simulation = settings_;
    ShortForm::cut(simulation.values, form.num_values);
    int64_t& steps = simulation.settings.descent.num_steps;
    steps = std::min(steps, form.num_steps);
    for (SimulationPanel& panel : simulation.panels)
      for (int64_t& size : panel.sizes) size = std::min(size, form.num_records);
    return std::make_shared<SimulationExperiment>(std::move(simulation));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_simulation_runs(item, settings_, folder);
  }
};

}  // namespace

std::shared_ptr<const Experiment> read_simulation(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "seeds", "reference", "simulation", "panels",
                   "methods", "claims", "charts", "notes", "target_seeds"});
  ReproductionSimulation simulation;
  item.data = root.text("data").value_or("drawn");
  simulation.reference = root.text("reference").value_or("");
  const TomlSection section = root.section("simulation", "[simulation]");
  read_parameter(section, simulation);
  simulation.settings = read_settings(section);
  const bool is_logistic = simulation.settings.model == RegressionModel::kLogistic;
  for (const std::string& metric : simulation.metrics) {
    if (metric.starts_with("error ") != is_logistic)
      section.fail("metrics",
                   fmt::format("{} is {} logistic model", metric, is_logistic ? "of no" : "of a"));
  }
  if (is_logistic && root.has("data")) section.fail("model", "logistic records are drawn");

  const TomlSection panels = root.section("panels", "[panels.\"20x\"]");
  const TomlSection methods = root.section("methods", "[methods.DPNoSE]");
  const bool has_names = panels.table().size() > 1;
  for_each_section(panels, "[panels.\"20x\"]", [&](const TomlSection& panel, const auto& name) {
    simulation.panels.push_back(read_panel(panel, root.has("data")));
    read_methods(methods, panel, has_names ? fmt::format("{}: ", name) : "", simulation, item);
  });
  if (!simulation.reference.empty() && !methods.has(simulation.reference))
    root.fail("reference", "there is no such method");
  if (!item.is_drawn()) item.settings["table"] = table_schema_digest(item.data);
  return std::make_shared<SimulationExperiment>(std::move(simulation));
}

}  // namespace equinoise
