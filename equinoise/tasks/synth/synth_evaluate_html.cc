// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_html.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/report/format.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/tasks/synth/synth_evaluate_tables.h"

namespace equinoise {

namespace {

constexpr const char* kMarginalAxis =
    "half the L1 distance of the normalised counts, 0 to 1; tick: a bootstrap of the real rows";

DotRow error_row(std::string name, std::string size, const std::optional<double>& error,
                 double bootstrap) {
  DotRow row{std::move(name), std::move(size), {}};
  if (error) row.estimate.value = *error;
  row.yardstick = bootstrap;
  return row;
}

double tick(const std::optional<double>& yardstick) {
  return yardstick.value_or(DotRow().yardstick);
}

/// A chart of errors, each of a row.
std::string error_chart(DotChart chart) {
  chart.compares_with_zero = true;
  chart.kind = DotKind::kErrors;
  std::vector<double> weights;
  for (const DotRow& row : chart.rows) weights.push_back(row.estimate.value);
  return dot_chart(std::move(chart), weights, "the largest errors") + "\n";
}

std::string what_was_compared(const SynthEvaluateRequest& request,
                              const SynthEvaluateReport& report) {
  std::string body = html_paragraph(
      fmt::format("{} synthetic rows of {} were compared with {} real records of {}.",
                  format_count(report.num_synthetic), request.synthetic.name(),
                  format_count(report.num_real), request.real.name()));
  body += html_paragraph(fmt::format(
      "Workload error {}, averaged over {} marginals of {} columns; a bootstrap of the real rows "
      "{}{}.",
      error_figure(report.errors.workload_error), format_count(report.num_marginals), report.degree,
      error_figure(report.errors.bootstrap), complete_cases(report)));
  body += html_paragraph(how_to_read_marginals());
  body += html_table(degrees_table(report));
  for (const std::string& line : {weights_line(request, report), units_line(report)})
    if (!line.empty()) body += html_paragraph(line);
  return html_section("What was compared", Fence::kNotPrivate, body);
}

std::string columns_section(const SynthEvaluateReport& report) {
  DotChart chart{.id = "columns",
                 .title = "Errors of single columns",
                 .metric = "error",
                 .axis_label = kMarginalAxis,
                 .name_head = "column",
                 .size_head = "",
                 .rows = {},
                 .total = {}};
  double error = 0;
  double bootstrap = 0;
  const auto num_columns = static_cast<double>(report.errors.columns.size());
  for (const MarginalError& column : report.errors.columns) {
    chart.rows.push_back(
        error_row(columns_of(report, column).front(), "", column.error, column.bootstrap));
    error += column.error / num_columns;
    bootstrap += column.bootstrap / num_columns;
  }
  chart.total = error_row("mean of all columns", "", error, bootstrap);
  return html_section("Single columns", Fence::kNotPrivate,
                      error_chart(std::move(chart)) + html_table(columns_table(report)));
}

std::string largest_section(const SynthEvaluateReport& report) {
  const MarginalErrors& errors = report.errors;
  DotChart chart{.id = "marginals",
                 .title = fmt::format("Largest errors of marginals of {} columns", report.degree),
                 .metric = "error",
                 .axis_label = kMarginalAxis,
                 .name_head = "columns",
                 .size_head = "",
                 .rows = {},
                 .total = error_row(
                     fmt::format("mean of all {} marginals", format_count(report.num_marginals)),
                     "", errors.workload_error, errors.bootstrap)};
  for (const MarginalError& error : errors.largest) {
    chart.rows.push_back(
        error_row(columns_of(columns_of(report, error)), "", error.error, error.bootstrap));
  }
  return html_section(fmt::format("Marginals of {} columns", report.degree), Fence::kNotPrivate,
                      error_chart(std::move(chart)) + html_table(largest_table(report)));
}

std::string groups_section(const SynthEvaluateReport& report) {
  const SynthParity& parity = *report.parity;
  const std::string by = columns_of(parity.by);
  DotChart chart{.id = "groups",
                 .title = "Workload error by " + by,
                 .metric = "error",
                 .axis_label = kMarginalAxis,
                 .name_head = by,
                 .size_head = "real",
                 .rows = {},
                 .total = error_row("everybody", format_count(report.num_real),
                                    report.errors.workload_error, report.errors.bootstrap)};
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    const std::optional<MarginalErrors>& errors = parity.errors[g];
    DotRow row{values_of(parity.groups[g]), format_count(parity.num_real[g]), {}};
    if (errors) row = error_row(row.name, row.size, errors->workload_error, errors->bootstrap);
    chart.rows.push_back(std::move(row));
  }
  std::string body = error_chart(std::move(chart)) + html_table(parity_table(parity, false)) +
                     html_table(group_columns_table(report)) +
                     html_table(group_largest_table(report)) + html_list(parity_lines(parity));
  return html_section("Groups by " + by, Fence::kNotPrivate, body);
}

std::string means_section(const SynthParity& parity) {
  std::string body = html_paragraph(kHowToReadMeans);
  for (size_t i = 0; i < parity.means->columns.size(); ++i) {
    const std::string& column = parity.means->columns[i].column;
    DotChart chart{.id = fmt::format("mean-{}", i + 1),
                   .title = "Error of the mean of " + column,
                   .metric = "error",
                   .axis_label = "relative error of the mean; tick: a bootstrap of the real rows",
                   .name_head = columns_of(parity.by),
                   .size_head = "with a value",
                   .rows = {},
                   .total = error_row("everybody", format_count(num_values(parity.real_means[i])),
                                      overall_mean_error(parity, i),
                                      tick(parity.mean_yardsticks[i].bootstrap.back()))};
    for (size_t g = 0; g < parity.groups.size(); ++g) {
      chart.rows.push_back(
          error_row(values_of(parity.groups[g]), format_count(parity.real_means[i].num_records[g]),
                    mean_error(parity, i, g), tick(parity.mean_yardsticks[i].bootstrap[g])));
    }
    body += error_chart(std::move(chart)) + html_table(means_table(parity, i));
  }
  return html_section("Means of numeric columns by " + columns_of(parity.by), Fence::kNotPrivate,
                      body);
}

std::string rate_chart(const SynthClassifier& classifier, const SynthParity& parity,
                       std::string_view metric, std::string_view title) {
  const DownstreamClassifier& result = classifier.results.synthetic;
  const std::string by = columns_of(parity.by);
  const auto row = [&](std::string name, const Metrics& metrics) {
    return DotRow{std::move(name), format_count(metrics.num_records), estimate_of(metrics, metric)};
  };
  DotChart chart{.id = fmt::format("classifier-{}", metric),
                 .title = fmt::format("{} by {}", title, by),
                 .metric = std::string(metric),
                 .axis_label = metric_words(metric) + ", percent",
                 .name_head = by,
                 .size_head = "tested",
                 .rows = {},
                 .total = row("everybody", result.overall)};
  std::vector<double> sizes;
  for (size_t g = 0; g < result.groups.size(); ++g) {
    chart.rows.push_back(row(values_of(parity.groups[g]), result.groups[g]));
    sizes.push_back(static_cast<double>(result.groups[g].num_records));
  }
  return dot_chart(std::move(chart), sizes, "the most records") + "\n";
}

std::string classifier_section(const SynthClassifier& classifier, const SynthParity* parity) {
  std::string body = html_paragraph(
      "Logistic regression on the synthetic rows predicts the real records. Shares are of these "
      "records, 0 to 1. Charts are of what the synthetic rows taught.");
  body += html_paragraph(kHowToReadLearnt);
  if (parity != nullptr) {
    for (const auto& [metric, title] :
         {std::pair("accuracy", "Accuracy"), std::pair("selection_rate", "Predicted positive"),
          std::pair("false_negative_rate", "False negative rate")})
      body += rate_chart(classifier, *parity, metric, title);
  }
  for (const LearntFigure& figure : figures_of(classifier))
    body += html_table(learnt_table(classifier, figure, parity));
  std::vector<std::string> lines = records_lines(classifier.target, classifier.records,
                                                 classifier.results.synthetic.overall.num_records);
  for (std::string& line : classifier_lines(classifier, parity)) lines.push_back(std::move(line));
  if (!lines.empty()) body += html_list(lines);
  return html_section(fmt::format("Classifier of {}", classifier.target), Fence::kNotPrivate, body);
}

std::string correlations_section(const SynthEvaluateReport& report) {
  const std::string body = html_paragraph(kHowToReadCorrelations) +
                           html_table(correlations_table(report)) +
                           html_table(largest_correlations_table(*report.correlations));
  return html_section("Correlations", Fence::kNotPrivate, body);
}

std::string regression_section(const SynthRegression& regression, const SynthParity* parity) {
  std::string body = html_paragraph(
      "Linear regression on the synthetic rows predicts the real records, within the bounds of the "
      "target.");
  body += html_paragraph(kHowToReadLearnt);
  for (const LearntFigure& figure : figures_of(regression))
    body += html_table(learnt_table(regression, figure, parity));
  const auto lines = records_lines(regression.target, regression.records,
                                   regression.results.synthetic.overall.num_records);
  if (!lines.empty()) body += html_list(lines);
  return html_section(fmt::format("Regression of {}", regression.target), Fence::kNotPrivate, body);
}

}  // namespace

std::string synth_evaluate_to_html(const SynthEvaluateRequest& request,
                                   const SynthEvaluateReport& report) {
  const SynthParity* parity = report.parity ? &*report.parity : nullptr;
  std::string body =
      html_banner() +
      html_warnings({"NOT PRIVATE: every figure compares with the real records without noise."},
                    {});
  body += what_was_compared(request, report) + columns_section(report);
  if (report.degree > 1) body += largest_section(report);
  if (parity != nullptr) body += groups_section(report);
  if (parity != nullptr && parity->means) body += means_section(*parity);
  if (report.correlations) body += correlations_section(report);
  if (report.regression) body += regression_section(*report.regression, parity);
  if (report.classifier) body += classifier_section(*report.classifier, parity);
  std::vector<std::string> notes = report.ingest_notes;
  notes.push_back(fmt::format("The comparison took {:.3g} s.", report.seconds));
  body += html_section("Notes", Fence::kNotPrivate, html_list(notes));
  body += html_repeat(request.command, EQUINOISE_VERSION, report.files);
  return html_page("Synthetic rows compared with real records", body);
}

}  // namespace equinoise
