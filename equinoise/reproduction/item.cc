#include "equinoise/reproduction/item.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/toml_section.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/simulation/simulation_experiment.h"
#include "equinoise/reproduction/sweep/sweep_experiment.h"
#include "equinoise/reproduction/synthesis/synthesis_experiment.h"
#include "equinoise/reproduction/worst_group/worst_group_experiment.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

/// Below it stand schemas of tables, see reproduction_tables.h.
constexpr std::string_view kTables = "tables/";

ReproductionMethod read_method(const TomlSection& section, std::string_view name, double delta) {
  section.check_keys({"method", "learning_rate", "max_grad_norm", "noise_multiplier", "epsilon",
                      "stage_one_epsilon", "split", "strict_bound", "strict_bound_learning_rate",
                      "threshold", "count_noise_multiplier", "clipping_penalty", "boundary_penalty",
                      "reason", "epsilon_reason", "published", "target"});
  ReproductionMethod method;
  method.name = name;
  method.method = section.text("method").value_or(method.name);
  TrainingConfig& config = method.config;
  config.learning_rate = config.final_learning_rate = required_number(section, "learning_rate");
  config.tail_average = 0;
  config.delta = delta;
  config.noise_multiplier = section.number("noise_multiplier");
  config.epsilon = section.number("epsilon");
  if (const std::optional<double> epsilon = section.number("stage_one_epsilon"))
    method.stage_one = {*epsilon, parse_split_rule(section.text("split").value_or("error"))};
  config.max_grad_norm = section.number("max_grad_norm").value_or(config.max_grad_norm);
  config.strict_bound = section.number("strict_bound");
  config.strict_bound_learning_rate =
      section.number("strict_bound_learning_rate").value_or(config.strict_bound_learning_rate);
  config.threshold = section.number("threshold").value_or(config.threshold);
  config.count_noise_multiplier = section.number("count_noise_multiplier");
  config.clipping_penalty = section.number("clipping_penalty");
  config.boundary_penalty = section.number("boundary_penalty");
  read_printed(section, method);
  method.epsilon_reason = section.text("epsilon_reason").value_or("");
  return method;
}

void read_table(const TomlSection& root, ReproductionItem& item) {
  root.check_keys({"schema", "summary", "data", "model", "groups", "seeds", "epochs", "batch_size",
                   "delta", "reference", "methods", "claims"});
  item.runs = item.name();
  item.data = required_text(root, "data");
  item.model = required_text(root, "model");
  item.groups = root.texts("groups").value_or(std::vector<std::string>());
  if (item.groups.size() != 2) root.fail("groups", "groups must be the two that are compared");
  item.reference = root.text("reference").value_or("");
  item.seeds = required_count(root, "seeds");
  item.epochs = required_count(root, "epochs");
  item.batch_size = required_number(root, "batch_size");
  item.series.names = {"loss"};
  item.series.last_epoch_only = true;
  const double delta = required_number(root, "delta");
  const TomlSection methods = root.section("methods", "[methods.dpsgd]");
  for (const auto& [name, node] : methods.in_file_order()) {
    item.methods.push_back(
        read_method(methods.section(*node, methods.name_of(name->str()), "[methods.dpsgd]"),
                    name->str(), delta));
  }
  compare_with(item.reference, item.methods);
}

/// Another table with another model.
void read_other_model(const TomlSection& root, ReproductionItem& item) {
  root.check_keys({"schema", "summary", "like", "model"});
  const std::string name = item.item;
  item = find_reproduction_item(required_text(root, "like"));
  if (item.runs != item.name()) root.fail("like", "like must name a table");
  item.item = name;
  item.runs = item.name();
  item.model = required_text(root, "model");
}

/// Without a section of methods, those of the table all belong to the figure; what is published of
/// the table is not.
void read_methods_of_figure(const TomlSection& root, ReproductionItem& item) {
  for (ReproductionMethod& method : item.methods) {
    method.published.clear();
    method.target.clear();
    method.reason.clear();
    method.reference.clear();  // nothing that a figure shows is compared with it
  }
  if (!root.has("methods")) return;
  const TomlSection methods = root.section("methods", "[methods.dpsgd]");
  std::vector<ReproductionMethod> chosen;
  for (const auto& [key, node] : methods.in_file_order()) {
    const std::string_view name = key->str();
    const TomlSection section = methods.section(*node, methods.name_of(name), "[methods.dpsgd]");
    section.check_keys({"reason", "published"});
    const auto found =
        std::find_if(item.methods.begin(), item.methods.end(),
                     [&](const ReproductionMethod& method) { return method.name == name; });
    if (found == item.methods.end()) methods.fail(name, "the table has no such method");
    chosen.push_back(*found);
    chosen.back().reason = section.text("reason").value_or("");
    chosen.back().published = read_values(section, "published");
  }
  item.methods = std::move(chosen);
}

void read_synthesis_figure(const TomlSection& root, ReproductionItem& item, ReproductionItem grid);

void read_figure(const TomlSection& root, ReproductionItem& item) {
  const std::string name = item.item;
  ReproductionItem runs = find_reproduction_item(required_text(root, "runs"));
  if (runs.synthesis) {
    read_synthesis_figure(root, item, std::move(runs));
    return;
  }
  root.check_keys({"schema", "summary", "runs", "series", "every", "directions", "seeds", "methods",
                   "shares", "claims"});
  item = std::move(runs);
  if (!item.is_table || item.sweep || !item.parts.empty())
    root.fail("runs", "runs must name a table");
  item.item = name;
  item.is_table = false;
  item.seeds = root.integer("seeds").value_or(item.seeds);
  item.series = {};
  item.series.names = root.texts("series").value_or(std::vector<std::string>());
  if (root.has("directions"))
    item.series.num_directions = static_cast<size_t>(required_count(root, "directions"));
  if (position_of(item.series) == "step") item.series.every = required_count(root, "every");
  read_methods_of_figure(root, item);
  for_each_table(root, "shares", [&](const TomlSection& section) {
    section.check_keys({"metric", "greater", "smaller"});
    item.shares.push_back({required_text(section, "metric"), required_text(section, "greater"),
                           required_text(section, "smaller")});
  });
}

/// A method under constraints: what is left out is the tool's default.
ReproductionMethod read_constrained_method(const TomlSection& section, std::string_view name,
                                           const ReproductionItem& item, double delta) {
  section.check_keys({"method", "epsilon", "steps", "learning_rate", "max_grad_norm", "histogram",
                      "histogram_noise", "histogram_decay", "dual_learning_rate", "clip_allowance",
                      "push_limit", "reason", "published", "target"});
  ReproductionMethod method;
  method.name = name;
  method.method = required_text(section, "method");
  TrainingConfig& config = method.config;
  config.delta = delta;
  config.batch_size = item.batch_size;
  config.epsilon = section.number("epsilon");
  if (section.has("steps")) config.num_steps = required_count(section, "steps");
  if (const std::optional<double> rate = section.number("learning_rate")) {
    config.learning_rate = *rate;
    config.final_learning_rate = *rate / 10;
  }
  config.max_grad_norm = section.number("max_grad_norm").value_or(config.max_grad_norm);
  config.histogram = section.text("histogram").value_or(config.histogram);
  config.histogram_noise = section.text("histogram_noise").value_or(config.histogram_noise);
  config.histogram_decay = section.number("histogram_decay").value_or(config.histogram_decay);
  config.dual_learning_rate =
      section.number("dual_learning_rate").value_or(config.dual_learning_rate);
  config.clip_allowance = section.number("clip_allowance").value_or(config.clip_allowance);
  config.push_limit = section.number("push_limit").value_or(config.push_limit);
  read_printed(section, method);
  return method;
}

void read_sweep(const TomlSection& root, ReproductionItem& item) {
  root.check_keys({"schema", "summary", "data", "model", "seeds", "batch_size", "delta",
                   "reference", "sweep", "methods", "claims", "charts", "notes", "target_seeds"});
  item.data = required_text(root, "data");
  item.model = required_text(root, "model");
  item.reference = root.text("reference").value_or("");
  item.seeds = required_count(root, "seeds");
  item.batch_size = required_number(root, "batch_size");
  const TomlSection section = root.section("sweep", "[sweep]");
  section.check_keys(
      {"parameter", "values", "constraint", "test_fraction", "metrics", "keeps_slack"});
  ReproductionSweep& sweep = item.sweep.emplace();
  sweep.parameter = required_text(section, "parameter");
  if (sweep.parameter != "slack" && sweep.parameter != "max_grad_norm")
    section.fail("parameter", "parameter must be slack or max_grad_norm");
  sweep.values = section.numbers("values").value_or(std::vector<double>());
  sweep.constraint = required_text(section, "constraint");
  if ((sweep.parameter == "slack") != (sweep.constraint.find(kBlank) != std::string::npos))
    section.fail("constraint",
                 "constraint must have {} where the parameter is slack, and only there");
  sweep.test_fraction = section.number("test_fraction").value_or(sweep.test_fraction);
  sweep.metrics = section.texts("metrics").value_or(std::vector<std::string>());
  if (sweep.values.empty()) section.fail_missing("values", "values = [0.2, 0.1]");
  if (sweep.metrics.empty()) section.fail_missing("metrics", "metrics = [\"error\"]");
  for (const std::string& metric : sweep.metrics)
    if (!is_sweep_metric(metric)) section.fail("metrics", fmt::format("no metric is {}", metric));
  const double delta = required_number(root, "delta");
  const TomlSection methods = root.section("methods", "[methods.dpsgd]");
  for (const auto& [name, node] : methods.in_file_order()) {
    item.methods.push_back(read_constrained_method(
        methods.section(*node, methods.name_of(name->str()), "[methods.dpsgd]"), name->str(), item,
        delta));
    // "value at 0.1" is published as "<= 0.1".
    const std::optional<std::string> kept = section.text("keeps_slack");
    for (const double slack : kept ? sweep.values : std::vector<double>()) {
      item.methods.back().published.emplace(fmt::format("{} at {:g}", *kept, slack),
                                            parse_printed_value(fmt::format("<= {:g}", slack)));
    }
  }
  compare_with(item.reference, item.methods);
  item.charts = read_charts(root);
  item.text = find_table_schema(item.data).text;
}

SimulatedMethod read_simulated_method(const TomlSection& section) {
  section.check_keys({"algorithm", "split", "private", "objective", "lagrange_multiplier",
                      "step_size", "reason", "published", "target"});
  SimulatedMethod method;
  method.algorithm = parse_tailoring_algorithm(required_text(section, "algorithm"));
  if (const std::optional<std::string> split = section.text("split"))
    method.split = parse_split_rule(*split);
  method.is_private = section.boolean("private").value_or(true);
  method.objective = section.choice("objective", GroupObjective::kSum,
                                    {{"population", GroupObjective::kPopulation},
                                     {"sum", GroupObjective::kSum},
                                     {"mean", GroupObjective::kMean}});
  method.lagrange_multiplier = section.number("lagrange_multiplier").value_or(0);
  method.step_size = section.number("step_size");
  const bool is_divided = method.algorithm == TailoringAlgorithm::kSummed ||
                          method.algorithm == TailoringAlgorithm::kPrinted ||
                          method.algorithm == TailoringAlgorithm::kStageOne;
  if (is_divided && !method.split) section.fail_missing("split", "split = \"error\"");
  return method;
}

SimulationSettings read_simulation_settings(const TomlSection& section) {
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
  settings.stage_one_share = number("stage_one_share", settings.stage_one_share);
  settings.min_weight = number("min_weight", settings.min_weight);
  return settings;
}

/// Records that are drawn, or the groups of a table.
SimulationPanel read_panel(const TomlSection& section, std::string_view name, bool is_table) {
  section.check_keys({"sizes", "slopes", "noise", "group_column", "groups", "published", "target"});
  SimulationPanel panel;
  panel.name = name;
  if (is_table) {
    panel.group_column = required_text(section, "group_column");
    panel.groups = section.texts("groups").value_or(std::vector<std::string>());
    if (panel.groups.size() < 2) section.fail("groups", "groups must be two at least");
    return panel;
  }
  for (const double size : section.numbers("sizes").value_or(std::vector<double>()))
    panel.sizes.push_back(static_cast<int64_t>(size));
  panel.slopes = section.numbers("slopes").value_or(std::vector<double>());
  panel.noise = section.numbers("noise").value_or(std::vector<double>(panel.sizes.size(), 1.0));
  if (panel.sizes.empty()) section.fail_missing("sizes", "sizes = [10000, 500]");
  if (panel.slopes.size() != panel.sizes.size() || panel.noise.size() != panel.sizes.size())
    section.fail("slopes", "sizes, slopes and noise must have a value for each group");
  return panel;
}

/// Every method runs on the records of every panel. Where there are several its name begins with
/// the panel's.
void read_simulation(const TomlSection& root, ReproductionItem& item) {
  root.check_keys({"schema", "summary", "data", "seeds", "reference", "simulation", "panels",
                   "methods", "claims", "charts", "notes", "target_seeds"});
  item.data = root.text("data").value_or("drawn");
  item.seeds = required_count(root, "seeds");
  item.reference = root.text("reference").value_or("");
  const TomlSection section = root.section("simulation", "[simulation]");
  section.check_keys({"parameter", "values", "rho", "metrics", "model", "steps", "box", "step_size",
                      "relation", "max_grad_norm", "loss_clip", "loss_bound", "feature_norm_bound",
                      "target_bound", "residual_clip", "stage_one_share", "min_weight"});
  ReproductionSimulation& simulation = item.simulation.emplace();
  simulation.parameter = required_text(section, "parameter");
  simulation.values = section.numbers("values").value_or(std::vector<double>());
  if (simulation.values.empty()) section.fail_missing("values", "values = [0.5, 2]");
  if (simulation.parameter != "rho") {
    if (simulation.parameter != "size" && simulation.parameter != "groups" &&
        simulation.parameter != "steps")
      section.fail("parameter", "parameter must be rho, size, groups or steps");
    simulation.rho = required_number(section, "rho");
  }
  simulation.metrics = section.texts("metrics").value_or(std::vector<std::string>());
  if (simulation.metrics.empty()) section.fail_missing("metrics", "metrics = [\"MSPE 1\"]");
  for (const std::string& metric : simulation.metrics)
    if (!is_simulation_metric(metric))
      section.fail("metrics", fmt::format("no metric is {}", metric));
  simulation.settings = read_simulation_settings(section);
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
  for (const auto& [panel_key, panel_node] : panels.in_file_order()) {
    const TomlSection panel =
        panels.section(*panel_node, panels.name_of(panel_key->str()), "[panels.\"20x\"]");
    const std::string prefix = has_names ? fmt::format("{}: ", panel_key->str()) : "";
    simulation.panels.push_back(read_panel(panel, panel_key->str(), root.has("data")));
    // What a panel says of a method's figures stands with the panel.
    const auto values_of = [&](const std::string& kind, const std::string& method) {
      if (!panel.has(kind)) return std::map<std::string, PrintedValue>();
      const TomlSection values = panel.section(kind, "[panels.\"20x\".target.DPNoSE]");
      for (const auto& [name, node] : values.in_file_order()) {
        static_cast<void>(node);
        if (!methods.has(name->str())) values.fail(name->str(), "there is no such method");
      }
      return read_values(values, method);
    };
    for (const auto& [key, node] : methods.in_file_order()) {
      const std::string name(key->str());
      const TomlSection of_method =
          methods.section(*node, methods.name_of(name), "[methods.DPNoSE]");
      ReproductionMethod& method = item.methods.emplace_back();
      method.name = prefix + name;
      method.method = required_text(of_method, "algorithm");
      method.simulated = read_simulated_method(of_method);
      method.panel = simulation.panels.size() - 1;
      if (!item.reference.empty() && name != item.reference)
        method.reference = prefix + item.reference;
      method.reason = of_method.text("reason").value_or("");
      method.published = values_of("published", name);
      method.target = values_of("target", name);
      for (const auto& [metric, value] : read_values(of_method, "published"))
        method.published.emplace(metric, value);
    }
  }
  if (!item.reference.empty() && !methods.has(item.reference))
    root.fail("reference", "there is no such method");
  item.charts = read_charts(root);
}

/// The problems: every number of groups with every number of records, of features with every
/// epsilon, of records with every epsilon, the rest as in the base, which comes first.
std::vector<WorstGroupCell> read_cells(const TomlSection& root) {
  const TomlSection section = root.section("problems", "[problems]");
  section.check_keys({"groups", "records", "features", "epsilons"});
  const auto numbers = [&](const char* key) {
    std::vector<double> values = section.numbers(key).value_or(std::vector<double>());
    if (values.empty()) section.fail_missing(key, "records = [20000, 5000]");
    return values;
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

WorstGroupMethod read_worst_group_method(const TomlSection& section) {
  section.check_keys({"training", "kind", "loss_shares", "reason", "published", "target"});
  using Kind = WorstGroupMethod::Kind;
  WorstGroupMethod method;
  method.kind = section.choice("kind", Kind::kTrained,
                               {{"trained", Kind::kTrained},
                                {"printed", Kind::kPrinted},
                                {"average", Kind::kAverage},
                                {"minimax", Kind::kMinimax},
                                {"zero", Kind::kZero}});
  if (method.kind == Kind::kTrained)
    method.training = parse_simulated_training(required_text(section, "training"));
  if (method.kind == Kind::kPrinted) method.training = SimulatedTraining::kMgrLaplace;
  method.loss_shares = section.numbers("loss_shares").value_or(method.loss_shares);
  if (method.loss_shares.empty()) section.fail_missing("loss_shares", "loss_shares = [0.2, 0.5]");
  return method;
}

void read_worst_group(const TomlSection& root, ReproductionItem& item) {
  root.check_keys({"schema", "summary", "data", "seeds", "worst_group", "problems", "methods",
                   "claims", "charts", "notes", "target_seeds"});
  item.data = root.text("data").value_or("drawn");
  item.seeds = required_count(root, "seeds");
  const TomlSection section = root.section("worst_group", "[worst_group]");
  section.check_keys({"groups", "kept", "epsilons", "metrics", "learning_rates",
                      "group_learning_rates", "tuning_draws", "steps", "sample_rate", "delta",
                      "loss_bound", "max_grad_norms", "feature_bound", "phase_steps",
                      "online_rates", "online_group_rates"});
  ReproductionWorstGroup& settings = item.worst_group.emplace();
  settings.metrics = section.texts("metrics").value_or(std::vector<std::string>());
  if (settings.metrics.empty() || settings.metrics[0] != "excess")
    section.fail_missing("metrics", "metrics = [\"excess\"], which comes first");
  for (const std::string& metric : settings.metrics)
    if (!is_worst_group_metric(metric))
      section.fail("metrics", fmt::format("no metric is {}", metric));
  const auto rates = [&](const char* key) {
    std::vector<double> values = section.numbers(key).value_or(std::vector<double>());
    if (values.empty()) section.fail_missing(key, fmt::format("{} = [1, 3, 10]", key));
    return values;
  };
  settings.learning_rates = rates("learning_rates");
  settings.group_learning_rates = rates("group_learning_rates");
  settings.num_tuning_draws = section.integer("tuning_draws").value_or(settings.num_tuning_draws);
  settings.num_steps = section.integer("steps").value_or(settings.num_steps);
  settings.sample_rate = section.number("sample_rate").value_or(settings.sample_rate);
  settings.delta = section.number("delta").value_or(settings.delta);
  settings.loss_bound = section.number("loss_bound").value_or(settings.loss_bound);
  if (section.has("max_grad_norms")) settings.max_grad_norms = rates("max_grad_norms");
  if (root.has("data")) {
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
    item.text = find_table_schema(item.data).text;
  } else {
    settings.cells = read_cells(root);
  }
  settings.feature_bound = section.number("feature_bound").value_or(settings.feature_bound);
  const TomlSection methods = root.section("methods", "[methods.mgr_w]");
  for (const auto& [key, node] : methods.in_file_order()) {
    const std::string name(key->str());
    const TomlSection of_method = methods.section(*node, methods.name_of(name), "[methods.mgr_w]");
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = name;
    method.worst_group = read_worst_group_method(of_method);
    if (method.worst_group->training == SimulatedTraining::kPhasedErm)
      settings.phase_steps = rates("phase_steps");
    if (method.worst_group->training == SimulatedTraining::kOcoExp3) {
      settings.online_rates = rates("online_rates");
      settings.online_group_rates = rates("online_group_rates");
    }
    read_printed(of_method, method);
  }
  item.charts = read_charts(root);
}

MeansLine read_means_line(const TomlSection& section) {
  section.check_keys({"estimator", "strata", "stddev", "shrinks", "overall_share", "curve",
                      "reason", "published", "target"});
  MeansLine line;
  line.estimator = section.text("estimator").value_or("");
  line.curve = section.choice<std::string>("curve", "",
                                           {{"theorem", "theorem"},
                                            {"floored", "floored"},
                                            {"upper", "upper"},
                                            {"lower", "lower"},
                                            {"drawn", "drawn"},
                                            {"published", std::string(kPublishedCurve)}});
  if (line.estimator.empty() == line.curve.empty())
    section.fail_missing("estimator", "estimator = \"coinpress\", or curve = \"theorem\"");
  line.strata = section.choice("strata", MeansStrata::kAll,
                               {{"none", MeansStrata::kNone},
                                {"all", MeansStrata::kAll},
                                {"held_out", MeansStrata::kHeldOut}});
  line.stddev = section.number("stddev");
  line.shrinks = section.boolean("shrinks").value_or(false);
  line.overall_share = section.number("overall_share").value_or(0);
  return line;
}

MeansRecordsConfig read_means_records(const TomlSection& section, bool is_table,
                                      bool is_published) {
  MeansRecordsConfig records;
  const auto number = [&](std::string_view key, double otherwise) {
    return section.number(key).value_or(otherwise);
  };
  records.num_records = section.integer("records").value_or(records.num_records);
  records.num_groups = section.integer("groups").value_or(records.num_groups);
  records.alpha = number("alpha", records.alpha);
  records.centre = number("centre", records.centre);
  records.spread = number("spread", records.spread);
  records.stddev = number("stddev", records.stddev);
  records.lower = number("lower", records.lower);
  records.upper = number("upper", records.upper);
  if (!is_table) return records;
  records.column = required_text(section, "column");
  if (is_published) {
    records.is_exponential =
        section.choice("law", false, {{"normal", false}, {"exponential", true}});
    return records;
  }
  records.divisions = read_divisions(section);
  return records;
}

void read_means(const TomlSection& root, ReproductionItem& item) {
  root.check_keys(
      {"schema", "summary", "data", "seeds", "means", "methods", "claims", "charts", "notes"});
  item.data = root.text("data").value_or("drawn");
  item.seeds = required_count(root, "seeds");
  const TomlSection section = root.section("means", "[means]");
  section.check_keys({"parameter", "values", "rho", "metrics", "records", "groups", "alpha",
                      "centre", "spread", "stddev", "lower", "upper", "column", "divisions",
                      "law"});
  ReproductionMeans& means = item.means.emplace();
  means.parameter = section.choice<std::string>("parameter", "",
                                                {{"records", "records"},
                                                 {"groups", "groups"},
                                                 {"alpha", "alpha"},
                                                 {"rho", "rho"},
                                                 {"strata", "strata"}});
  if (means.is_published() != (item.data == "published_means"))
    section.fail("parameter", "the parameter of published_means, and of no other data, is strata");
  means.values = section.numbers("values").value_or(std::vector<double>());
  means.metrics = section.texts("metrics").value_or(std::vector<std::string>());
  means.rho = section.number("rho").value_or(means.rho);
  means.records = read_means_records(section, !item.is_drawn(), means.is_published());
  if (means.parameter.empty()) section.fail_missing("parameter", "parameter = \"records\"");
  if (means.values.empty()) section.fail_missing("values", "values = [0.5, 2]");
  if (means.is_published() && !std::is_sorted(means.values.begin(), means.values.end()))
    section.fail("values", "numbers of strata must be ascending");
  if (means.metrics.empty()) section.fail_missing("metrics", "metrics = [\"parity error\"]");
  for (const std::string& metric : means.metrics)
    if (!is_means_metric(metric, means.is_published()))
      section.fail("metrics", fmt::format("no metric is {}", metric));
  if (!item.is_drawn() && means.parameter == "groups" &&
      means.values.size() != means.records.divisions.size())
    section.fail("divisions", "there must be one division for each value");
  const TomlSection methods = root.section("methods", "[methods.bounded]");
  for (const auto& [name, node] : methods.in_file_order()) {
    const TomlSection of_method =
        methods.section(*node, methods.name_of(name->str()), "[methods.bounded]");
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name->str();
    method.means = read_means_line(of_method);
    if (!means.is_published() &&
        (method.means->curve == kPublishedCurve || method.means->overall_share > 0))
      of_method.fail("curve", "published, and a share of one sum over all, need published_means");
    method.method = method.means->estimator;
    read_printed(of_method, method);
  }
  item.charts = read_charts(root);
  if (!item.is_drawn() && !means.is_published()) item.text = find_table_schema(item.data).text;
}

/// What is printed of methods.
void read_values_of_methods(const TomlSection& root, ReproductionItem& item) {
  if (!root.has("methods")) return;
  const TomlSection methods = root.section("methods", "[methods.mst]");
  for (const auto& [key, node] : methods.in_file_order()) {
    const std::string_view name = key->str();
    const TomlSection section = methods.section(*node, methods.name_of(name), "[methods.mst]");
    section.check_keys({"reason", "published"});
    const auto found =
        std::find_if(item.methods.begin(), item.methods.end(),
                     [&](const ReproductionMethod& method) { return method.name == name; });
    if (found == item.methods.end()) methods.fail(name, "no synthesizer and strata make that");
    found->reason = section.text("reason").value_or("");
    found->published = read_values(section, "published");
  }
}

void read_synthesis_metrics(const TomlSection& section, ReproductionSynthesis& synthesis) {
  synthesis.metrics = section.texts("metrics").value_or(std::vector<std::string>());
  if (synthesis.metrics.empty()) section.fail_missing("metrics", "metrics = [\"accuracy\"]");
  for (const std::string& metric : synthesis.metrics)
    if (!is_synthesis_metric(metric))
      section.fail("metrics", fmt::format("no metric is {}", metric));
}

/// Methods are the records themselves, and every synthesizer for everybody and by each division.
void read_synthesis(const TomlSection& root, ReproductionItem& item) {
  root.check_keys(
      {"schema", "summary", "data", "seeds", "synthesis", "methods", "claims", "charts", "notes"});
  item.data = required_text(root, "data");
  item.seeds = required_count(root, "seeds");
  const TomlSection section = root.section("synthesis", "[synthesis]");
  section.check_keys({"synthesizers", "epsilons", "delta", "degree", "degree_of", "bins",
                      "max_model_megabytes", "min_stratum", "test_fraction", "positive",
                      "divisions", "metrics"});
  ReproductionSynthesis& synthesis = item.synthesis.emplace();
  synthesis.grid = item.name();
  synthesis.epsilons = section.numbers("epsilons").value_or(std::vector<double>());
  if (synthesis.epsilons.empty()) section.fail_missing("epsilons", "epsilons = [0.1, 1]");
  synthesis.delta = section.number("delta").value_or(synthesis.delta);
  synthesis.degree = static_cast<int>(section.integer("degree").value_or(synthesis.degree));
  if (section.has("degree_of")) {
    const TomlSection degrees = section.section("degree_of", "degree_of = { aim = 2 }");
    for (const auto& [name, node] : degrees.in_file_order()) {
      static_cast<void>(node);
      synthesis.degree_of[std::string(name->str())] =
          static_cast<int>(required_count(degrees, name->str()));
    }
  }
  synthesis.num_bins = static_cast<int>(section.integer("bins").value_or(synthesis.num_bins));
  synthesis.max_model_megabytes =
      section.number("max_model_megabytes").value_or(synthesis.max_model_megabytes);
  synthesis.min_stratum = section.integer("min_stratum").value_or(synthesis.min_stratum);
  synthesis.test_fraction = section.number("test_fraction").value_or(synthesis.test_fraction);
  synthesis.positive = section.text("positive").value_or("");
  synthesis.divisions = read_divisions(section);
  read_synthesis_metrics(section, synthesis);
  const auto add = [&](const std::string& name, SynthesisMethod made, std::string reference) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = made.synthesizer;
    method.reference = std::move(reference);
    method.synthesis = std::move(made);
  };
  add("records", {}, "");
  const std::vector<std::string> synthesizers =
      section.texts("synthesizers").value_or(std::vector<std::string>());
  if (synthesizers.empty()) section.fail_missing("synthesizers", "synthesizers = [\"mst\"]");
  for (const std::string& name : synthesizers) {
    add(name, {name, {}}, "");
    for (const std::vector<std::string>& division : synthesis.divisions)
      add(fmt::format("{} by {}", name, fmt::join(division, ",")), {name, division}, name);
  }
  read_values_of_methods(root, item);
  item.charts = read_charts(root);
  item.text = find_table_schema(item.data).text;
}

/// Some metrics of the runs of another item.
void read_synthesis_figure(const TomlSection& root, ReproductionItem& item, ReproductionItem grid) {
  root.check_keys(
      {"schema", "summary", "runs", "seeds", "metrics", "methods", "claims", "charts", "notes"});
  grid.item = item.item;
  grid.charts.clear();
  item = std::move(grid);
  for (ReproductionMethod& method : item.methods) {
    method.published.clear();
    method.reason.clear();
  }
  item.seeds = root.integer("seeds").value_or(item.seeds);
  read_synthesis_metrics(root, *item.synthesis);
  read_values_of_methods(root, item);
  item.charts = read_charts(root);
}

}  // namespace

std::string position_of(const ReproductionItem& item) {
  if (item.worst_group) return "problem";
  if (item.simulation) return item.simulation->parameter;
  if (item.means) return item.means->parameter;
  if (item.synthesis) return "epsilon";
  return item.sweep ? item.sweep->parameter : std::string(position_of(item.series));
}

std::vector<std::string> columns_of(const ReproductionItem& item) {
  if (item.worst_group) return item.worst_group->metrics;
  if (item.simulation) return item.simulation->metrics;
  if (item.means) return item.means->metrics;
  if (item.synthesis) return synthesis_columns(*item.synthesis);
  return item.sweep ? item.sweep->metrics : series_columns(item.series, item.groups);
}

ReproductionItem parse_reproduction_item(const EmbeddedItem& embedded) {
  const std::string origin = fmt::format("repro/{}.toml", embedded.name);
  const toml::table document = parse_toml(embedded.text, origin, kWhere);
  const TomlSection root(document, "", origin);
  ReproductionItem item;
  const size_t slash = embedded.name.find('/');
  item.paper = embedded.name.substr(0, slash);
  item.item = embedded.name.substr(slash + 1);
  if (root.has("parts")) {
    root.check_keys({"schema", "summary", "parts"});
    item.parts = root.texts("parts").value_or(std::vector<std::string>());
    for (const std::string& part : item.parts) {
      if (!item.data.empty()) item.data += ", ";
      item.data += find_reproduction_item(part).data;
    }
  } else if (root.has("like")) {
    read_other_model(root, item);
  } else if (root.has("runs")) {
    read_figure(root, item);
  } else if (root.has("sweep")) {
    read_sweep(root, item);
  } else if (root.has("simulation")) {
    read_simulation(root, item);
  } else if (root.has("worst_group")) {
    read_worst_group(root, item);
  } else if (root.has("means")) {
    read_means(root, item);
  } else if (root.has("synthesis")) {
    read_synthesis(root, item);
  } else {
    read_table(root, item);
  }
  // A figure of training tells of the runs of its table.
  if (item.runs.empty() || item.is_table) item.text += embedded.text;
  item.summary = required_text(root, "summary");
  item.notes = root.texts("notes").value_or(std::vector<std::string>());
  if (!root.has("like")) item.claims = read_claims(root);
  if (root.has("target_seeds")) {
    const int64_t num_runs = required_count(root, "target_seeds");
    for (ReproductionMethod& method : item.methods)
      for (auto& [metric, value] : method.target)
        if (value.num_runs == 0) value.num_runs = num_runs;
  }
  return item;
}

std::vector<EmbeddedItem> reproduction_items() {
  std::vector<EmbeddedItem> items;
  for (const EmbeddedItem& embedded : embedded_items())
    if (!embedded.name.starts_with(kTables)) items.push_back(embedded);
  return items;
}

ReproductionItem find_reproduction_item(std::string_view name) {
  std::vector<std::string> names;
  for (const EmbeddedItem& embedded : reproduction_items()) {
    if (embedded.name == name) return parse_reproduction_item(embedded);
    names.emplace_back(embedded.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(
      ErrorKind::kUsage, kWhere,
      nearest.empty()
          ? fmt::format("there is no item \"{}\"; equinoise reproduce --list lists them", name)
          : fmt::format("there is no item \"{}\"; did you mean \"{}\"?", name, nearest));
}

}  // namespace equinoise
