// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/report/format.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/kinds.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/sweep/sweep_runs.h"
#include "equinoise/reproduction/sweep/tradeoff.h"
#include "equinoise/train/registry.h"

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
    if (!sweep.levels.empty() && std::ranges::count(sweep.metrics, metric) == 0)
      section.fail("levels", fmt::format("levels need the metric {}", metric));
}

/// "3,000 steps", or "1,000 to 10,000 steps" where methods differ.
std::string steps_of(const std::vector<SweptMethod>& methods) {
  const auto num_steps = [](const SweptMethod& method) { return method.configs[0].num_steps; };
  const auto [least, most] = std::ranges::minmax_element(
      methods,
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
    if (std::ranges::count(sweep.metrics, metric) > 0)
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
      std::ranges::any_of(item.methods, [](const ReproductionMethod& method) {
        return find_training_method(method.method).uses_groups();
      });
  if (groups_are_known)
    notes.emplace_back("the public sizes of groups are those of the whole table");
  return notes;
}

class SweepExperiment final : public ExperimentOf<ReproductionSweep> {
 public:
  using ExperimentOf::ExperimentOf;

  std::string position() const override {
    const bool is_common = std::ranges::all_of(settings_.methods, [&](const SweptMethod& method) {
      return method.parameter == settings_.parameter;
    });
    return is_common ? settings_.parameter : "parameter";
  }
  std::vector<std::string> columns(const ItemHeader&) const override { return settings_.metrics; }

  /// The figures of every metric at every value of the parameter, and at the levels of trade-off
  /// curves. Next to a reference they include the excess of errors over its own, and the ratio of
  /// times. A method that follows no parameter has one point and the metrics only.
  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override {
    const ReproductionMethod& of_item = item.methods[method];
    const SweptMethod& swept = settings_.methods[method];
    const bool is_swept = follows_parameter(of_item, swept.parameter);
    std::vector<Figures> all;
    for (size_t c = 0; c < settings_.metrics.size(); ++c) {
      const std::string& metric = settings_.metrics[c];
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
    for (const double level : settings_.levels) add_within(level, runs, all);
    return all;
  }

  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override {
    std::vector<std::string> notes = {
        fmt::format("NOT PRIVATE: {} seeds of an insecure random source, with preprocessing and "
                    "figures computed from the records; Poisson batches of {:g} on average, {}, "
                    "averaged iterates as in equinoise train; each seed is a split",
                    num_seeds, settings_.batch_size, steps_of(settings_.methods))};
    const std::vector<std::string> of_metrics = metric_notes(item, settings_);
    append(notes, of_metrics);
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
    for (SweptMethod& method : other->settings_.methods)
      for (TrainingConfig& config : method.configs) config.num_steps = *other->steps_;
    return other;
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionSweep sweep = settings_;
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
    return open_sweep_runs(item, settings_, folder);
  }

 private:
  /// Adds "error within 0.05", and the other metrics there except time.
  void add_within(double level, const Outcomes& runs, std::vector<Figures>& all) const {
    const size_t num_points = runs.empty() ? 0 : runs[0].points.size();
    const auto means_of = [&](std::string_view metric) {
      const auto column = std::ranges::find(settings_.metrics, metric);
      const auto c = static_cast<size_t>(column - settings_.metrics.begin());
      std::vector<double> means(num_points, 0.0);
      for (const ReproductionOutcome& run : runs)
        for (size_t point = 0; point < num_points; ++point)
          means[point] += run.points[point].values[c] / static_cast<double>(runs.size());
      return means;
    };
    const std::optional<CurvePlace> place =
        min_error_within(means_of("training value"), means_of("error"), level);
    for (size_t c = 0; c < settings_.metrics.size(); ++c) {
      if (settings_.metrics[c] == "time") continue;
      all.push_back(values_of(fmt::format("{} within {:g}", settings_.metrics[c], level), runs,
                              [&](const ReproductionOutcome& run) {
                                std::vector<double> values;
                                for (const ReproductionPoint& point : run.points)
                                  values.push_back(point.values[c]);
                                return place ? place->mix(values)
                                             : std::numeric_limits<double>::quiet_NaN();
                              }));
      all.back().is_percentage = settings_.metrics[c] == "error";
    }
  }

  std::optional<int64_t> steps_;  ///< for all methods, instead of their own
};

}  // namespace

std::shared_ptr<const Experiment> read_sweep(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "model", "seeds", "batch_size", "delta",
                   "reference", "sweep", "methods", "claims", "charts", "notes", "target_seeds"});
  ReproductionSweep sweep;
  item.data = required_text(root, "data");
  sweep.model = required_text(root, "model");
  sweep.batch_size = required_number(root, "batch_size");
  const TomlSection section = root.section("sweep", "[sweep]");
  read_sweep_section(section, sweep);
  const double delta = required_number(root, "delta");
  const std::optional<std::string> kept = section.text("keeps_slack");
  const auto read = [&](const TomlSection& of_method, const std::string& name) {
    ReproductionMethod& method =
        add_method(of_method, name, required_text(of_method, "method"), item);
    const std::optional<std::string> parameter = of_method.text("parameter");
    const TrainingConfig config = read_config(of_method, sweep.batch_size, delta);
    if (sweep.parameter == kSlackParameter &&
        parameter.value_or(sweep.parameter) != sweep.parameter &&
        find_training_method(method.method).uses_constraints) {
      of_method.fail("parameter", "the slack of a method under constraints would be left open");
    }
    sweep.methods.push_back(read_swept(parameter || of_method.has("values") ? of_method : section,
                                       parameter.value_or(sweep.parameter), config));
    // "value at 0.1" is published as "<= 0.1".
    const bool keeps = kept && follows_parameter(method, sweep.methods.back().parameter);
    for (const double slack : keeps ? sweep.methods.back().values : std::vector<double>()) {
      method.published.emplace(fmt::format("{} at {:g}", *kept, slack),
                               parse_printed_value(fmt::format("<= {:g}", slack)));
    }
  };
  for_each_section(root, "methods", "[methods.dpsgd]", read);
  compare_with(root.text("reference").value_or(""), item.methods);
  item.settings["table"] = table_schema_digest(item.data);
  return std::make_shared<SweepExperiment>(std::move(sweep));
}

}  // namespace equinoise
