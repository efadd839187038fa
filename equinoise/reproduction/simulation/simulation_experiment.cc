// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/simulation_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "equinoise/reproduction/simulation/simulation_item.h"
#include "equinoise/reproduction/simulation/simulation_reader.h"
#include "equinoise/reproduction/simulation/simulation_runs.h"

namespace equinoise {

namespace {

constexpr std::string_view kSmallest = "MSPE smallest";

class SimulationExperiment final : public Experiment {
 public:
  explicit SimulationExperiment(ReproductionSimulation simulation)
      : simulation_(std::move(simulation)) {}

  std::string position() const override { return simulation_.parameter; }
  std::vector<std::string> columns(const ItemHeader&) const override { return simulation_.metrics; }
  bool has_short_runs() const override { return true; }
  int64_t revision() const override { return 1; }

  /// Every metric at every value of the parameter; next to a reference also by how much, in
  /// percent, the smallest group's error is below its own.
  std::vector<Figures> figures(const ItemHeader&, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override {
    const bool follows = simulation_.is_followed_by(simulation_.lines[method].method);
    std::vector<Figures> all;
    for (size_t c = 0; c < simulation_.metrics.size(); ++c) {
      for (size_t point = 0; point < (follows ? simulation_.values.size() : 1); ++point) {
        const std::string place = follows ? fmt::format(" at {:g}", simulation_.values[point]) : "";
        const auto value = [&](const ReproductionOutcome& run) {
          return run.points[point].values[c];
        };
        all.push_back(values_of(simulation_.metrics[c] + place, runs, value));
        if (reference == nullptr || !follows || simulation_.metrics[c] != kSmallest) continue;
        all.push_back(values_beside(
            fmt::format("{} below {}{}", kSmallest, simulation_.reference, place), runs, *reference,
            [&](const ReproductionOutcome& run, const ReproductionOutcome& beside) {
              return 100 * (1 - value(run) / value(beside));
            }));
        all.back().is_percentage = true;
      }
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override {
    const SimulationSettings& settings = simulation_.settings;
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
    ReproductionSimulation simulation = simulation_;
    ShortForm::cut(simulation.values, form.num_values);
    int64_t& steps = simulation.settings.descent.num_steps;
    steps = std::min(steps, form.num_steps);
    for (SimulationPanel& panel : simulation.panels)
      for (int64_t& size : panel.sizes) size = std::min(size, form.num_records);
    return std::make_shared<SimulationExperiment>(std::move(simulation));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_simulation_runs(item, simulation_, folder);
  }

 private:
  ReproductionSimulation simulation_;
};

}  // namespace

std::shared_ptr<const Experiment> read_simulation(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<SimulationExperiment>(read_simulation_settings(root, item));
}

}  // namespace equinoise
