// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <string>

#include "equinoise/base/lists.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/kinds.h"
#include "equinoise/reproduction/reader.h"
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
    const bool is_new = !contains(cells, name, &WorstGroupCell::name);
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
  settings.group_columns = texts_of(section, "groups");
  if (settings.group_columns.empty()) section.fail_missing("groups", "groups = [\"sex\"]");
  if (section.has("kept")) {
    const TomlSection kept = section.section("kept", "kept = { race = [\"White\"] }");
    for (const std::string& column : keys_of(kept)) settings.kept[column] = texts_of(kept, column);
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
                      "loss_bound", "max_grad_norms", "phase_steps", "online_rates",
                      "online_group_rates"});
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
  method.selection =
      section.choice("selection", GroupSelection::kGumbel,
                     {{"gumbel", GroupSelection::kGumbel}, {"laplace", GroupSelection::kLaplace}});
  if (section.has("loss_shares"))
    method.loss_shares = required_numbers(section, "loss_shares", "loss_shares = [0.2, 0.5]");
  return method;
}

/// Least squares: coefficients of the columns of `rows`, for few columns.
std::vector<double> least_squares(const std::vector<std::vector<double>>& rows,
                                  const std::vector<double>& values) {
  const auto width = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), width);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < rows[i].size(); ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  const Eigen::Map<const Eigen::VectorXd> target(values.data(), std::ssize(values));
  const Eigen::VectorXd solution = matrix.colPivHouseholderQr().solve(target);
  return {solution.begin(), solution.end()};
}

/// The exponents of a run: of all problems together, excess ~ p^a K^b d^c epsilon^e.
std::vector<double> exponents_of(const ReproductionWorstGroup& settings,
                                 const ReproductionOutcome& run) {
  constexpr double kMin = 1e-5;  // a smaller excess is within the optimum's own accuracy
  std::vector<std::vector<double>> rows;
  std::vector<double> values;
  for (size_t c = 0; c < settings.cells.size(); ++c) {
    const WorstGroupCell& cell = settings.cells[c];
    rows.push_back({1, std::log(cell.num_groups), std::log(cell.num_records),
                    std::log(cell.num_features), std::log(cell.epsilon)});
    values.push_back(std::log(std::max(run.points[c].values[0], kMin)));
  }
  return least_squares(rows, values);
}

/// Adds the exponents of the quantities that vary between problems.
void add_exponents(const ReproductionWorstGroup& settings, const Outcomes& runs,
                   std::vector<Figures>& all) {
  size_t column = 0;
  for (const auto& [quantity, value] :
       {std::pair("p", &WorstGroupCell::num_groups), std::pair("K", &WorstGroupCell::num_records),
        std::pair("d", &WorstGroupCell::num_features),
        std::pair("epsilon", &WorstGroupCell::epsilon)}) {
    ++column;
    if (std::ranges::all_of(settings.cells, [&, field = value](const WorstGroupCell& cell) {
          return cell.*field == settings.cells[0].*field;
        }))
      continue;
    all.push_back(values_of(
        fmt::format("exponent of {}", quantity), runs,
        [&](const ReproductionOutcome& run) { return exponents_of(settings, run)[column]; }));
  }
}

/// Adds the notes on methods that are not trained by batches.
void add_other_trainings(const ReproductionWorstGroup& settings, std::vector<std::string>& notes) {
  if (!settings.phase_steps.empty()) {
    notes.push_back(fmt::format(
        "phased_erm has no batches: a phase for each power of two in the smallest group, features "
        "and a 1 of norm {:g} together, tuned over values {} of phase_step",
        kFeatureBound, fmt::join(settings.phase_steps, ", ")));
  }
  if (!settings.online_rates.empty()) {
    notes.push_back(fmt::format(
        "oco_exp3 reads records one by one until the drawn group has none left, tuned over "
        "learning rates {} and group learning rates {}, both divided by the root of half the "
        "number of records, the latter also by the bound on losses",
        fmt::join(settings.online_rates, ", "), fmt::join(settings.online_group_rates, ", ")));
  }
}

class WorstGroupExperiment final : public ExperimentOf<ReproductionWorstGroup> {
 public:
  using ExperimentOf::ExperimentOf;

  std::string position() const override { return "problem"; }
  int64_t revision() const override { return 2; }
  std::vector<std::string> columns(const ItemHeader&) const override { return settings_.metrics; }
  /// The figures of every metric in every cell. For drawn problems they are the first metric only,
  /// except in the base, and the exponents of methods that train.
  std::vector<Figures> figures(const ItemHeader&, size_t method, const Outcomes& runs,
                               const Outcomes*) const override {
    const WorstGroupMethod::Kind kind = settings_.methods[method].kind;
    const bool follows =
        kind == WorstGroupMethod::Kind::kTrained || kind == WorstGroupMethod::Kind::kPrinted;
    const bool is_drawn = settings_.group_columns.empty();
    std::vector<Figures> all;
    for (size_t c = 0; c < settings_.metrics.size(); ++c) {
      for (size_t cell = 0; cell < settings_.cells.size(); ++cell) {
        if (is_drawn && c > 0 && cell > 0) continue;
        if (settings_.metrics[c] == "epsilon" && !follows) continue;
        all.push_back(values_of(
            fmt::format("{} at {}", settings_.metrics[c], settings_.cells[cell].name), runs,
            [&](const ReproductionOutcome& run) { return run.points[cell].values[c]; }));
      }
    }
    if (is_drawn && follows) add_exponents(settings_, runs, all);
    return all;
  }
  std::vector<std::string> notes(const ItemHeader&, int64_t num_seeds) const override {
    const bool is_drawn = settings_.group_columns.empty();
    std::vector<std::string> notes = {
        fmt::format("NOT PRIVATE: {} seeds of an insecure random source; each seed "
                    "is {} and new noise. {} steps on Poisson batches at rate {:g}, gradients "
                    "clipped to {}, "
                    "losses counted up to {:g}, delta {:g}, noise as each method plans it",
                    num_seeds, is_drawn ? "a newly drawn problem" : "a split of the table",
                    settings_.num_steps, settings_.sample_rate,
                    settings_.max_grad_norms.size() > 1
                        ? fmt::format("{}, as tuned", fmt::join(settings_.max_grad_norms, " or "))
                        : fmt::format("{:g}", settings_.max_grad_norms[0]),
                    settings_.loss_bound, settings_.delta),
        fmt::format("tuned for each method and problem over learning rates {} and, if groups have "
                    "weights, group learning rates {}, by the mean excess on {} other {}",
                    fmt::join(settings_.learning_rates, ", "),
                    fmt::join(settings_.group_learning_rates, ", "), settings_.num_tuning_draws,
                    is_drawn ? "draws of the problem" : "splits"),
        fmt::format("{:g} of the budget is for losses if a method has no loss_shares to tune over",
                    WorstGroupMethod().loss_shares[0]),
        "excess: the largest mean loss of any group on the training records, minus the least "
        "possible; test: on other records"};
    add_other_trainings(settings_, notes);
    if (is_drawn) {
      notes.emplace_back(
          "exponents: least squares fit of log excess over all problems at once, for each seed; "
          "the "
          "paper's bounds give them for the regime in which only noise matters");
    }
    return notes;
  }
  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionWorstGroup settings = settings_;
    ShortForm::cut(settings.cells, form.num_values);
    for (WorstGroupCell& cell : settings.cells)
      cell.num_records = std::min(cell.num_records, static_cast<double>(form.num_records));
    settings.num_steps = std::min(settings.num_steps, form.num_steps);
    // Tunes over one candidate.
    settings.num_tuning_draws = 1;
    for (std::vector<double>* rates :
         {&settings.learning_rates, &settings.group_learning_rates, &settings.max_grad_norms,
          &settings.phase_steps, &settings.online_rates, &settings.online_group_rates})
      if (!rates->empty()) rates->resize(1);
    for (WorstGroupMethod& method : settings.methods) method.loss_shares.resize(1);
    return std::make_shared<WorstGroupExperiment>(std::move(settings));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_worst_group_runs(item, settings_, folder);
  }
};

}  // namespace

std::shared_ptr<const Experiment> read_worst_group(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "seeds", "worst_group", "problems", "methods",
                   "claims", "charts", "notes", "target_seeds"});
  ReproductionWorstGroup settings;
  item.data = root.text("data").value_or("drawn");
  const TomlSection section = root.section("worst_group", "[worst_group]");
  read_training(section, settings);
  if (root.has("data")) {
    read_groups(section, settings);
    item.settings["table"] = table_schema_digest(item.data);
  } else {
    settings.cells = read_cells(root);
  }
  const auto read = [&](const TomlSection& of_method, const std::string& name) {
    add_method(of_method, name, name, item);
    const WorstGroupMethod& line =
        settings.methods.emplace_back(read_worst_group_method(of_method));
    if (line.follows("phase_step")) settings.phase_steps = read_rates(section, "phase_steps");
    if (line.follows("online")) {
      settings.online_rates = read_rates(section, "online_rates");
      settings.online_group_rates = read_rates(section, "online_group_rates");
    }
  };
  for_each_section(root, "methods", "[methods.mgr_w]", read);
  return std::make_shared<WorstGroupExperiment>(std::move(settings));
}

}  // namespace equinoise
