// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/audit/audit_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_tables.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"

namespace equinoise {

namespace {

std::vector<std::string> lead_of(const AuditReport& report) {
  if (report.logged) return {std::string(kNoGuaranteeKnown)};
  std::vector<std::string> lead = {
      fmt::format("Guarantee of the model: {}", privacy_line(report.status, report.privacy))};
  for (std::string& sentence : explain(report.protection)) lead.push_back(std::move(sentence));
  return lead;
}

/// A sentence on the figures and their records.
std::string measured_line(const AuditReport& report) {
  if (report.logged)
    return fmt::format("The predictions {} were measured by the column {}.", logged_line(report),
                       report.target);
  return fmt::format(
      "The {} model {}, trained by {} on the dataset {} to predict {}, was measured on {} of {}.",
      report.model, report.model_path, report.method, report.dataset, report.target,
      (report.held_out_only ? "the held-out " : "all ") + report.unit.plural(), report.data_path);
}

/// The figures, the worst group, the strength of privacy, and the files that may be published.
std::vector<std::string> summary_of(const AuditReport& report) {
  std::vector<std::string> summary = {measured_line(report)};
  std::vector<GroupFigures> groups;
  for (const AuditGrouping& grouping : report.groupings)
    for (size_t i = 0; i < grouping.groups.size(); ++i)
      groups.push_back({grouping.groups[i], &grouping.metrics[i]});
  std::string line = worst_group_line(groups, report.overall, report.classes.empty());
  if (report.classes.size() == 2) {
    const std::string rates =
        selection_line(groups, report.overall, report.target + " = " + report.classes[1]);
    line += (line.empty() || rates.empty() ? "" : " ") + rates;
  }
  if (!line.empty()) summary.push_back(std::move(line));
  if (report.logged) {
    summary.emplace_back(kNoGuaranteeKnown);
  } else if (report.status == PrivacyStatus::kPrivate && report.privacy && report.protection) {
    summary.push_back(strength_in_words(*report.privacy, report.protection->unit));
  } else {
    summary.emplace_back("Privacy: none. The model may reveal the records it was trained on.");
  }
  summary.emplace_back(
      "The figures are computed from records without noise: this page may not leave the house.");
  return summary;
}

void add_what_was_measured(const AuditReport& report, Document& document) {
  Items items;
  const auto add = [&](std::string item) { items.items.push_back(std::move(item)); };
  add(measured_line(report));
  if (report.reference_path) add("Reference: " + *report.reference_path);
  if (report.classes.size() == 2) add(fmt::format("Positive class: {}", report.classes[1]));
  if (!report.favourable.empty()) add(fmt::format("Favourable class: {}", report.favourable));
  if (report.weights) add(weighting_line(report));
  if (!report.unit.is_row()) add(units_line(report));
  Section& section = document.section("What was measured", Fence::kNotPrivate, Form::kShown);
  section.add(std::move(items));
  if (report.logged || !report.privacy) return;
  section
      .add(Paragraph{report.status == PrivacyStatus::kPrivate
                         ? "The model itself carries this guarantee; the figures below do not."
                         : "The noise in the model by itself would give this guarantee if nothing "
                           "else had been learnt from the records."})
      .add(Picture{html_guarantee(*report.privacy)});
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
  chart.total = {"overall", format_count(report.overall.num_records),
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
                   is_cost ? "the largest cost" : "the largest distance from the overall figure") +
         "\n";
}

/// The overall curve and those of the groups with the smallest and the largest area under the
/// curve; "" without scores.
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
  add("overall", report.overall_curves.front());
  if (report.overall_curves.front().roc.empty()) return "";
  const auto auc = std::find_if(grouping.disparities.begin(), grouping.disparities.end(),
                                [](const Disparity& disparity) {
                                  return disparity.metric == "auc" && disparity.is_defined();
                                });
  if (auc != grouping.disparities.end() && auc->lowest != auc->highest) {
    for (const size_t group : {auc->lowest, auc->highest})
      add(values_of(grouping.groups[group]), grouping.curves[group]);
    chart.title += ", overall and of the groups with the smallest and largest area";
  }
  return line_chart(chart);
}

/// Tables of single classes and of scores.
void add_details(const AuditReport& report, const AuditGrouping& grouping, std::string id,
                 Section& section) {
  section.add(class_table(report, grouping))
      .add(class_score_table(report, grouping))
      .add(class_disparity_table(report, grouping))
      .add(score_table(report, grouping))
      .add(calibration_table(report, grouping));
  for (TextTable& table : class_calibration_tables(report, grouping)) section.add(std::move(table));
  section.add(Paragraph{left_out_classes(report, grouping)})
      .add(Picture{roc_chart(report, grouping, std::move(id))});
}

void add_grouping(const AuditReport& report, size_t index, Document& document) {
  const AuditGrouping& grouping = report.groupings[index];
  const std::string heading = "Groups by " + columns_of(grouping.columns);
  const auto id = [&](std::string_view name) {
    return fmt::format("chart-{}-{}", index + 1, name);
  };
  document.section(heading, Fence::kNotPrivate, Form::kScreen)
      .add(audit_table(report, grouping))
      .add(disparity_table(grouping));
  Section& section = document.section(heading, Fence::kNotPrivate, Form::kPage);
  if (report.overall_cost) {
    const char* metric = report.classes.empty() ? "loss" : "accuracy";
    section.add(Picture{chart_of(report, grouping, id("cost"), metric, true)});
  }
  for (const std::string_view metric : shown_metrics(report.classes.size()))
    if (metric != "loss")
      section.add(Picture{chart_of(report, grouping, id(metric), metric, false)});
  section.add(disparity_table(grouping))
      .add(audit_table(report, grouping))
      .add(cost_table(costs_of(grouping), report.classes.empty()));
  add_details(report, grouping, id("roc"), section);
  if (!grouping.risk) return;
  const Items caveats{explained_caveats(grouping)};
  Section& screen = document.section("Why groups lose", Fence::kNotPrivate, Form::kScreen);
  section.add(Paragraph{explained_line(grouping)});
  for (Section* told : {&section, &screen})
    told->add(explanation_table(grouping)).add(gradient_table(grouping)).add(caveats);
}

}  // namespace

Document audit_document(const AuditReport& report) {
  Document document;
  document.title =
      fmt::format("Audit: {} on {}", report.logged ? "predictions" : report.method, report.dataset);
  document.alarms = alarms_of(report);
  document.summary = summary_of(report);
  document.lead = lead_of(report);
  document.warnings = report.warnings;
  document.files = report.files;
  add_what_was_measured(report, document);
  if (!report.thresholds.empty() || !report.ratios.empty())
    document.section("Limits", Fence::kNotPrivate, Form::kShown)
        .add(Paragraph{std::string(kHowToReadLimits)})
        .add(threshold_table(report))
        .add(ratio_table(report));
  if (!report.constraints.empty())
    document.section("Constraints", Fence::kNotPrivate, Form::kShown)
        .add(Paragraph{std::string(kHowToReadChecks)})
        .add(constraints_table(report));
  for (size_t i = 0; i < report.groupings.size(); ++i) add_grouping(report, i, document);
  if (report.groupings.empty()) {
    document.section("All records", Fence::kNotPrivate, Form::kScreen).add(audit_table(report, {}));
    Section& section = document.section("All records", Fence::kNotPrivate, Form::kPage);
    section.add(audit_table(report, {}));
    add_details(report, {}, "chart-overall-roc", section);
  }
  document.section("Reading the table", Fence::kNotPrivate, Form::kShown)
      .add(Items{report.ingest_notes});
  document.section("Notes", Fence::kNotPrivate, Form::kPage)
      .add(
          Items{{fmt::format("Bars and brackets are 95 % intervals. They cover the choice of {}{}.",
                             report.unit.plural(),
                             report.logged ? "" : ", not the noise drawn in training"),
                 fmt::format("The audit took {:.3g} s.", report.seconds)}});
  document.section("How to repeat it", Fence::kPublishable, Form::kPage)
      .add(Code{report.command})
      .add(Paragraph{"Equinoise " + report.version + "."});
  return document;
}

}  // namespace equinoise
