// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/private_group_rates.h"
#include "equinoise/base/lists.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/release_page.h"

namespace equinoise {

namespace {

/// An explanation of both tables.
constexpr std::string_view kHowToReadLimits =
    "Differences are of the highest and the lowest group, ratios of the lowest and the highest. "
    "Intervals are for the largest difference, or the smallest ratio, of any two groups. A limit "
    "holds or fails if the whole interval says so, and is unclear otherwise; it is not answerable "
    "if the figure of a group with records is undefined, or if all rates of a ratio are 0.";

/// "accuracy, points", "rmse": the unit of differences of a metric.
std::string difference_of(std::string_view metric) {
  return metric_words(metric) + (is_share(metric) ? ", points" : "");
}

/// The difference in the unit of difference_of.
double in_points(std::string_view metric, double difference) {
  return is_share(metric) ? 100 * difference : difference;
}

std::string format_ratio(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "-";
}

/// The most rows of a table about single classes; report.json has all.
constexpr size_t kMaxClassRows = 120;

/// "selection_rate", "selection_rate of gold"
std::string with_class(std::string metric, const std::string& of_class) {
  return of_class.empty() ? metric : metric + " of " + of_class;
}

/// The rates of single classes that are shown.
constexpr std::array<std::string_view, 4> kClassRates = {"selection_rate", "true_positive_rate",
                                                         "false_positive_rate", "precision"};
/// The figures of single classes' probabilities that are shown.
constexpr std::array<std::string_view, 2> kClassScores = {"auc", "calibration_gap"};

bool fits_class_table(const AuditReport& report, const AuditGrouping& grouping) {
  return report.overall.metrics.classes.size() * (grouping.groups.size() + 1) <= kMaxClassRows;
}

/// The metrics of audit_table; logged predictions may have no loss.
std::vector<std::string_view> metrics_of(const AuditReport& report) {
  std::vector<std::string_view> metrics;
  for (const std::string_view metric : shown_metrics(report.classes.size()))
    if (metric != "loss" || !report.logged || report.logged->has_probabilities())
      metrics.push_back(metric);
  return metrics;
}

std::string name_of(const std::optional<GroupLabel>& group) {
  return group ? values_of(*group) : "-";
}

/// Lists the groups that a row leaves out; nothing if there are none.
void add_left_out(const std::vector<std::string>& left_out, TextTable& table) {
  const bool any =
      std::ranges::any_of(left_out, [](const std::string& groups) { return !groups.empty(); });
  if (!any) return;
  table.head.emplace_back("left out");
  for (size_t i = 0; i < left_out.size(); ++i)
    table.rows[i].push_back(left_out[i].empty() ? "-" : left_out[i]);
}

/// The groups of one grouping, then all records.
std::vector<GroupFigures> figures_of(const AuditReport& report, const AuditGrouping& grouping) {
  std::vector<GroupFigures> rows;
  const auto add = [&](const GroupLabel& group, const AuditedRecords& records) {
    rows.push_back({group, records.metrics, records.cost.value_or(Cost())});
  };
  for (size_t i = 0; i < grouping.groups.size(); ++i) add(grouping.groups[i], grouping.figures[i]);
  add({}, report.overall);
  return rows;
}

std::string num_tested(const GroupFigures& row) { return format_count(row.metrics.num_records); }

/// "positive", or with units "positive, rows", because these counts are of rows.
std::string count_of_rows(const AuditReport& report, std::string_view head) {
  return fmt::format("{}{}", head, report.unit.is_row() ? "" : ", rows");
}

/// "-" if a prediction is missing, because records are then not counted.
std::string format_positives(const Metrics& found) {
  const bool is_counted = found.num_records == 0 || std::isfinite(found.selection_rate.value);
  return is_counted ? format_count(found.num_positives) : "-";
}

/// The figures of each class in each group and overall. No rows for a target without several
/// classes, or with too many for a table. NOT PRIVATE.
TextTable figures_of_classes(const AuditReport& report, const AuditGrouping& grouping,
                             std::string_view caption, std::span<const std::string_view> metrics) {
  const std::string columns = columns_of(grouping.columns);
  TextTable table{
      columns.empty() ? std::string(caption) : fmt::format("{}, by {}", caption, columns),
      {report.target, name_of_records(columns, report.unit.plural()), "tested",
       count_of_rows(report, "of the class")}};
  table.num_left = 2;
  if (report.overall.metrics.classes.empty() || !fits_class_table(report, grouping)) return table;
  for (const std::string_view metric : metrics) table.head.push_back(head_of(metric));
  for (size_t k = 0; k < report.overall.metrics.classes.size(); ++k) {
    for (const GroupFigures& of : figures_of(report, grouping)) {
      const Metrics found = class_metrics(of.metrics, k);
      std::vector<std::string>& row = table.rows.emplace_back(
          std::vector{report.classes[k], values_of(of.group), format_count(found.num_records),
                      format_count(found.num_positives)});
      for (const std::string_view metric : metrics) {
        const Estimate& estimate = estimate_of(found, metric);
        row.push_back(Precision(metric, estimate).format(estimate));
      }
    }
  }
  return table;
}

using Bins = std::span<const CalibrationBin>;

/// The bins of one positive class: those that `bins_of` returns for records, or none.
TextTable bins_table(const AuditReport& report, std::string caption, const AuditGrouping& grouping,
                     const std::function<Bins(const AuditedRecords&)>& bins_of) {
  TextTable table{std::move(caption),
                  {"predicted", name_of_records(columns_of(grouping.columns), report.unit.plural()),
                   count_of_rows(report, "tested"), "mean predicted", "share [95 %]"}};
  table.num_left = 2;
  for (size_t bin = 0; bin < bins_of(report.overall).size(); ++bin) {
    const auto add_row = [&](const GroupLabel& group, const AuditedRecords& records) {
      const Bins bins = bins_of(records);
      if (bins.empty() || bins[bin].num_records == 0) return;
      const CalibrationBin& found = bins[bin];
      table.rows.push_back({fmt::format("{:.1f} to {:.1f}", found.low, found.high),
                            values_of(group), format_count(found.num_records),
                            format_percent(found.mean_probability),
                            Precision("accuracy", found.share).format(found.share)});
    };
    for (size_t i = 0; i < grouping.groups.size(); ++i)
      add_row(grouping.groups[i], grouping.figures[i]);
    add_row({}, report.overall);
  }
  return table;
}

/// The limits on differences, or on ratios, and whether they hold. NOT PRIVATE.
TextTable limits_table(const AuditReport& report, bool are_ratios) {
  const std::vector<AuditLimit>& limits = are_ratios ? report.ratios : report.thresholds;
  TextTable table{
      are_ratios ? "Ratios between groups and their limits"
                 : "Differences between groups and their limits",
      {are_ratios ? "rate" : "metric", "groups by", "result", "lowest", "highest",
       are_ratios ? "ratio [95 %]" : "difference [95 %]", are_ratios ? "at least" : "at most"},
      {},
      5};
  std::vector<std::string> left_out;
  for (const AuditLimit& limit : limits) {
    const GroupCheck& check = limit.check;
    // No value is rounded to 0, and the limit keeps all digits of the request.
    const auto figure = [&](double value) {
      return are_ratios ? format_ratio(value) : format_amount(in_points(limit.metric, value));
    };
    const std::string unit = !are_ratios && is_share(limit.metric) ? ", points" : "";
    table.rows.push_back(
        {figure_of(report, limit) + unit, columns_of(limit.columns),
         check.verdict == LimitVerdict::kFails ? "FAILS" : std::string(to_string(check.verdict)),
         name_of(limit.groups.lowest), name_of(limit.groups.highest),
         std::isfinite(check.value)
             ? fmt::format("{} [{}, {}]", figure(check.value), figure(check.interval.low),
                           figure(check.interval.high))
             : "-",
         fmt::format("{:.15g}", are_ratios ? limit.limit : in_points(limit.metric, limit.limit))});
    left_out.push_back(list_groups(limit.groups.left_out));
  }
  add_left_out(left_out, table);
  return table;
}

/// The groups of an audit, then the overall row. NOT PRIVATE.
TextTable audit_table(const AuditReport& report, const AuditGrouping& grouping) {
  const std::vector<GroupFigures> rows = figures_of(report, grouping);
  const std::string columns = columns_of(grouping.columns);
  TextTable table =
      figures_table(caption_of(columns), name_of_records(columns, report.unit.plural()), rows);
  add_column("tested", rows, num_tested, table);
  if (report.weights) {
    const auto weight = [&](const GroupFigures& row) {
      return format_percent(row.metrics.weight / report.overall.metrics.weight);
    };
    add_column("weight %", rows, weight, table);
  }
  add_metrics(metrics_of(report), rows, table);
  if (report.overall.cost) add_cost(report.classes.empty(), false, rows, table);
  return table;
}

/// The disparities between the groups of an audit. NOT PRIVATE.
TextTable disparity_table(const AuditGrouping& grouping) {
  TextTable table{"Differences between the groups by " + columns_of(grouping.columns),
                  {"metric", "lowest", "highest", "difference [95 %]", "to overall", "ratio",
                   "ratio to overall"}};
  table.num_left = 3;
  std::vector<std::string> left_out;
  for (const Disparity& disparity : grouping.disparities) {
    const Precision precision(disparity.metric, disparity.difference_between_groups);
    const GroupExtremes groups = extremes_in(grouping.groups, disparity, disparity.is_defined());
    table.rows.push_back(
        {difference_of(disparity.metric), name_of(groups.lowest), name_of(groups.highest),
         precision.format(disparity.difference_between_groups),
         precision.format(disparity.difference_to_overall),
         format_ratio(disparity.ratio_between_groups), format_ratio(disparity.ratio_to_overall)});
    left_out.push_back(list_groups(groups.left_out));
  }
  add_left_out(left_out, table);
  return table;
}

/// The quality of the probabilities of each class. No rows without probabilities. NOT PRIVATE.
TextTable class_score_table(const AuditReport& report, const AuditGrouping& grouping) {
  if (report.overall.class_curves.empty()) return {};
  return figures_of_classes(report, grouping, "Probabilities of each class", kClassScores);
}

/// The disparities between groups in these figures. No rows as in figures_of_classes. NOT PRIVATE.
TextTable class_disparity_table(const AuditReport& report, const AuditGrouping& grouping) {
  TextTable table{"Differences in each class between the groups by " + columns_of(grouping.columns),
                  {report.target, "figure", "lowest", "highest", "difference [95 %]", "ratio"}};
  table.num_left = 4;
  if (!fits_class_table(report, grouping)) return table;
  std::vector<std::string> left_out;
  for (size_t k = 0; k < grouping.class_disparities.size(); ++k) {
    for (const Disparity& disparity : grouping.class_disparities[k]) {
      if (!contains(kClassRates, disparity.metric) && !contains(kClassScores, disparity.metric))
        continue;
      const Precision precision(disparity.metric, disparity.difference_between_groups);
      const GroupExtremes groups = extremes_in(grouping.groups, disparity, disparity.is_defined());
      table.rows.push_back({report.classes[k], difference_of(disparity.metric),
                            name_of(groups.lowest), name_of(groups.highest),
                            precision.format(disparity.difference_between_groups),
                            format_ratio(disparity.ratio_between_groups)});
      left_out.push_back(list_groups(groups.left_out));
    }
  }
  add_left_out(left_out, table);
  return table;
}

/// A sentence on rates of single classes that are missing from the tables; "" if none are.
std::string left_out_classes(const AuditReport& report, const AuditGrouping& grouping) {
  if (report.classes.size() > kMaxCountedClasses) {
    return fmt::format(
        "There are no rates of single classes: the target has {} of them, more than "
        "{}.",
        format_count(std::ssize(report.classes)), kMaxCountedClasses);
  }
  if (report.overall.metrics.classes.empty() || fits_class_table(report, grouping)) return "";
  return "The rates of single classes are too many for a table; report.json and --json have them.";
}

/// The quality of the order in which scores put the records of each group, and their calibration.
/// No rows without scores. NOT PRIVATE.
TextTable score_table(const AuditReport& report, const AuditGrouping& grouping) {
  if (!report.overall.curves) return {};
  const std::vector<GroupFigures> rows = figures_of(report, grouping);
  const std::string columns = columns_of(grouping.columns);
  TextTable table = figures_table("Scores" + (columns.empty() ? "" : " of groups by " + columns),
                                  name_of_records(columns, report.unit.plural()), rows);
  const auto positives = [](const GroupFigures& row) { return format_positives(row.metrics); };
  add_column("tested", rows, num_tested, table);
  add_column(count_of_rows(report, "positive"), rows, positives, table);
  add_metrics({"auc"}, rows, table);
  if (!report.logged || report.logged->has_probabilities())
    add_metrics({"calibration_gap"}, rows, table);
  return table;
}

/// Predicted probabilities and shares of the positive class, by bin. No rows without probabilities.
/// NOT PRIVATE.
TextTable calibration_table(const AuditReport& report, const AuditGrouping& grouping) {
  return bins_table(report, "Share of the positive by predicted probability, percent [95 %]",
                    grouping, [](const AuditedRecords& records) {
                      return records.curves ? Bins(records.curves->calibration) : Bins();
                    });
}

/// The same for each of several classes. Empty without probabilities, or if there are too many
/// classes for tables.
std::vector<TextTable> class_calibration_tables(const AuditReport& report,
                                                const AuditGrouping& grouping) {
  std::vector<TextTable> tables;
  if (!fits_class_table(report, grouping)) return tables;
  for (size_t k = 0; k < report.overall.class_curves.size(); ++k) {
    tables.push_back(bins_table(
        report,
        fmt::format("Share of class {} by its predicted probability, percent [95 %]",
                    report.classes[k]),
        grouping, [k](const AuditedRecords& records) {
          return records.class_curves.empty() ? Bins() : Bins(records.class_curves[k].calibration);
        }));
  }
  return tables;
}

/// The reasons why the groups of an audit lose: the effect of a step of training on each group's
/// loss, by cause. NOT PRIVATE.
TextTable explanation_table(const AuditGrouping& grouping) {
  TextTable table{"Effect of one training step on the loss of groups by " +
                      columns_of(grouping.columns) + "; positive values are worse",
                  {columns_of(grouping.columns), "without privacy", "clipping", "length first",
                   "direction last", "direction first", "length last", "noise [standard error]"}};
  for (size_t i = 0; i < grouping.groups.size(); ++i) {
    const GroupRisk& risk = grouping.risk->groups[i];
    if (risk.num_records == 0) continue;
    const double error = risk.hessian_trace.value != 0
                             ? std::fabs(risk.noise) * risk.hessian_trace.standard_error /
                                   std::fabs(risk.hessian_trace.value)
                             : 0;
    table.rows.push_back(
        {values_of(grouping.groups[i]), format_change(risk.non_private_change),
         format_change(risk.clip), format_change(risk.magnitude), format_change(risk.direction),
         format_change(risk.direction_first), format_change(risk.magnitude_last),
         std::isfinite(error) ? fmt::format("{:+.3g} [{:.1g}]", risk.noise, error) : "-"});
  }
  return table;
}

/// The step that an audit explains, and whether it is too long for the second order to be
/// meaningful.
std::string explained_line(const AuditGrouping& grouping) {
  const ExplainedStep& step = grouping.explained;
  return fmt::format(
      "These figures are for one step along the mean gradient of the audited records: learning "
      "rate {:.4g}, {}, noise {:.3g} on each entry of the mean gradient. Positive values are "
      "worse; they are accurate to second order. {}",
      step.learning_rate, step.clip, step.noise_stddev, clipping_columns_line());
}

/// The gradients and Hessians of that step. NOT PRIVATE.
TextTable gradient_table(const AuditGrouping& grouping) {
  TextTable table{"Gradients and curvature of groups by " + columns_of(grouping.columns),
                  {columns_of(grouping.columns), "records", "gradient norm", "degrees to the step",
                   "after clipping", "trace", "largest eigenvalue", "smallest"}};
  const auto degrees = [](double cosine) {
    return std::isfinite(cosine) ? fmt::format("{:.1f}", std::acos(std::clamp(cosine, -1.0, 1.0)) *
                                                             180 / std::numbers::pi)
                                 : "-";
  };
  for (size_t i = 0; i < grouping.groups.size(); ++i) {
    const GroupRisk& risk = grouping.risk->groups[i];
    if (risk.num_records == 0) continue;
    table.rows.push_back({values_of(grouping.groups[i]), format_count(risk.num_records),
                          format_size_of(risk.gradient_norm), degrees(risk.cos_unclipped),
                          degrees(risk.cos_clipped), format_size_of(risk.hessian_trace.value),
                          format_size_of(risk.eigenvalues.largest),
                          format_size_of(risk.eigenvalues.smallest)});
  }
  return table;
}

/// The source of logged predictions: "in decisions.csv (column approved)".
std::string logged_line(const AuditReport& report) {
  const LoggedPredictions& logged = *report.logged;
  std::string line = fmt::format("in {}", report.data_path);
  std::vector<std::string> columns;
  if (!logged.prediction.empty()) columns.push_back("column " + logged.prediction);
  const std::string& scores = logged.probability.empty() ? logged.score : logged.probability;
  const std::string from =
      logged.threshold ? fmt::format(", positive from {:.15g} on", *logged.threshold) : "";
  if (!scores.empty()) columns.push_back("column " + scores + from);
  if (!logged.probabilities.empty()) {
    columns.push_back(
        fmt::format("probabilities in columns {}{}", fmt::join(logged.probabilities, ", "), from));
  }
  return fmt::format("{} ({})", line, fmt::join(columns, "; "));
}

/// The weights of records and their effect on figures and intervals; "" without weights.
std::string weighting_line(const AuditReport& report) {
  if (!report.weights) return "";
  return fmt::format(
      "Weights: column {}. Every rate, mean, difference, limit and interval is of records by their "
      "weights; counts are of records. Intervals take records as drawn independently: clusters and "
      "strata of a survey's sample are not known.",
      report.weights->column);
}

/// The way in which units of several rows count, as in Metrics; "" if each row is a unit.
std::string units_line(const AuditReport& report) {
  if (report.unit.is_row()) return "";
  return fmt::format(
      "Units: each {0} counts as one, by the mean of its rows, of which at most {1} count, and is "
      "in the group of most of them. Intervals take units as drawn independently, not their rows.",
      report.unit.name, report.unit.max_records);
}

/// The values of the audited model's constraints, from training and from the request. NOT PRIVATE.
TextTable constraints_table(const AuditReport& report) {
  TextTable table = checks_table("Constraints on the audited records", report.constraints);
  table.head.emplace_back("stated in");
  for (size_t j = 0; j < report.constraints.size(); ++j)
    table.rows[j].push_back(report.constraints[j].origin);
  return table;
}

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
      "The {} model {}, trained by {} on the dataset {} to predict {}, was measured on {} of {}{}.",
      report.model, report.model_path, report.method, report.dataset, report.target,
      (report.held_out_only ? "the held-out " : "all ") + report.unit.plural(), report.data_path,
      report.held_out_only
          ? ", found by their places, which is right only for the training table in its order"
          : "");
}

/// The figures, the worst group, the strength of privacy, and the files that may be published.
std::vector<std::string> summary_of(const AuditReport& report) {
  std::vector<std::string> summary = {measured_line(report)};
  std::vector<GroupFigures> groups;
  for (const AuditGrouping& grouping : report.groupings)
    for (size_t i = 0; i < grouping.groups.size(); ++i)
      groups.push_back({grouping.groups[i], grouping.figures[i].metrics});
  std::string line = groups_line(groups, report.overall.metrics, report.target, report.classes);
  if (!line.empty()) summary.push_back(std::move(line));
  if (report.logged) {
    summary.emplace_back(kNoGuaranteeKnown);
  } else if (report.status == PrivacyStatus::kPrivate && report.privacy && report.protection) {
    summary.push_back(
        strength_in_words(*report.privacy, report.protection->unit, "Privacy of the model"));
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

/// A chart of one estimate of each group.
std::string chart_of(const AuditReport& report, const AuditGrouping& grouping, std::string id,
                     std::string_view metric, bool is_cost) {
  const std::string columns = columns_of(grouping.columns);
  DotChart chart{.id = std::move(id),
                 .title = capitalised(metric_words(metric)) + " by " + columns,
                 .metric = std::string(metric),
                 .axis_label = axis_label_of(report, metric),
                 .name_head = columns,
                 .size_head = "tested",
                 .total = {},
                 .compares_with_zero = is_cost || metric == "mean_error"};
  const auto estimate = [&](const AuditedRecords& records) {
    if (!is_cost) return estimate_of(records.metrics, metric);
    const Cost cost = records.cost.value_or(Cost());
    return metric == "loss" ? cost.loss : cost.accuracy;
  };
  if (is_cost && metric == "loss") {
    chart.title = "Loss above the reference by " + columns;
    chart.axis_label = "mean loss above that of the reference (right of 0: worse)";
  } else if (is_cost) {
    chart.title = "Accuracy below the reference by " + columns;
    chart.axis_label = "accuracy below the reference, percentage points (right of 0: worse)";
  }
  chart.total = {"overall", format_count(report.overall.metrics.num_records),
                 estimate(report.overall)};
  std::vector<double> weights;
  for (size_t i = 0; i < grouping.groups.size(); ++i) {
    const AuditedRecords& group = grouping.figures[i];
    chart.rows.push_back(
        {values_of(grouping.groups[i]), format_count(group.metrics.num_records), estimate(group)});
    const double value = chart.rows.back().estimate.value;
    weights.push_back(is_cost ? value : std::fabs(value - chart.total.estimate.value));
  }
  return dot_chart(chart, weights,
                   is_cost ? "the largest cost" : "the largest distance from the overall figure") +
         "\n";
}

/// The overall curve and those of the groups with the smallest and the largest area under the
/// curve, unless there are too many groups for curves; "" without scores.
std::string roc_chart(const AuditReport& report, const AuditGrouping& grouping, std::string id) {
  if (!report.overall.curves || report.overall.curves->roc.empty()) return "";
  LineChart chart{.id = std::move(id),
                  .title = "Receiver operating characteristic",
                  .description = "True positive rates by false positive rates at all thresholds",
                  .axis_label = "false positive rate",
                  .up_label = "true positive rate"};
  const auto add = [&](std::string name, const ScoreCurves& curves) {
    Line& line = chart.lines.emplace_back(Line{std::move(name), {{0, 0}}});
    for (const RocPoint& point : curves.roc)
      line.points.emplace_back(point.false_positive_rate, point.true_positive_rate);
  };
  add("overall", *report.overall.curves);
  const auto auc = std::ranges::find_if(grouping.disparities, [](const Disparity& disparity) {
    return disparity.metric == "auc" && disparity.is_defined();
  });
  if (auc != grouping.disparities.end() && auc->lowest != auc->highest &&
      grouping.figures[auc->lowest].curves) {
    for (const size_t group : {auc->lowest, auc->highest})
      add(values_of(grouping.groups[group]), *grouping.figures[group].curves);
    chart.title += ", overall and of the groups with the smallest and largest area";
  }
  return line_chart(chart);
}

/// Tables of single classes and of scores.
void add_details(const AuditReport& report, const AuditGrouping& grouping, std::string id,
                 Section& section) {
  section.add(figures_of_classes(report, grouping, "Each class", kClassRates))
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
  if (report.overall.cost) {
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

/// The rates of a release by the groups of one grouping, then overall.
TextTable released_table(const AuditReport& report, const AuditGrouping& grouping) {
  const std::vector<GroupFigures> rows = figures_of(report, grouping);
  const std::string columns = columns_of(grouping.columns);
  TextTable table = figures_table(caption_of(columns), name_of_records(columns, "records"), rows);
  for (const PrivateRate& rate : private_rates(report.classes.size())) {
    const Estimate Metrics::*figure = find_metric(rate.metric).estimate;
    const Precision precision(rate.metric, report.overall.metrics.*figure);
    add_column(
        head_of(rate.metric), rows,
        [&](const GroupFigures& row) { return precision.format(row.metrics.*figure); }, table);
  }
  return table;
}

/// An audit by noisy counts, or its plan.
Document released_document(const AuditReport& report) {
  const AuditRelease& release = *report.release;
  const std::string title = fmt::format(
      "{} on {}, by noisy counts", report.logged ? "Predictions" : report.method, release.dataset);
  std::vector<std::string> noise;
  for (size_t i = 0; i < release.noise_stddev.size(); ++i) {
    noise.push_back(fmt::format(
        "{}: noise of standard deviation {:.3g} on each count of records by {}.",
        release.counted_by[i].empty() ? "All records"
                                      : "Groups by " + columns_of(release.counted_by[i]),
        release.noise_stddev[i],
        report.classes.size() == 2 ? "label and prediction" : "right and wrong prediction"));
  }
  const Fence fence = fence_of(release.status);
  if (release.is_plan) {
    Document document = release_plan(release, "Plan: " + title);
    document.section("Noise", fence, Form::kShown).add(Items{std::move(noise)});
    add_privacy(release, document);
    return document;
  }
  Document document = release_document(
      release, "Audit: " + title,
      {fmt::format("Rates of predictions of {} by group{}, with noise that the budget paid for.",
                   report.target, report.held_out_only ? ", of held-out records" : "")},
      "Everything on this page may leave the house.");
  append(document.alarms, alarms_of(report));
  for (WrittenFile& file : document.files) file.fence = fence;
  Section& rates = document.section("Rates", fence, Form::kShown);
  for (const AuditGrouping& grouping : report.groupings)
    rates.add(released_table(report, grouping));
  if (report.groupings.empty()) rates.add(released_table(report, {}));
  if (!report.thresholds.empty() || !report.ratios.empty())
    document.section("Limits", fence, Form::kShown)
        .add(Paragraph{std::string(kHowToReadLimits)})
        .add(limits_table(report, false))
        .add(limits_table(report, true));
  noise.emplace_back(
      "Brackets are 95 % intervals, each by itself, for the choice of records and the noise. "
      "\"-\": "
      "noise hides the rate.");
  document.section("Noise", fence, Form::kPage).add(Items{std::move(noise)});
  add_privacy(release, document);
  document.add_repeat(release.command, release.version);
  return document;
}

}  // namespace

std::vector<std::string> explained_caveats(const AuditGrouping& grouping) {
  const ExplainedStep& step = grouping.explained;
  std::vector<std::string> caveats;
  double largest = 0;
  bool has_records = false;
  bool is_curved = false;
  for (const GroupRisk& risk : grouping.risk->groups) {
    if (risk.num_records == 0) continue;
    has_records = true;
    largest = std::fmax(largest, risk.eigenvalues.largest);
    is_curved = is_curved || risk.hessian_trace.value != 0;
  }
  if (has_records && !is_curved && step.noise_stddev > 0) {
    caveats.emplace_back(
        "Every trace is 0, so the second order sees no curvature and does not show the cost of "
        "noise; this happens with a hinge loss, whose kinks it misses.");
  }
  if (const double product = step.learning_rate * largest; product > 1) {
    caveats.push_back(fmt::format(
        "The learning rate times the largest eigenvalue is {:.3g}, above 1: the step is too long "
        "for the lower bounds between groups to hold, and the second order is no guide to its "
        "effect.",
        product));
  }
  return caveats;
}

std::string figure_of(const AuditReport& report, const AuditLimit& limit) {
  std::string of_class = limit.of_class;
  if (limit.metric != "selection_rate") return with_class(metric_words(limit.metric), of_class);
  if (of_class.empty() && report.classes.size() == 2) of_class = report.classes[1];
  return fmt::format("selection rate (share of {} = {})", report.target, of_class);
}

Document audit_document(const AuditReport& report) {
  if (report.release) return released_document(report);
  Document document;
  document.title =
      fmt::format("Audit: {} on {}", report.logged ? "predictions" : report.method, report.dataset);
  document.alarms = alarms_of(report);
  document.summary = summary_of(report);
  document.lead = lead_of(report);
  document.warnings = report.warnings;
  document.files = marked(report.files, Fence::kNotPrivate);
  add_what_was_measured(report, document);
  if (!report.thresholds.empty() || !report.ratios.empty())
    document.section("Limits", Fence::kNotPrivate, Form::kShown)
        .add(Paragraph{std::string(kHowToReadLimits)})
        .add(limits_table(report, false))
        .add(limits_table(report, true));
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
  document.add_repeat(report.command, report.version);
  return document;
}

}  // namespace equinoise
