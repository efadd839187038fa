// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/quotes.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/synth/synth_evaluate_tables.h"

namespace equinoise {

namespace {

/// One line of the file.
struct FigureLine {
  std::string_view kind;
  std::vector<std::string> columns = {};
  GroupLabel group = {};
  std::string unit;
  std::optional<double> real = {};
  std::optional<double> synthetic = {};
  std::optional<double> error = {};
  std::optional<double> bootstrap = {};
  std::optional<double> second_half = {};
  int64_t num_real = 0;
};

constexpr const char* kHalfL1 = "half L1 distance (0 to 1)";

std::string figure_cell(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string names_cell(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + with_quotes(name);
  return csv_cell(text);
}

std::string label_cell(const GroupLabel& group) {
  std::string text;
  for (const auto& [column, value] : group)
    text += (text.empty() ? "" : ",") + with_quotes(column) + "=" + with_quotes(value);
  return csv_cell(text);
}

/// The lines of a report, in order.
class FigureLines {
 public:
  explicit FigureLines(const SynthEvaluateReport& report) : report_(report) {}

  void add(FigureLine line) {
    text_ += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", line.kind, names_cell(line.columns),
                         label_cell(line.group), csv_cell(line.unit), figure_cell(line.real),
                         figure_cell(line.synthetic), figure_cell(line.error),
                         figure_cell(line.bootstrap), figure_cell(line.second_half), line.num_real);
  }

  /// Without `errors` they are undefined.
  void add_marginals(const GroupLabel& group, const MarginalErrors* errors, int64_t num_real) {
    FigureLine line{.kind = "workload", .group = group, .unit = kHalfL1, .num_real = num_real};
    const auto add_error = [&](const std::string& kind, std::vector<std::string> columns,
                               const MarginalError* error) {
      line.kind = kind;
      line.columns = std::move(columns);
      if (error != nullptr) {
        line.error = error->error;
        line.bootstrap = error->bootstrap;
        line.second_half = error->second_half;
      }
      add(line);
    };
    if (errors == nullptr) {
      add_error("workload", {}, nullptr);
      for (const std::string& column : report_.columns) add_error("single", {column}, nullptr);
      return;
    }
    for (size_t d = errors->degrees.size(); d-- > 0;) {
      const DegreeErrors& degree = errors->degrees[d];
      const MarginalError mean{{}, degree.error, degree.bootstrap, degree.second_half};
      const bool is_asked = d + 1 == errors->degrees.size();
      add_error(is_asked ? "workload" : fmt::format("workload_{}", degree.degree), {}, &mean);
    }
    for (const MarginalError& error : errors->columns)
      add_error("single", columns_of(report_, error), &error);
    if (report_.degree == 1) return;  // the same as those
    for (const MarginalError& error : errors->largest)
      add_error("largest", columns_of(report_, error), &error);
  }

  void add_mean(const SynthParity& parity, size_t column) {
    const GroupMeans& real = parity.real_means[column];
    const GroupMeans& synthetic = parity.synthetic_means[column];
    const double floor = parity.means->columns[column].error.scale_floor;
    FigureLine line{.kind = "mean",
                    .columns = {parity.means->columns[column].column},
                    .unit = unit_of_mean_error(real.overall, floor),
                    .real = real.overall,
                    .synthetic = synthetic.overall,
                    .error = overall_mean_error(parity, column)};
    const MeanYardsticks& yardsticks = parity.mean_yardsticks[column];
    line.bootstrap = yardsticks.bootstrap.back();
    line.second_half = yardsticks.second_half.back();
    line.num_real = num_values(real);
    add(line);
    for (size_t g = 0; g < parity.groups.size(); ++g) {
      line.group = parity.groups[g];
      line.unit = unit_of_mean_error(real.means[g], floor);
      line.real = real.means[g];
      line.synthetic = synthetic.means[g];
      line.error = mean_error(parity, column, g);
      line.bootstrap = yardsticks.bootstrap[g];
      line.second_half = yardsticks.second_half[g];
      line.num_real = real.num_records[g];
      add(line);
    }
  }

  void add_correlations(const SynthCorrelations& correlations,
                        const SynthCorrelations::Errors& errors, const GroupLabel& group) {
    FigureLine line{.kind = "correlation_mean",
                    .columns = correlations.columns,
                    .group = group,
                    .unit = "difference of correlations",
                    .error = errors.synthetic.mean,
                    .bootstrap = errors.bootstrap_mean,
                    .second_half = errors.second_half.mean,
                    .num_real = errors.fewest_records.value_or(0)};
    add(line);
    line.kind = "correlation_largest";
    line.num_real = errors.records_of_largest.value_or(0);
    line.error = errors.synthetic.largest;
    line.bootstrap = errors.bootstrap_largest;
    line.second_half = errors.second_half.largest;
    line.columns.clear();
    if (errors.synthetic.num_pairs > 0) {
      const auto [first, second] = correlations.pair(errors.synthetic.worst_pair);
      line.columns = {first, second};
    }
    add(line);
  }

  /// Of a classifier or a regression: figures of one of the groups, or of everybody.
  template <typename Learner>
  void add_learnt(const Learner& learner, std::optional<size_t> group, const GroupLabel& label) {
    const auto metrics_of = [&](const auto& learnt) -> const Metrics& {
      return group ? learnt.groups[*group] : learnt.overall;
    };
    const auto& results = learner.results;
    for (const LearntFigure& figure : figures_of(learner)) {
      const auto value = [&](const auto& learnt) {
        return estimate_of(metrics_of(learnt), figure.metric).value;
      };
      add({.kind = figure.metric,
           .columns = {learner.target},
           .group = label,
           .unit = figure.unit,
           .synthetic = value(results.synthetic),
           .bootstrap = value(results.bootstrap),
           .second_half = value(results.second_half),
           .num_real = metrics_of(results.synthetic).num_records});
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  const SynthEvaluateReport& report_;
  std::string text_ =
      "kind,columns,group,unit,real,synthetic,error,bootstrap,second_half,real_records\n";
};

}  // namespace

std::string synth_evaluate_to_csv(const SynthEvaluateReport& report) {
  FigureLines lines(report);
  lines.add_marginals({}, &report.errors, report.num_real);
  const SynthParity* parity = report.parity ? &*report.parity : nullptr;
  const size_t num_groups = parity != nullptr ? parity->groups.size() : 0;
  for (size_t g = 0; g < num_groups; ++g) {
    const std::optional<MarginalErrors>& errors = parity->errors[g];
    lines.add_marginals(parity->groups[g], errors ? &*errors : nullptr, parity->num_real[g]);
  }
  if (parity != nullptr && parity->means)
    for (size_t i = 0; i < parity->means->columns.size(); ++i) lines.add_mean(*parity, i);
  if (report.correlations) {
    const SynthCorrelations& correlations = *report.correlations;
    lines.add_correlations(correlations, correlations.everybody, {});
    for (size_t g = 0; g < num_groups; ++g)
      lines.add_correlations(correlations, correlations.groups[g], parity->groups[g]);
  }
  const auto add_learner = [&](const auto& learner) {
    lines.add_learnt(learner, {}, {});
    for (size_t g = 0; g < num_groups; ++g) lines.add_learnt(learner, g, parity->groups[g]);
  };
  if (report.classifier) add_learner(*report.classifier);
  if (report.regression) add_learner(*report.regression);
  return std::move(lines).text();
}

}  // namespace equinoise
