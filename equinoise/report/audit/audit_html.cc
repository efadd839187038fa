// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/audit/audit_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_tables.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/markup.h"
#include "equinoise/report/training/training_tables.h"

namespace equinoise {

namespace {

std::string what_was_done(const AuditReport& report) {
  std::string body = html_paragraph(
      report.logged
          ? fmt::format("The predictions {} were measured by the column {}.", logged_line(report),
                        report.target)
          : fmt::format("The {} model {}, trained by {} on the dataset {} to predict {}, was "
                        "measured on {} of {}.",
                        report.model, report.model_path, report.method, report.dataset,
                        report.target,
                        (report.held_out_only ? "the held-out " : "all ") + report.unit.plural(),
                        report.data_path));
  if (report.classes.size() == 2) {
    body += html_paragraph(
        fmt::format("{} is the positive class, to which all rates refer.", report.classes[1]));
  }
  if (!report.favourable.empty()) {
    body += html_paragraph(fmt::format(
        "{} is the favourable class, the one that is good for a person.", report.favourable));
  }
  if (report.weights) body += html_paragraph(weighting_line(report));
  if (!report.unit.is_row()) body += html_paragraph(units_line(report));
  if (report.reference_path)
    body += html_paragraph("It is compared with the reference " + *report.reference_path + ".");
  if (report.logged) {
    body += html_paragraph(kNoGuaranteeKnown);
  } else if (report.privacy) {
    body +=
        html_paragraph(report.status == PrivacyStatus::kPrivate
                           ? "The model itself carries this guarantee; the figures below do not:"
                           : "The noise in the model by itself would give this guarantee if "
                             "nothing else had been learnt from the records:");
    body += html_guarantee(*report.privacy, explain(report.protection));
  } else {
    body += html_paragraph("The model carries no privacy guarantee.");
  }
  return html_section("What was measured", Fence::kNotPrivate, body);
}

std::string axis_label_of(const AuditReport& report, std::string_view metric) {
  if (is_share(metric)) return metric_words(metric) + ", percent";
  if (metric == "loss") return "mean loss";
  return metric_words(metric) + ", in units of " + report.target;
}

std::string title_of(std::string_view metric) {
  std::string title = metric_words(metric);
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

/// A chart of one estimate of each group.
std::string chart_of(const AuditReport& report, const AuditGrouping& grouping, std::string id,
                     std::string_view metric, bool is_cost) {
  const std::string columns = columns_of(grouping.columns);
  DotChart chart{.id = std::move(id),
                 .title = title_of(metric) + " by " + columns,
                 .metric = std::string(metric),
                 .axis_label = axis_label_of(report, metric),
                 .name_head = columns,
                 .size_head = "tested",
                 .rows = {},
                 .total = {},
                 .compares_with_zero = is_cost || metric == "mean_error"};
  const auto estimate = [&](const Metrics& metrics, const Cost& cost) {
    if (!is_cost) return estimate_of(metrics, metric);
    return metric == "loss" ? cost.loss : cost.accuracy;
  };
  if (is_cost && metric == "loss") {
    chart.title = "Loss above the reference by " + columns;
    chart.axis_label = "mean loss above that of the reference (right of 0: worse)";
  } else if (is_cost) {
    chart.title = "Accuracy below the reference by " + columns;
    chart.axis_label = "accuracy below the reference, percentage points (right of 0: worse)";
  }
  chart.total = {"everybody", format_count(report.overall.num_records),
                 estimate(report.overall, report.overall_cost.value_or(Cost()))};
  std::vector<double> weights;
  for (size_t i = 0; i < grouping.groups.size(); ++i) {
    chart.rows.push_back(
        {values_of(grouping.groups[i]), format_count(grouping.metrics[i].num_records),
         estimate(grouping.metrics[i], grouping.cost.empty() ? Cost() : grouping.cost[i])});
    const double value = chart.rows.back().estimate.value;
    weights.push_back(is_cost ? value : std::fabs(value - chart.total.estimate.value));
  }
  return dot_chart(chart, weights,
                   is_cost ? "the largest cost" : "the largest distance from everybody") +
         "\n";
}

/// The curve of everybody and those of the groups with the smallest and the largest area under
/// theirs; "" without scores.
std::string roc_chart(const AuditReport& report, const AuditGrouping& grouping, std::string id) {
  if (report.overall_curves.empty()) return "";
  LineChart chart{.id = std::move(id),
                  .title = "Receiver operating characteristic",
                  .description = "True positive rates by false positive rates at all thresholds",
                  .axis_label = "false positive rate",
                  .lines = {},
                  .up_label = "true positive rate"};
  const auto add = [&](std::string name, const ScoreCurves& curves) {
    Line& line = chart.lines.emplace_back(Line{std::move(name), {{0, 0}}});
    for (const RocPoint& point : curves.roc)
      line.points.emplace_back(point.false_positive_rate, point.true_positive_rate);
  };
  add("everybody", report.overall_curves.front());
  if (report.overall_curves.front().roc.empty()) return "";
  const auto auc = std::find_if(grouping.disparities.begin(), grouping.disparities.end(),
                                [](const Disparity& disparity) {
                                  return disparity.metric == "auc" && disparity.is_defined();
                                });
  if (auc != grouping.disparities.end() && auc->lowest != auc->highest) {
    for (const size_t group : {auc->lowest, auc->highest})
      add(values_of(grouping.groups[group]), grouping.curves[group]);
    chart.title += " of everybody and of the groups with the smallest and largest area";
  }
  return line_chart(chart);
}

/// What is known of single classes and of scores; "" where there is nothing.
std::string html_details(const AuditReport& report, const AuditGrouping& grouping, std::string id) {
  std::string body;
  std::vector<TextTable> tables = {
      class_table(report, grouping), class_score_table(report, grouping),
      class_disparity_table(report, grouping), score_table(report, grouping),
      calibration_table(report, grouping)};
  for (TextTable& table : class_calibration_tables(report, grouping))
    tables.push_back(std::move(table));
  for (const TextTable& table : tables)
    if (!table.rows.empty()) body += html_table(table);
  if (const std::string note = left_out_classes(report, grouping); !note.empty())
    body += html_paragraph(note);
  return body + roc_chart(report, grouping, std::move(id));
}

std::string grouping_section(const AuditReport& report, size_t index) {
  const AuditGrouping& grouping = report.groupings[index];
  const auto id = [&](std::string_view name) {
    return fmt::format("chart-{}-{}", index + 1, name);
  };
  std::string body;
  if (report.overall_cost) {
    body +=
        chart_of(report, grouping, id("cost"), report.classes.empty() ? "loss" : "accuracy", true);
  }
  for (const std::string_view metric : shown_metrics(report.classes.size()))
    if (metric != "loss") body += chart_of(report, grouping, id(metric), metric, false);
  if (!grouping.disparities.empty()) body += html_table(disparity_table(grouping));
  body += html_table(audit_table(report, grouping)) +
          html_costs(costs_of(grouping), report.classes.empty()) +
          html_details(report, grouping, id("roc"));
  if (grouping.risk) {
    body += html_table(explanation_table(grouping)) + html_table(gradient_table(grouping)) + "<p>" +
            escape_markup(explained_line(grouping)) + "</p>\n";
  }
  return html_section("Groups by " + columns_of(grouping.columns), Fence::kNotPrivate, body);
}

}  // namespace

std::string audit_to_html(const AuditReport& report) {
  std::string body = html_banner() + html_warnings(alarms_of(report), report.warnings);
  body += what_was_done(report);
  if (!report.thresholds.empty() || !report.ratios.empty()) {
    std::string limits = html_paragraph(kHowToReadLimits);
    for (const TextTable& table : {threshold_table(report), ratio_table(report)})
      if (!table.rows.empty()) limits += html_table(table);
    body += html_section("Limits", Fence::kNotPrivate, limits);
  }
  if (!report.constraints.empty()) {
    body += html_section("Constraints", Fence::kNotPrivate,
                         html_paragraph(kHowToReadChecks) + html_table(constraints_table(report)));
  }
  for (size_t i = 0; i < report.groupings.size(); ++i) body += grouping_section(report, i);
  if (report.groupings.empty()) {
    body += html_section(
        "Everybody", Fence::kNotPrivate,
        html_table(audit_table(report, {})) + html_details(report, {}, "chart-everybody-roc"));
  }
  std::vector<std::string> notes = report.ingest_notes;
  notes.push_back(
      fmt::format("Bars and brackets are 95 % intervals. They cover the choice of {}{}.",
                  report.unit.plural(), report.logged ? "" : ", not the noise drawn in training"));
  notes.push_back(fmt::format("The audit took {:.3g} s.", report.seconds));
  body += html_section("Notes", Fence::kNotPrivate, html_list(notes));
  body += html_repeat(report.command, report.version, report.files);
  return html_page(
      fmt::format("Audit: {} on {}", report.logged ? "predictions" : report.method, report.dataset),
      body);
}

}  // namespace equinoise
