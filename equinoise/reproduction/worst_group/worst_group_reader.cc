// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/worst_group_reader.h"

#include <algorithm>
#include <string>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/training/built_method.h"
#include "equinoise/reproduction/worst_group/worst_group_runs.h"

namespace equinoise {

namespace {

/// The problems: every number of groups with every number of records, of features with every
/// epsilon, of records with every epsilon. The rest is as in the base, which comes first.
std::vector<WorstGroupCell> read_cells(const TomlSection& root) {
  const TomlSection section = root.section("problems", "[problems]");
  section.check_keys({"groups", "records", "features", "epsilons"});
  const auto numbers = [&](const char* key) {
    return required_numbers(section, key, "records = [20000, 5000]");
  };
  const std::vector<double> groups = numbers("groups");
  const std::vector<double> records = numbers("records");
  const std::vector<double> features = numbers("features");
  const std::vector<double> epsilons = numbers("epsilons");
  std::vector<WorstGroupCell> cells;
  const auto add = [&](double p, double k, double d, double epsilon) {
    std::string name;
    const auto tell = [&](const char* what, double value, double base) {
      if (value != base) name += fmt::format("{}{}={:g}", name.empty() ? "" : " ", what, value);
    };
    tell("p", p, groups[0]);
    tell("K", k, records[0]);
    tell("d", d, features[0]);
    tell("epsilon", epsilon, epsilons[0]);
    if (name.empty()) name = "base";
    const bool is_new = std::none_of(cells.begin(), cells.end(),
                                     [&](const WorstGroupCell& cell) { return cell.name == name; });
    if (is_new) cells.push_back({name, p, k, d, epsilon});
  };
  for (const double p : groups)
    for (const double k : records) add(p, k, features[0], epsilons[0]);
  for (const double epsilon : epsilons) {
    for (const double d : features) add(groups[0], records[0], d, epsilon);
    for (const double k : records) add(groups[0], k, features[0], epsilon);
  }
  return cells;
}

/// The groups of a table, and the budgets.
void read_groups(const TomlSection& section, ReproductionWorstGroup& settings) {
  settings.group_columns = section.texts("groups").value_or(std::vector<std::string>());
  if (settings.group_columns.empty()) section.fail_missing("groups", "groups = [\"sex\"]");
  if (section.has("kept")) {
    const TomlSection kept = section.section("kept", "kept = { race = [\"White\"] }");
    for (const auto& [column, node] : kept.in_file_order()) {
      static_cast<void>(node);
      settings.kept[std::string(column->str())] =
          kept.texts(column->str()).value_or(std::vector<std::string>());
    }
  }
  for (const double epsilon : section.numbers("epsilons").value_or(std::vector<double>{1}))
    settings.cells.push_back({fmt::format("epsilon={:g}", epsilon), 0, 0, 0, epsilon});
}

std::vector<double> read_rates(const TomlSection& section, const char* key) {
  return required_numbers(section, key, fmt::format("{} = [1, 3, 10]", key));
}

void read_training(const TomlSection& section, ReproductionWorstGroup& settings) {
  section.check_keys({"groups", "kept", "epsilons", "metrics", "learning_rates",
                      "group_learning_rates", "tuning_draws", "steps", "sample_rate", "delta",
                      "loss_bound", "max_grad_norms", "feature_bound", "phase_steps",
                      "online_rates", "online_group_rates"});
  settings.metrics = required_metrics(section, "metrics = [\"excess\"]", is_worst_group_metric);
  if (settings.metrics[0] != "excess")
    section.fail_missing("metrics", "metrics = [\"excess\"], which comes first");
  settings.learning_rates = read_rates(section, "learning_rates");
  settings.group_learning_rates = read_rates(section, "group_learning_rates");
  settings.num_tuning_draws = section.integer("tuning_draws").value_or(settings.num_tuning_draws);
  settings.num_steps = section.integer("steps").value_or(settings.num_steps);
  settings.sample_rate = section.number("sample_rate").value_or(settings.sample_rate);
  settings.delta = section.number("delta").value_or(settings.delta);
  settings.loss_bound = section.number("loss_bound").value_or(settings.loss_bound);
  if (section.has("max_grad_norms"))
    settings.max_grad_norms = read_rates(section, "max_grad_norms");
  settings.feature_bound = section.number("feature_bound").value_or(settings.feature_bound);
}

WorstGroupMethod read_worst_group_method(const TomlSection& section) {
  section.check_keys(
      {"training", "selection", "kind", "loss_shares", "reason", "published", "target"});
  using Kind = WorstGroupMethod::Kind;
  WorstGroupMethod method;
  method.kind = section.choice("kind", Kind::kTrained,
                               {{"trained", Kind::kTrained},
                                {"printed", Kind::kPrinted},
                                {"average", Kind::kAverage},
                                {"minimax", Kind::kMinimax},
                                {"zero", Kind::kZero}});
  if (method.kind == Kind::kTrained) method.training = required_text(section, "training");
  if (method.kind == Kind::kPrinted) method.training = "mgr";
  if (!method.training.empty() && find_built_method(method.training) == nullptr)
    section.fail("training", "there is no such method");
  method.selection =
      section.choice("selection", GroupSelection::kGumbel,
                     {{"gumbel", GroupSelection::kGumbel}, {"laplace", GroupSelection::kLaplace}});
  if (section.has("loss_shares"))
    method.loss_shares = required_numbers(section, "loss_shares", "loss_shares = [0.2, 0.5]");
  return method;
}

}  // namespace

ReproductionWorstGroup read_worst_group_settings(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "seeds", "worst_group", "problems", "methods",
                   "claims", "charts", "notes", "target_seeds"});
  ReproductionWorstGroup settings;
  item.data = root.text("data").value_or("drawn");
  item.seeds = required_count(root, "seeds");
  const TomlSection section = root.section("worst_group", "[worst_group]");
  read_training(section, settings);
  if (root.has("data")) {
    read_groups(section, settings);
    item.settings["table"] = table_schema_digest(item.data);
  } else {
    settings.cells = read_cells(root);
  }
  const auto read = [&](const TomlSection& of_method, const std::string& name) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = name;
    read_printed(of_method, method);
    const WorstGroupMethod& line =
        settings.methods.emplace_back(read_worst_group_method(of_method));
    if (line.follows("phase_step")) settings.phase_steps = read_rates(section, "phase_steps");
    if (line.follows("online")) {
      settings.online_rates = read_rates(section, "online_rates");
      settings.online_group_rates = read_rates(section, "online_group_rates");
    }
  };
  for_each_section(root, "methods", "[methods.mgr_w]", read);
  item.charts = read_charts(root);
  return settings;
}

}  // namespace equinoise
