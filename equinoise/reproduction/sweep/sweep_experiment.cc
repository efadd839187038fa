// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/sweep_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "equinoise/report/format.h"
#include "equinoise/reproduction/sweep/sweep_item.h"
#include "equinoise/reproduction/sweep/sweep_reader.h"
#include "equinoise/reproduction/sweep/sweep_runs.h"
#include "equinoise/reproduction/training/built_method.h"

namespace equinoise {

namespace {

/// "3,000 steps", or "1,000 to 10,000 steps" where methods differ.
std::string steps_of(const std::vector<TrainingConfig>& configs) {
  const auto [least, most] = std::minmax_element(
      configs.begin(), configs.end(),
      [](const TrainingConfig& a, const TrainingConfig& b) { return a.num_steps < b.num_steps; });
  const std::string text = format_count(least->num_steps);
  return (least->num_steps == most->num_steps ? text
                                              : text + " to " + format_count(most->num_steps)) +
         " steps";
}

/// What the metrics mean, where their names do not say it.
std::vector<std::string> metric_notes(const ReproductionSweep& sweep) {
  std::vector<std::string> notes;
  const auto note = [&](const char* metric, const std::string& meaning) {
    if (std::count(sweep.metrics.begin(), sweep.metrics.end(), metric) > 0)
      notes.push_back(fmt::format("{}: {}", metric, meaning));
  };
  note("error", "share of wrong predicted classes among the held-out records");
  const std::string largest = fmt::format(
      "the largest of the rates or differences of predicted classes that {} bounds, over the ",
      sweep.constraint.substr(0, sweep.constraint.rfind(':')));
  const std::string nobody =
      "; those with a rate that has no records do not count, nor those between groups where half "
      "a record of one is more than the slack";
  note("value", largest + "held-out records" + nobody);
  note("training value", largest + "training records" + nobody);
  note("all value", largest + "held-out and the training records together" + nobody);
  return notes;
}

class SweepExperiment final : public Experiment {
 public:
  explicit SweepExperiment(ReproductionSweep sweep) : sweep_(std::move(sweep)) {}

  std::string position() const override { return sweep_.parameter; }
  std::vector<std::string> columns(const ItemHeader&) const override { return sweep_.metrics; }
  bool is_built(const ReproductionMethod& method) const override {
    return find_built_method(method.method) != nullptr;
  }

  /// Every metric at every value of the parameter; next to a reference also how far errors are
  /// above its own, and how many times its own a time is. Of a method that obeys no constraint,
  /// which has one point, the metrics alone.
  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override {
    const ReproductionMethod& of_item = item.methods[method];
    const bool follows = follows_sweep(of_item);
    std::vector<Figures> all;
    for (size_t c = 0; c < sweep_.metrics.size(); ++c) {
      const std::string& metric = sweep_.metrics[c];
      const bool is_error = metric == "error";
      const bool is_time = metric == "time";
      for (size_t point = 0; point < (follows ? sweep_.values.size() : 1); ++point) {
        const std::string place = follows ? fmt::format(" at {:g}", sweep_.values[point]) : "";
        all.push_back(values_of(metric + place, runs, [&](const ReproductionOutcome& run) {
          return run.points[point].values[c];
        }));
        all.back().is_percentage = is_error;
        if (reference == nullptr || !follows || (!is_error && !is_time)) continue;
        all.push_back(values_beside(
            fmt::format("{} {} {}{}", metric, is_time ? "over" : "above", of_item.reference, place),
            runs, *reference,
            [&](const ReproductionOutcome& run, const ReproductionOutcome& beside) {
              const double value = run.points[point].values[c];
              // A reference that obeys no constraint has one point for all.
              const double other =
                  beside.points[std::min(point, beside.points.size() - 1)].values[c];
              return is_time ? value / other : value - other;
            }));
        all.back().is_percentage = is_error;
      }
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader&, int64_t num_seeds) const override {
    std::vector<std::string> notes = {
        fmt::format("NOT PRIVATE: {} seeds of an insecure random source, with preprocessing and "
                    "figures computed from the records; Poisson batches of {:g} on average, {}, "
                    "averaged iterates as in equinoise train; each seed is a split",
                    num_seeds, sweep_.batch_size, steps_of(sweep_.configs))};
    const std::vector<std::string> of_metrics = metric_notes(sweep_);
    notes.insert(notes.end(), of_metrics.begin(), of_metrics.end());
    return notes;
  }

  std::string target() const override {
    return "a prototype of the same method, with other steps and another public scaling";
  }

  int64_t revision() const override { return 2; }
  nlohmann::ordered_json identity(const ItemHeader& item) const override {
    nlohmann::ordered_json identity = Experiment::identity(item);
    identity["steps"] = steps_.value_or(0);
    return identity;
  }

  bool is_shortened() const override { return steps_.has_value(); }

  std::shared_ptr<const Experiment> with_efforts(Efforts& asked) const override {
    if (!asked.steps) return nullptr;
    auto other = std::make_shared<SweepExperiment>(*this);
    other->steps_ = std::exchange(asked.steps, std::nullopt);
    for (TrainingConfig& config : other->sweep_.configs) config.num_steps = *other->steps_;
    return other;
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionSweep sweep = sweep_;
    ShortForm::cut(sweep.values, form.num_values);
    sweep.batch_size = std::min(sweep.batch_size, static_cast<double>(form.num_records) / 10);
    for (TrainingConfig& config : sweep.configs) {
      config.batch_size = sweep.batch_size;
      config.num_steps = std::min(config.num_steps, form.num_steps);
    }
    return std::make_shared<SweepExperiment>(std::move(sweep));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_sweep_runs(item, sweep_, folder);
  }

 private:
  ReproductionSweep sweep_;
  std::optional<int64_t> steps_;  ///< of all methods, instead of their own
};

}  // namespace

std::shared_ptr<const Experiment> read_sweep(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<SweepExperiment>(read_sweep_settings(root, item));
}

}  // namespace equinoise
