// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/evaluation_figures.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "equinoise/base/quotes.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

using Figures = std::vector<EvaluatedFigure>;

/// "1 column", "3 columns"
std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

void add_marginals(const GroupLabel& group, const MarginalErrors& errors, int64_t num_real,
                   Figures& figures) {
  const auto add = [&](std::string key, std::string name, std::vector<std::string> columns,
                       const Compared& error) {
    figures.push_back({.key = std::move(key),
                       .name = std::move(name),
                       .columns = std::move(columns),
                       .group = group,
                       .unit = "total variation distance (0 to 1)",
                       .figures = error,
                       .num_real = num_real});
  };
  const size_t num_degrees = errors.degrees.size();
  for (size_t d = num_degrees; d-- > 0;) {
    const DegreeError& degree = errors.degrees[d];
    add(d + 1 == num_degrees ? "workload" : fmt::format("workload_{}", degree.degree),
        fmt::format("mean of {} of {}", counted(degree.num_marginals, "marginal"),
                    counted(degree.degree, "column")),
        {}, degree.error);
  }
  for (const MarginalError& single : errors.columns)
    add("single", single.columns.front(), single.columns, single.error);
  if (num_degrees == 1) return;  // the same as those
  for (const MarginalError& set : errors.largest)
    add("largest", columns_of(set.columns), set.columns, set.error);
}

std::string unit_of_mean_error(double real_mean, double floor) {
  if (!std::isfinite(real_mean)) return "relative";
  return std::abs(real_mean) >= floor
             ? "relative to the real mean"
             : fmt::format("relative to {} (a 20th of the bounds' width)", floor);
}

void add_mean(const GroupLabel& group, const EvaluatedMean& mean, double scale_floor,
              Figures& figures) {
  figures.push_back({.key = "mean",
                     .name = "mean of " + mean.column,
                     .columns = {mean.column},
                     .group = group,
                     .unit = unit_of_mean_error(mean.real, scale_floor),
                     .real = mean.real,
                     .synthetic = mean.synthetic,
                     .figures = mean.error,
                     .num_real = mean.num_real});
}

void add_correlations(const std::vector<std::string>& columns, const EvaluatedCorrelations& errors,
                      Figures& figures) {
  const auto add = [&](std::string key, std::string name, const std::vector<std::string>& of,
                       const Compared& difference, const std::optional<int64_t>& num_real) {
    figures.push_back({.key = std::move(key),
                       .name = std::move(name),
                       .columns = of,
                       .group = errors.group,
                       .unit = "difference of correlations",
                       .figures = difference,
                       .num_real = num_real.value_or(0)});
  };
  add("correlation_mean", "mean difference of " + counted(errors.num_pairs, "correlation"), columns,
      errors.mean, errors.min_records);
  add("correlation_largest", "largest difference: " + columns_of(errors.worst_pair),
      errors.worst_pair, errors.largest, errors.records_of_worst);
}

/// The unit of a metric, in words; "" for none.
std::string unit_of(std::string_view metric, const SynthLearner& learner) {
  if (metric == "r_squared") return "";
  if (metric == "false_negative_rate") return "share of the positive";
  if (learner.is_classifier()) return "share of records";
  return learner.unit.empty() ? "units of " + learner.target : learner.unit;
}

std::string name_of_metric(std::string_view metric) {
  if (metric == "selection_rate") return "predicted positive";
  if (metric == "rmse") return "root mean squared error";
  if (metric == "mean_error") return "mean of prediction - target";
  if (metric == "r_squared") return "R squared";
  return metric_words(metric);
}

void add_metric(const SynthLearner& learner, std::string_view metric, const LearntResult& synthetic,
                const LearntResult& bootstrap, const LearntResult& second_half, Figures& figures) {
  const Estimate& estimate = estimate_of(synthetic.metrics, metric);
  const bool is_amount = !learner.is_classifier() && metric != "r_squared";
  figures.push_back({.key = std::string(metric),
                     .kind = is_amount ? FigureKind::kLearntAmount : FigureKind::kLearntShare,
                     .name = name_of_metric(metric),
                     .columns = {learner.target},
                     .group = synthetic.group,
                     .unit = unit_of(metric, learner),
                     .figures = {estimate.value, estimate_of(bootstrap.metrics, metric).value,
                                 estimate_of(second_half.metrics, metric).value},
                     .num_real = synthetic.metrics.num_records,
                     .interval = estimate.interval});
}

void add_learner(const SynthLearner& learner, Figures& figures) {
  const std::vector<LearntResult>& groups = learner.synthetic.groups;
  const auto metrics = learnt_metrics(learner.is_classifier());
  for (const std::string_view metric : metrics)
    add_metric(learner, metric, learner.synthetic, learner.bootstrap, learner.second_half, figures);
  for (size_t g = 0; g < groups.size(); ++g)
    for (const std::string_view metric : metrics)
      add_metric(learner, metric, groups[g], learner.bootstrap.groups[g],
                 learner.second_half.groups[g], figures);
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

}  // namespace

std::array<std::string_view, 3> learnt_metrics(bool is_classifier) {
  if (is_classifier) return {"accuracy", "selection_rate", "false_negative_rate"};
  return {"rmse", "mean_error", "r_squared"};
}

std::vector<EvaluatedFigure> evaluated_figures(const SynthEvaluateReport& report) {
  Figures figures;
  add_marginals({}, report.errors, report.num_real, figures);
  if (report.parity) {
    const SynthParity& parity = *report.parity;
    for (const EvaluatedGroup& group : parity.groups)
      add_marginals(group.group, group.errors, group.num_real, figures);
    for (size_t i = 0; parity.means && i < parity.means->columns.size(); ++i) {
      const EvaluatedColumn& column = parity.means->columns[i];
      add_mean({}, column.overall, column.scale_floor, figures);
      for (const EvaluatedGroup& group : parity.groups)
        add_mean(group.group, group.means[i], column.scale_floor, figures);
    }
  }
  if (report.correlations) {
    const SynthCorrelations& correlations = *report.correlations;
    add_correlations(correlations.columns, correlations.overall, figures);
    for (const EvaluatedCorrelations& group : correlations.groups)
      add_correlations(correlations.columns, group, figures);
  }
  if (report.learner) add_learner(*report.learner, figures);
  return figures;
}

std::string evaluation_to_csv(const SynthEvaluateReport& report) {
  std::string text =
      "kind,columns,group,unit,real,synthetic,error,bootstrap,second_half,real_records\n";
  for (const EvaluatedFigure& figure : evaluated_figures(report)) {
    const bool is_learnt = figure.is_learnt();
    const auto& [rows, bootstrap, second_half] = figure.figures;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", figure.key, names_cell(figure.columns),
                        label_cell(figure.group), csv_cell(figure.unit), csv_number(figure.real),
                        csv_number(is_learnt ? rows : figure.synthetic),
                        csv_number(is_learnt ? kNoFigure : rows), csv_number(bootstrap),
                        csv_number(second_half), figure.num_real);
  }
  return text;
}

}  // namespace equinoise
