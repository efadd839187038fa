// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/worst_group_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "equinoise/reproduction/worst_group/worst_group_reader.h"
#include "equinoise/reproduction/worst_group/worst_group_runs.h"

namespace equinoise {

namespace {

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
    if (std::all_of(settings.cells.begin(), settings.cells.end(),
                    [&, field = value](const WorstGroupCell& cell) {
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
        settings.feature_bound, fmt::join(settings.phase_steps, ", ")));
  }
  if (!settings.online_rates.empty()) {
    notes.push_back(fmt::format(
        "oco_exp3 reads records one by one until the drawn group has none left, tuned over "
        "learning rates {} and group learning rates {}, both divided by the root of half the "
        "number of records, the latter also by the bound on losses",
        fmt::join(settings.online_rates, ", "), fmt::join(settings.online_group_rates, ", ")));
  }
}

}  // namespace

/// The figures of every metric in every cell. For drawn problems they are the first metric only,
/// except in the base, and the exponents of methods that train.
std::vector<Figures> WorstGroupExperiment::figures(const ItemHeader&, size_t method,
                                                   const Outcomes& runs, const Outcomes*) const {
  const WorstGroupMethod::Kind kind = settings_.methods[method].kind;
  const bool follows =
      kind == WorstGroupMethod::Kind::kTrained || kind == WorstGroupMethod::Kind::kPrinted;
  const bool is_drawn = settings_.group_columns.empty();
  std::vector<Figures> all;
  for (size_t c = 0; c < settings_.metrics.size(); ++c) {
    for (size_t cell = 0; cell < settings_.cells.size(); ++cell) {
      if (is_drawn && c > 0 && cell > 0) continue;
      if (settings_.metrics[c] == "epsilon" && !follows) continue;
      all.push_back(
          values_of(fmt::format("{} at {}", settings_.metrics[c], settings_.cells[cell].name), runs,
                    [&](const ReproductionOutcome& run) { return run.points[cell].values[c]; }));
    }
  }
  if (is_drawn && follows) add_exponents(settings_, runs, all);
  return all;
}

std::vector<std::string> WorstGroupExperiment::notes(const ItemHeader&, int64_t num_seeds) const {
  const bool is_drawn = settings_.group_columns.empty();
  std::vector<std::string> notes = {
      fmt::format(
          "NOT PRIVATE: {} seeds of an insecure random source; each seed "
          "is {} and new noise. {} steps on Poisson batches at rate {:g}, gradients clipped to {}, "
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
        "exponents: least squares fit of log excess over all problems at once, for each seed; the "
        "paper's bounds give them for the regime in which only noise matters");
  }
  return notes;
}

std::shared_ptr<const Experiment> WorstGroupExperiment::shortened(const ShortForm& form) const {
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

std::unique_ptr<ExperimentRuns> WorstGroupExperiment::open(const ItemHeader& item,
                                                           const std::filesystem::path& folder,
                                                           TaskProgress&) const {
  return open_worst_group_runs(item, settings_, folder);
}

std::shared_ptr<const Experiment> read_worst_group(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<WorstGroupExperiment>(read_worst_group_settings(root, item));
}

}  // namespace equinoise
