// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/training_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_tables.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/markup.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_tables.h"

namespace equinoise {

namespace {

constexpr size_t kMaxExplainedGroups = 20;

std::string what_is_predicted(const TrainingReport& report) {
  if (report.classes.empty()) return report.target + " (a number)";
  std::string text;
  for (size_t i = 0; i < report.classes.size(); ++i) {
    if (i > 0) text += i + 1 == report.classes.size() ? " or " : ", ";
    text += report.classes[i];
  }
  return report.target + " (" + text + ")";
}

std::string what_was_done(const TrainingReport& report) {
  std::string body = html_paragraph(
      fmt::format("A {} model was trained by {} [{}] on the dataset {} to predict {}; a share of "
                  "{:.6g} of the {} was held out to evaluate it.",
                  report.model, report.method, report.source, report.dataset,
                  what_is_predicted(report), report.test_fraction, name_of_units(report)));
  if (!report.privacy) body += html_paragraph("There is no privacy guarantee.");
  if (report.privacy && !is_private(report))
    body += html_paragraph(
        "The noise by itself would give this guarantee if nothing else had been learnt from the "
        "records:");
  if (report.privacy) body += html_guarantee(*report.privacy, explain(report.protection));
  if (report.by_rdp) {
    body += html_paragraph(fmt::format(
        "RDP accounting, which most other tools use, gives epsilon {} for the same noise.",
        format_epsilon(report.by_rdp->epsilon)));
  }
  std::vector<std::string> released = {
      "the model (model.json): its parameters carry the guarantee",
      "the model card (model_card.md, model_card.json)",
      "what the schema declares: columns, bounds, categories, declared sizes",
      "the plan: settings, cost, epsilon and noise of each group, the account"};
  if (!private_evaluation_tables(report).empty()) released.emplace_back("the private evaluation");
  if (!is_private(report)) {
    released = {"nothing computed from records, unless the table is public",
                "the settings, and what a reviewed schema declares"};
  }
  std::vector<std::string> closed = {
      "this page and report.json as a whole",
      "accuracy, loss, costs and their intervals: computed from held-out records without noise",
      "the training curve and the reference model",
      "what the schema's rules did to records, and the time taken"};
  if (!report.explanations.empty())
    closed.emplace_back("why groups lose: computed from training records without noise");
  if (report.largest_loss)
    closed.emplace_back(
        "the largest loss of any group of training records, and the least possible");
  return html_section("What was done", Fence::kPublishable,
                      body + html_two_columns(released, closed));
}

/// Which estimate the chart of the page shows for each group.
struct Subject {
  std::string metric;
  std::string title;
  std::string axis_label;
  bool is_cost;
};

Subject subject_of(const TrainingReport& report) {
  const bool numeric = report.classes.empty();
  const bool with_cost = report.overall.cost.has_value();
  if (with_cost && !report.privacy) {
    return numeric ? Subject{"loss", "Loss above the reference",
                             "mean loss above the reference (right of 0: worse)", true}
                   : Subject{"accuracy", "Accuracy below the reference",
                             "accuracy below the reference, percentage points (right of 0: lost)",
                             true};
  }
  if (with_cost && numeric)
    return {"loss", "Loss added by privacy", "mean loss added by privacy (right of 0: worse)",
            true};
  if (with_cost) {
    return {"accuracy", "Accuracy lost to privacy",
            "accuracy lost to privacy, percentage points (right of 0: lost)", true};
  }
  if (numeric) {
    return {"rmse", "Root mean squared error",
            "root mean squared error, in units of " + report.target, false};
  }
  return {"accuracy", "Accuracy", "accuracy on held-out records, percent", false};
}

Estimate estimate_for(const Subject& subject, const GroupReport& group) {
  if (!subject.is_cost) return estimate_of(group.metrics.value_or(Metrics()), subject.metric);
  const Cost cost = group.cost.value_or(Cost());
  return subject.metric == "loss" ? cost.loss : cost.accuracy;
}

std::string who_pays(const TrainingReport& report) {
  const Subject subject = subject_of(report);
  const auto row = [&](const GroupReport& group) {
    return DotRow{values_of(group.group), format_size(group.public_size),
                  estimate_for(subject, group)};
  };
  std::string body;
  if (!subject.is_cost) {
    body += html_paragraph(
        "No reference was trained. With --reference this page shows what each group loses against "
        "the same model trained without noise.");
  }
  const std::vector<GroupingRows> groupings = groupings_of(report.groups);
  if (groupings.empty()) {
    body +=
        html_paragraph("No groups were requested; with --groups COLUMN this page shows who pays.");
  }
  for (size_t i = 0; i < groupings.size(); ++i) {
    DotChart chart{.id = fmt::format("groups-{}", i + 1),
                   .title = subject.title + " by " + groupings[i].columns,
                   .metric = subject.metric,
                   .axis_label = subject.axis_label,
                   .name_head = groupings[i].columns,
                   .size_head = "public size",
                   .rows = {},
                   .total = row(report.overall),
                   .compares_with_zero = subject.is_cost};
    std::vector<double> weights;
    for (const GroupReport& group : groupings[i].groups) {
      chart.rows.push_back(row(group));
      const double value = chart.rows.back().estimate.value;
      weights.push_back(subject.metric == "accuracy" && !subject.is_cost ? -value : value);
    }
    body += dot_chart(chart, weights,
                      subject.is_cost            ? "the largest cost"
                      : subject.metric == "rmse" ? "the largest error"
                                                 : "the lowest accuracy") +
            "\n";
  }
  body += html_paragraph(fmt::format(
      "Bars are 95 % intervals. They cover the choice of held-out {}, not the noise drawn "
      "in training; a group with few of them has a wide interval whatever was done to it.",
      name_of_units(report)));
  return html_section("Who pays", Fence::kNotPrivate, body);
}

std::string fit(const TrainingReport& report, const GroupingRows& grouping) {
  const TextTable table = fit_table(report, grouping);
  return table.rows.empty() ? "" : html_table(table);
}

std::string all_groups(const TrainingReport& report) {
  std::string body = html_paragraph(
      "Public size, epsilon and noise are publishable; everything else is not private. Noise per "
      "expected member is the standard deviation of the noise on each entry of a gradient sum, "
      "over "
      "the members of the group expected in a batch.");
  for (const GroupingRows& grouping : groupings_of(report.groups))
    body += html_table(training_table(report, grouping, true)) + fit(report, grouping) +
            html_costs(costs_of(grouping), report.classes.empty());
  if (report.groups.empty()) body += html_table(training_table(report, {}, true)) + fit(report, {});
  return html_section("All figures", Fence::kNotPrivate, body);
}

std::string constraints(const TrainingReport& report) {
  if (report.constraints.empty()) return "";
  return html_section("Constraints", Fence::kNotPrivate,
                      html_paragraph(kHowToReadChecks) + html_table(constraints_table(report)));
}

std::string private_evaluation(const TrainingReport& report) {
  if (!is_evaluation_told(report)) return "";
  std::string body = html_paragraph(private_evaluation_line(report));
  if (const std::string cost = evaluation_cost_line(report); !cost.empty())
    body += html_paragraph(cost);
  for (const TextTable& table : private_evaluation_tables(report)) body += html_table(table);
  return html_section("Private evaluation",
                      is_private(report) ? Fence::kPublishable : Fence::kNotPrivate, body);
}

Line line_of(const std::string& name, const std::vector<CurvePoint>& curve) {
  Line line{name, {}};
  for (const CurvePoint& point : curve)
    line.points.emplace_back(static_cast<double>(point.step), point.loss);
  return line;
}

/// The weights of the groups that ended with the largest, over the steps.
std::string group_path(const TrainingReport& report) {
  const TextTable table = group_path_table(report);
  if (table.rows.empty()) return "";
  constexpr size_t kMaxLines = 3;
  const std::vector<double>& last = report.group_path.back().weights;
  std::vector<size_t> order(last.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return last[a] > last[b]; });
  LineChart chart{"group-path",
                  "Weights of groups over the steps of training",
                  "Weights over the steps of training, for the groups whose weights are largest at "
                  "the end. The table below gives the first and last values.",
                  "steps done",
                  {}};
  for (size_t i = 0; i < std::min(order.size(), kMaxLines); ++i) {
    Line& line = chart.lines.emplace_back(Line{values_of(report.trained_groups[order[i]]), {}});
    for (const GroupPathRow& row : report.group_path)
      line.points.emplace_back(static_cast<double>(row.step), row.weights[order[i]]);
  }
  return html_section(table.caption, is_private(report) ? Fence::kPublishable : Fence::kNotPrivate,
                      line_chart(chart) + html_table(table));
}

std::string coefficients(const TrainingReport& report) {
  const TextTable table = coefficients_table(report);
  if (table.rows.empty()) return "";
  return html_section(table.caption, is_private(report) ? Fence::kPublishable : Fence::kNotPrivate,
                      html_paragraph(coefficients_line(report)) + html_table(table));
}

std::string training_curve(const TrainingReport& report) {
  LineChart chart{"training-curve",
                  "Mean held-out loss over the steps of training",
                  "Mean loss on held-out records over the steps of training. The text below gives "
                  "the last values.",
                  "steps done",
                  {line_of("released", report.curve)}};
  if (!report.reference_curve.empty())
    chart.lines.push_back(line_of("reference", report.reference_curve));
  const bool any = !report.curve.empty() || !report.reference_curve.empty();
  std::string body = any ? line_chart(chart) : html_paragraph("No curve was recorded.");
  const auto tell_last = [&body](std::string_view name, const std::vector<CurvePoint>& curve) {
    if (curve.empty()) return;
    body += html_paragraph(fmt::format("Last held-out loss, {}: {} after {} steps.", name,
                                       format_amount(curve.back().loss),
                                       format_count(curve.back().step)));
  };
  tell_last("released", report.curve);
  tell_last("reference", report.reference_curve);
  if (report.largest_loss) body += html_paragraph(largest_loss_line(report));
  if (report.seconds)
    body += html_paragraph(fmt::format("Training by itself took {:.3g} s.", *report.seconds));
  return html_section("Training curve", Fence::kNotPrivate, body);
}

/// Why groups lose: a table of means, and over the steps what clipping and noise cost each group.
std::string explanations(const TrainingReport& report) {
  if (report.explanations.empty()) return "";
  std::string body = html_paragraph(
      "Positive values are worse; they are accurate to second order. Each measurement uses the "
      "batch of one step; the gradients and Hessians of groups are those of all their training "
      "records. " +
      clipping_columns_line());
  body += html_table(explanations_table(report));
  const size_t num_groups = std::min(report.explained_groups.size(), kMaxExplainedGroups);
  for (size_t a = 0; a < num_groups; ++a) {
    if (report.explanations.front().risk.groups[a].num_records == 0) continue;
    LineChart chart;
    chart.id = fmt::format("explanation-{}", a + 1);
    chart.title = "What clipping and noise cost " + values_of(report.explained_groups[a]);
    chart.description = chart.title + " at each measurement; report.json has the figures.";
    chart.axis_label = "step";
    chart.lines = {{"clipping", {}}, {"noise", {}}};
    for (const RiskPoint& point : report.explanations) {
      const auto step = static_cast<double>(point.step);
      chart.lines[0].points.emplace_back(step, point.risk.groups[a].clip);
      chart.lines[1].points.emplace_back(step, point.risk.groups[a].noise);
    }
    body += line_chart(chart);
  }
  if (num_groups < report.explained_groups.size()) {
    body += html_paragraph(
        fmt::format("Of {} groups, only the first {} are drawn; report.json has all of them.",
                    report.explained_groups.size(), num_groups));
  }
  return html_section("Why groups lose", Fence::kNotPrivate, body);
}

std::string account(const TrainingReport& report) {
  std::string body = html_table(cost_table(report));
  if (!report.ledger) {
    body += html_paragraph("This run is not recorded in a ledger.");
    return html_section("Ledger", Fence::kPublishable, body);
  }
  body += budget_chart("budget", *report.ledger);
  body += html_paragraph(
      fmt::format("Ledger {}, dataset {}. The amount spent is one account of all entries together; "
                  "a further release may cost more or less than the difference.",
                  report.ledger->path, report.ledger->dataset));
  if (const std::string assumption = account_assumption(report.ledger->budget); !assumption.empty())
    body += html_paragraph(assumption);
  const auto& entries = report.ledger_entries;
  if (report.num_earlier_entries > 0) {
    body += html_paragraph(fmt::format("The last {} of {} entries:", entries.size(),
                                       report.num_earlier_entries + std::ssize(entries)));
  }
  if (!entries.empty()) body += html_table(entries_table(entries));
  return html_section("Ledger", Fence::kPublishable, body);
}

std::string run_file(const TrainingReport& report) {
  if (report.run_file.empty()) return "";
  return html_section("Run file", Fence::kPublishable,
                      html_paragraph("The run with all its options, as equinoise train --config "
                                     "reads it; beside this page it is run.toml.") +
                          text_element("pre", report.run_file) + "\n");
}

}  // namespace

std::string report_to_html(const TrainingReport& report) {
  std::string body = html_banner() + html_warnings(alarms_of(report), report.warnings);
  body += what_was_done(report) + who_pays(report) + all_groups(report) + constraints(report) +
          private_evaluation(report) + group_path(report) + coefficients(report) +
          training_curve(report) + explanations(report);
  body += account(report) +
          html_section("Settings", Fence::kPublishable, html_table(settings_table(report)));
  body += html_section("Reading the table", Fence::kNotPrivate,
                       report.ingest_notes.empty()
                           ? html_paragraph("The schema's rules changed no cell.")
                           : html_list(report.ingest_notes));
  body += html_repeat(report.command, report.version, report.files) + run_file(report);
  return html_page(fmt::format("Training report: {} on {}", report.method, report.dataset), body);
}

}  // namespace equinoise
