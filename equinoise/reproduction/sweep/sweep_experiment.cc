// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/sweep_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "equinoise/report/format.h"
#include "equinoise/reproduction/sweep/sweep_item.h"
#include "equinoise/reproduction/sweep/sweep_reader.h"
#include "equinoise/reproduction/sweep/sweep_runs.h"
#include "equinoise/reproduction/sweep/tradeoff.h"
#include "equinoise/reproduction/training/built_method.h"

namespace equinoise {

namespace {

/// "3,000 steps", or "1,000 to 10,000 steps" where methods differ.
std::string steps_of(const std::vector<SweptMethod>& methods) {
  const auto num_steps = [](const SweptMethod& method) { return method.configs[0].num_steps; };
  const auto [least, most] = std::minmax_element(
      methods.begin(), methods.end(),
      [&](const SweptMethod& a, const SweptMethod& b) { return num_steps(a) < num_steps(b); });
  const std::string text = format_count(num_steps(*least));
  return (num_steps(*least) == num_steps(*most) ? text
                                                : text + " to " + format_count(num_steps(*most))) +
         " steps";
}

/// The meaning of metrics with names that do not explain it.
std::vector<std::string> metric_notes(const ItemHeader& item, const ReproductionSweep& sweep) {
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
  if (!sweep.levels.empty())
    notes.emplace_back(
        "within a level: at the place of least mean error on the lines between a method's points, "
        "the values of its parameter, where the mean training value is at most the level; - where "
        "there is none");
  const bool groups_are_known =
      std::any_of(item.methods.begin(), item.methods.end(), [](const ReproductionMethod& method) {
        const TrainingMethodRow* row = find_built_method(method.method);
        return row != nullptr && row->uses_groups();
      });
  if (groups_are_known)
    notes.emplace_back("the public sizes of groups are those of the whole table");
  return notes;
}

class SweepExperiment final : public Experiment {
 public:
  explicit SweepExperiment(ReproductionSweep sweep) : sweep_(std::move(sweep)) {}

  std::string position() const override {
    const bool is_common = std::all_of(
        sweep_.methods.begin(), sweep_.methods.end(),
        [&](const SweptMethod& method) { return method.parameter == sweep_.parameter; });
    return is_common ? sweep_.parameter : "parameter";
  }
  std::vector<std::string> columns(const ItemHeader&) const override { return sweep_.metrics; }
  bool is_built(const ReproductionMethod& method) const override {
    return find_built_method(method.method) != nullptr;
  }

  /// The figures of every metric at every value of the parameter, and at the levels of trade-off
  /// curves. Next to a reference they include the excess of errors over its own, and the ratio of
  /// times. A method that follows no parameter has one point and the metrics only.
  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override {
    const ReproductionMethod& of_item = item.methods[method];
    const SweptMethod& swept = sweep_.methods[method];
    const bool is_swept = follows_parameter(of_item, swept.parameter);
    std::vector<Figures> all;
    for (size_t c = 0; c < sweep_.metrics.size(); ++c) {
      const std::string& metric = sweep_.metrics[c];
      const bool is_error = metric == "error";
      const bool is_time = metric == "time";
      for (size_t point = 0; point < (is_swept ? swept.values.size() : 1); ++point) {
        const std::string place = is_swept ? fmt::format(" at {:g}", swept.values[point]) : "";
        all.push_back(values_of(metric + place, runs, [&](const ReproductionOutcome& run) {
          return run.points[point].values[c];
        }));
        all.back().is_percentage = is_error;
        if (reference == nullptr || !is_swept || (!is_error && !is_time)) continue;
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
    for (const double level : sweep_.levels) add_within(level, runs, all);
    return all;
  }

  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override {
    std::vector<std::string> notes = {
        fmt::format("NOT PRIVATE: {} seeds of an insecure random source, with preprocessing and "
                    "figures computed from the records; Poisson batches of {:g} on average, {}, "
                    "averaged iterates as in equinoise train; each seed is a split",
                    num_seeds, sweep_.batch_size, steps_of(sweep_.methods))};
    const std::vector<std::string> of_metrics = metric_notes(item, sweep_);
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
    for (SweptMethod& method : other->sweep_.methods)
      for (TrainingConfig& config : method.configs) config.num_steps = *other->steps_;
    return other;
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionSweep sweep = sweep_;
    sweep.batch_size = std::min(sweep.batch_size, static_cast<double>(form.num_records) / 10);
    for (SweptMethod& method : sweep.methods) {
      ShortForm::cut(method.values, form.num_values);
      ShortForm::cut(method.configs, form.num_values);
      for (TrainingConfig& config : method.configs) {
        config.batch_size = sweep.batch_size;
        config.num_steps = std::min(config.num_steps, form.num_steps);
      }
    }
    return std::make_shared<SweepExperiment>(std::move(sweep));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_sweep_runs(item, sweep_, folder);
  }

 private:
  /// Adds "error within 0.05", and the other metrics there except time.
  void add_within(double level, const Outcomes& runs, std::vector<Figures>& all) const {
    const size_t num_points = runs.empty() ? 0 : runs[0].points.size();
    const auto means_of = [&](std::string_view metric) {
      const auto column = std::find(sweep_.metrics.begin(), sweep_.metrics.end(), metric);
      const auto c = static_cast<size_t>(column - sweep_.metrics.begin());
      std::vector<double> means(num_points, 0.0);
      for (const ReproductionOutcome& run : runs)
        for (size_t point = 0; point < num_points; ++point)
          means[point] += run.points[point].values[c] / static_cast<double>(runs.size());
      return means;
    };
    const std::optional<CurvePlace> place =
        min_error_within(means_of("training value"), means_of("error"), level);
    for (size_t c = 0; c < sweep_.metrics.size(); ++c) {
      if (sweep_.metrics[c] == "time") continue;
      all.push_back(values_of(fmt::format("{} within {:g}", sweep_.metrics[c], level), runs,
                              [&](const ReproductionOutcome& run) {
                                std::vector<double> values;
                                for (const ReproductionPoint& point : run.points)
                                  values.push_back(point.values[c]);
                                return place ? place->mix(values)
                                             : std::numeric_limits<double>::quiet_NaN();
                              }));
      all.back().is_percentage = sweep_.metrics[c] == "error";
    }
  }

  ReproductionSweep sweep_;
  std::optional<int64_t> steps_;  ///< for all methods, instead of their own
};

}  // namespace

std::shared_ptr<const Experiment> read_sweep(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<SweepExperiment>(read_sweep_settings(root, item));
}

}  // namespace equinoise
