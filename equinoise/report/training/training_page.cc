// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_tables.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/terms_page.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

namespace {

std::string format_noise(const GroupReport& group) {
  return group.relative_noise ? fmt::format("{:.3g}", *group.relative_noise) : "-";
}

/// The public facts about groups: size, epsilon, noise.
TextTable public_table(const GroupingRows& grouping) {
  TextTable table{caption_of(grouping.columns),
                  {grouping.columns, "public size", "epsilon", "noise per expected member"}};
  for (const GroupReport& group : grouping.groups) {
    table.rows.push_back({values_of(group.group), format_size(group.public_size),
                          format_epsilon(group.privacy), format_noise(group)});
  }
  return table;
}

using GroupRows = std::vector<const GroupReport*>;
using MetricNames = std::vector<std::string_view>;

/// The groups of one grouping, then the overall row.
GroupRows rows_of(const TrainingReport& report, std::span<const GroupReport> groups) {
  GroupRows rows;
  for (const GroupReport& group : groups) rows.push_back(&group);
  rows.push_back(&report.overall);
  return rows;
}

std::vector<GroupFigures> figures_of(const GroupRows& rows) {
  std::vector<GroupFigures> figures;
  for (const GroupReport* row : rows)
    figures.push_back({row->group, row->metrics.value_or(Metrics()), row->cost.value_or(Cost())});
  return figures;
}

/// One grouping, then the overall row, with the figures from held-out records; the noise is left
/// out on a narrow page. NOT PRIVATE.
TextTable training_table(const TrainingReport& report, const GroupingRows& grouping,
                         bool with_noise) {
  using Row = const GroupReport*;
  const bool numeric = report.classes.empty();
  const std::string_view main_metric = numeric ? "rmse" : "accuracy";
  const GroupRows rows = rows_of(report, grouping.groups);
  const std::vector<GroupFigures> figures = figures_of(rows);
  TextTable table = figures_table(caption_of(grouping.columns),
                                  name_of_records(grouping.columns, report.unit.plural()), figures);
  const auto add = [&](const char* head, const auto& cell) { add_column(head, rows, cell, table); };
  add("public size", [](Row row) { return format_size(row->public_size); });
  add("tested", [](Row row) {
    return row->metrics ? format_count(row->metrics->num_records) : std::string("-");
  });
  add_metrics(numeric ? MetricNames{"rmse", "mean_error", "loss"} : MetricNames{"accuracy", "loss"},
              figures, table);
  if (report.overall.reference) {
    const Precision precision(main_metric, estimate_of(figures.back().metrics, main_metric));
    add(numeric ? "reference RMSE" : "reference %", [&](Row row) {
      return precision.format(estimate_of(row->reference.value_or(Metrics()), main_metric).value);
    });
    add_cost(numeric, report.privacy.has_value(), figures, table);
  }
  add("epsilon", [](Row row) { return format_epsilon(row->privacy); });
  if (with_noise) add("noise per expected member", [](Row row) { return format_noise(*row); });
  return table;
}

/// The quality of probabilities of two classes, or the explained part of numbers, with the same
/// rows; no rows for more classes. NOT PRIVATE.
TextTable fit_table(const TrainingReport& report, const GroupingRows& grouping) {
  if (report.classes.size() > 2) return {};
  const bool numeric = report.classes.empty();
  const std::vector<GroupFigures> figures = figures_of(rows_of(report, grouping.groups));
  TextTable table = figures_table(numeric ? "How much is told" : "Probabilities",
                                  name_of_records(grouping.columns, report.unit.plural()), figures);
  add_metrics(numeric ? MetricNames{"r_squared", "mean_absolute_error"}
                      : MetricNames{"auc", "calibration_gap"},
              figures, table);
  return table;
}

/// The cost of clipping and noise for each group: means over the finite explanations of
/// --explain-every. NOT PRIVATE.
TextTable explanations_table(const TrainingReport& report) {
  TextTable table{
      fmt::format("Effect of a training step on the loss of groups, mean of {} measurements; "
                  "positive values are worse",
                  format_count(std::ssize(report.explanations))),
      {columns_of(report.explained_groups.front()), "records", "gradient norm", "without privacy",
       "clipping", "length first", "direction last", "direction first", "length last", "noise"}};
  for (size_t a = 0; a < report.explained_groups.size(); ++a) {
    const auto mean = [&](double GroupRisk::*value) {
      double sum = 0;
      for (const RiskPoint& point : report.explanations) sum += point.risk.groups[a].*value;
      return sum / static_cast<double>(report.explanations.size());
    };
    const int64_t num_records = report.explanations.front().risk.groups[a].num_records;
    if (num_records == 0) continue;
    std::vector<std::string> row = {values_of(report.explained_groups[a]),
                                    format_count(num_records),
                                    format_size_of(mean(&GroupRisk::gradient_norm))};
    for (double GroupRisk::*value :
         {&GroupRisk::non_private_change, &GroupRisk::clip, &GroupRisk::magnitude,
          &GroupRisk::direction, &GroupRisk::direction_first, &GroupRisk::magnitude_last,
          &GroupRisk::noise})
      row.push_back(format_change(mean(value)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The list of constraints. Publishable.
TextTable constraint_list(const TrainingReport& report) {
  TextTable table{"Constraints", {"constraint"}};
  for (const ConstraintReport& constraint : report.constraints)
    table.rows.push_back({constraint.text});
  return table;
}

/// The groups of one grouping, then the overall row, from the noisy counts of the private
/// evaluation; no rows without one.
TextTable private_rates_table(const TrainingReport& report, const GroupingRows& grouping) {
  if (!report.overall.private_rates) return {};
  const GroupRows rows = rows_of(report, grouping.groups);
  TextTable table =
      figures_table("Private evaluation: " + caption_of(grouping.columns),
                    name_of_records(grouping.columns, report.unit.plural()), figures_of(rows));
  for (const PrivateRate& rate : private_rates(report.classes.size())) {
    const Precision precision(rate.metric, (*report.overall.private_rates).*rate.value);
    add_column(
        head_of(rate.metric), rows,
        [&](const GroupReport* row) {
          return precision.format(row->private_rates.value_or(PrivateRates()).*rate.value);
        },
        table);
  }
  return table;
}

/// The groupings, or the overall row if there are none.
std::vector<GroupingRows> told_groupings(const TrainingReport& report) {
  std::vector<GroupingRows> groupings = groupings_of(report.groups);
  if (groupings.empty()) groupings.emplace_back();
  return groupings;
}

/// All tables of the private evaluation that have rows.
std::vector<TextTable> private_evaluation_tables(const TrainingReport& report) {
  std::vector<TextTable> tables = {checks_table("Private evaluation of the constraints",
                                                report.constraints,
                                                &ConstraintReport::private_check)};
  for (const GroupingRows& grouping : told_groupings(report))
    tables.push_back(private_rates_table(report, grouping));
  std::erase_if(tables, [](const TextTable& table) { return table.rows.empty(); });
  return tables;
}

/// The weights of the groups of the first grouping at the beginning and at the end of training; no
/// rows if there are none. Released with noise.
TextTable group_path_table(const TrainingReport& report) {
  TextTable table{"Weights of groups in training", {"group"}};
  if (report.group_path.empty()) return table;
  const GroupPathRow& first = report.group_path.front();
  const GroupPathRow& last = report.group_path.back();
  // Losses that are released once are reported once.
  const bool has_losses = !first.losses.empty();
  const bool has_last_losses = !last.losses.empty();
  table.head.push_back(fmt::format("first weight, to step {}", first.step));
  table.head.push_back(fmt::format("last weight, to step {}", last.step));
  if (has_losses)
    table.head.push_back(
        fmt::format("first noisy loss, {} step {}", has_last_losses ? "to" : "after", first.step));
  if (has_last_losses) table.head.push_back(fmt::format("last noisy loss, to step {}", last.step));
  for (size_t k = 0; k < first.weights.size(); ++k) {
    std::vector<std::string>& row =
        table.rows.emplace_back(std::vector{values_of(report.trained_groups[k])});
    row.push_back(fmt::format("{:.3f}", first.weights[k]));
    row.push_back(fmt::format("{:.3f}", last.weights[k]));
    if (has_losses) row.push_back(fmt::format("{:.3f}", first.losses[k]));
    if (has_last_losses) row.push_back(fmt::format("{:.3f}", last.losses[k]));
  }
  return table;
}

/// The coefficients of a regression with intervals, in the units of the columns; no rows if the
/// method estimates none. Released with noise.
TextTable coefficients_table(const TrainingReport& report) {
  TextTable table{"Coefficients", {"coefficient", "estimate", "standard error", "95 % interval"}};
  if (!report.regression) return table;
  const bool is_logistic = !report.regression->log_odds_of.empty();
  if (is_logistic) table.head.emplace_back("exp(estimate) [95 %]");
  const auto add = [&](const RegressionFigure& figure, const std::string& of = "") {
    const auto told = [](const std::optional<double>& value, const char* digits) {
      return value ? fmt::format(fmt::runtime(digits), *value) : std::string("-");
    };
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{
        figure.name + of, told(figure.estimate, "{:.4g}"), told(figure.standard_error, "{:.2g}"),
        figure.interval
            ? fmt::format("{:.4g} to {:.4g}", figure.interval->low, figure.interval->high)
            : (figure.estimate ? "unbounded: " : "") + figure.why});
    if (!is_logistic) return;
    row.push_back(figure.estimate && figure.interval
                      ? fmt::format("{:.3g} [{:.3g}, {:.3g}]", std::exp(*figure.estimate),
                                    std::exp(figure.interval->low), std::exp(figure.interval->high))
                  : figure.estimate ? "unbounded"
                                    : "-");
  };
  for (const RegressionFigure& figure : report.regression->coefficients) add(figure);
  if (const auto& fit = report.regression->fit) {
    add(fit->residual_stddev);
    add(fit->r_squared);
  }
  for (const RegressionFit& fit : report.regression->groups) {
    const std::string of = ", " + values_of(fit.group);
    add(fit.residual_stddev, of);
    add(fit.r_squared, of);
  }
  return table;
}

/// An explanation of the table, and of missing figures; "" if there is no table. Publishable.
std::string coefficients_line(const TrainingReport& report) {
  if (!report.regression) return "";
  const RegressionReport& regression = *report.regression;
  return !regression.log_odds_of.empty()
             ? fmt::format(
                   "What the log odds of {} = {} grow by where a column grows by one of its units "
                   "or a category is another, and exp() of that, an odds ratio (of the intercept: "
                   "odds). Of records that count less where their features lie beyond --row-bound. "
                   "Intervals cover the noise and the draw of the records, where log odds are such "
                   "a sum. The slopes of the model are others: shrunk by what noise hides.",
                   report.target, regression.log_odds_of)
             : "In the units of the columns, by least squares, of targets within --target-bound "
               "and of records that count less where their features lie beyond --row-bound. "
               "Intervals cover the noise and the draw of the records, if residuals vary alike for "
               "all of them; those of residual standard deviations and R squared also take "
               "residuals to be about normal. The slopes of the model are others: shrunk by what "
               "noise hides.";
}

/// The meaning of missing estimates, and the remedy; "" if there are none.
std::string missing_coefficients_line(const TrainingReport& report) {
  if (!report.regression ||
      std::ranges::all_of(report.regression->coefficients, [](const RegressionFigure& figure) {
        return figure.interval.has_value();
      }))
    return "";
  return "A coefficient without an interval says why there. An unbounded interval: noise may be "
         "all that is left of the column beside the others, so that its coefficient may be "
         "anything. What follows the intercept is left out of the regression: such a category "
         "joins the one that its column is compared with. For more coefficients spend more, leave "
         "columns out, or merge categories.";
}

TextTable settings_table(const TrainingReport& report) {
  TextTable table{"Settings", {"setting", "value"}};
  for (const auto& [name, value] : report.settings)
    table.rows.push_back({name, format_setting(value)});
  return table;
}

/// The constraint values of the released model on the held-out records; if they were not checked,
/// the list of constraints. NOT PRIVATE.
TextTable constraints_table(const TrainingReport& report) {
  const bool checked = !report.constraints.empty() && report.constraints[0].check.has_value();
  return checked ? checks_table("Constraints on the held-out records", report.constraints)
                 : constraint_list(report);
}

/// The private releases of a run.
TextTable cost_table(const TrainingReport& report) {
  TextTable table{"Cost", {"cost", "event"}};
  table.num_left = 2;
  for (const CostLine& cost : report.costs)
    for (const std::string& line : event_lines(cost.event))
      table.rows.push_back({cost.label, line});
  if (table.rows.empty()) table.rows.push_back({"nothing", "-"});
  return table;
}

constexpr size_t kMaxExplainedGroups = 20;

/// The fence of figures that the run released with noise.
Fence fence_of(const TrainingReport& report) {
  return is_private(report) ? Fence::kPublishable : Fence::kUnprotected;
}

std::string what_is_predicted(const TrainingReport& report) {
  if (report.classes.empty()) return report.target + " (a number)";
  std::string text;
  for (size_t i = 0; i < report.classes.size(); ++i) {
    if (i > 0) text += i + 1 == report.classes.size() ? " or " : ", ";
    text += report.classes[i];
  }
  return report.target + " (" + text + ")";
}

std::vector<std::string> lead_of(const TrainingReport& report) {
  std::vector<std::string> lead = {fmt::format("Guarantee: {}", privacy_line(report))};
  for (std::string& sentence : explain(report.protection)) lead.push_back(std::move(sentence));
  if (report.by_rdp) {
    lead.push_back(
        fmt::format("RDP accounting, a coarser bound, gives epsilon {} for the same noise.",
                    format_epsilon(report.by_rdp->epsilon)));
  }
  return lead;
}

/// The model, the worst group, the strength of privacy, and the files that may be published.
/// The number of constraints of each verdict by the private evaluation; "" without one.
std::string verdicts_line(const TrainingReport& report) {
  std::vector<std::string> counts;
  for (const LimitVerdict verdict : {LimitVerdict::kHolds, LimitVerdict::kFails,
                                     LimitVerdict::kUnclear, LimitVerdict::kNotAnswerable}) {
    const auto count = std::ranges::count_if(report.constraints, [&](const auto& constraint) {
      return constraint.private_check && constraint.private_check->verdict() == verdict;
    });
    if (count > 0) counts.push_back(fmt::format("{} {}", count, to_string(verdict)));
  }
  if (counts.empty()) return "";
  return fmt::format("Constraints by the private evaluation: {}.", fmt::join(counts, ", "));
}

std::vector<std::string> summary_of(const TrainingReport& report) {
  std::vector<std::string> summary = {
      fmt::format("{} [{}] trained this {} model on the dataset {} to predict {}. Its figures are "
                  "of the {:.6g} % of the {} that were held out.",
                  report.method, report.source, report.model, report.dataset,
                  what_is_predicted(report), 100 * report.test_fraction, report.unit.plural())};
  if (report.overall.metrics) {
    std::vector<GroupFigures> groups = figures_of(rows_of(report, report.groups));
    groups.pop_back();
    std::string line = groups_line(groups, *report.overall.metrics, report.target, report.classes);
    if (!line.empty()) summary.push_back(std::move(line));
  }
  if (std::string line = verdicts_line(report); !line.empty()) summary.push_back(std::move(line));
  if (is_private(report) && report.privacy && report.protection) {
    summary.push_back(strength_in_words(*report.privacy, report.protection->unit,
                                        "Privacy of the model and its card"));
    summary.emplace_back(
        "The model (model.json) and its card may leave the house; this page and report.json may "
        "not.");
  } else {
    summary.emplace_back("Privacy: none. The model may reveal the records it was trained on.");
    summary.emplace_back(
        "Nothing computed from the records may leave the house, unless the table is public.");
  }
  return summary;
}

void add_what_was_done(const TrainingReport& report, Document& document) {
  Section& section = document.section("What was done", Fence::kPublishable, Form::kPage);
  if (!report.privacy) section.add(Paragraph{"There is no privacy guarantee."});
  if (report.privacy && !is_private(report))
    section.add(
        Paragraph{"The noise by itself would give this guarantee if nothing else had been learnt "
                  "from the records."});
  if (report.privacy) section.add(Picture{html_guarantee(*report.privacy)});
  std::vector<std::string> released = {
      "the model (model.json): its parameters carry the guarantee",
      "the model card (model_card.html, model_card.md, model_card.json)",
      "what the schema declares: columns, bounds, categories, declared sizes",
      "the plan: settings, cost, epsilon and noise of each group, the account"};
  if (!report.terms.empty()) released.emplace_back("what each column adds");
  if (!private_evaluation_tables(report).empty()) released.emplace_back("the private evaluation");
  if (!is_private(report)) {
    released = {"nothing computed from records, unless the table is public",
                "the settings, and what a reviewed schema declares"};
  }
  std::vector<std::string> closed = {
      "this page and report.json as a whole",
      "figures of held-out records, costs and their intervals: computed without noise",
      "the training curve and the reference model",
      "what the schema's rules did to records, and the time taken"};
  if (!report.explanations.empty())
    closed.emplace_back("why groups lose: computed from training records without noise");
  if (report.largest_loss)
    closed.emplace_back(
        "the largest loss of any group of training records, and the least possible");
  section.add(Sides{released, closed});
}

/// The fence of what the schema declares.
Fence fence_of_schema(const TrainingReport& report) {
  return report.schema_reviewed ? Fence::kPublishable : Fence::kUnprotected;
}

void add_model(const TrainingReport& report, Document& document) {
  Section& section = document.section("Model", fence_of_schema(report), Form::kCard);
  section.add(Facts{{{"model", describe_model(report)},
                     {"method", fmt::format("{} [{}]", report.method, report.source)},
                     {"dataset", report.dataset},
                     {"target", report.target},
                     {"predicts", report.classes.empty()
                                      ? "a number"
                                      : fmt::format("one of: {}", fmt::join(report.classes, ", "))},
                     {"parameters", format_count(std::ssize(report.parameters))},
                     {"status", std::string(to_string(report.status))},
                     {"made with", "Equinoise " + report.version}}});
  section.add(Paragraph{"Intended use: " + intended_use(report)});
  TextTable features{report.schema_reviewed
                         ? "Bounds and categories come from the schema, not from the records"
                         : "Bounds and categories were drafted from the records",
                     {"column", "encoding"}};
  for (const FeatureReport& feature : report.features)
    features.rows.push_back({feature.column, feature.encoding});
  features.num_left = 2;
  Section& columns = document.section("Features", fence_of_schema(report), Form::kCard);
  columns.add(std::move(features));
  if (!report.columns_left_out.empty()) {
    columns.add(Paragraph{fmt::format("Columns that are no features: {}.",
                                      fmt::join(report.columns_left_out, ", "))});
  }
}

/// The estimate in the page's chart of groups.
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

void add_who_pays(const TrainingReport& report, Document& document) {
  const Subject subject = subject_of(report);
  const auto row = [&](const GroupReport& group) {
    return DotRow{values_of(group.group), format_size(group.public_size),
                  estimate_for(subject, group)};
  };
  Section& section = document.section("Who pays", Fence::kNotPrivate, Form::kPage);
  if (!subject.is_cost) {
    section.add(
        Paragraph{"No reference was trained. With --reference this page shows what each group "
                  "loses against the same model trained without noise."});
  }
  const std::vector<GroupingRows> groupings = groupings_of(report.groups);
  if (groupings.empty()) {
    section.add(
        Paragraph{"No groups were requested; with --groups COLUMN this page shows who pays."});
  }
  for (size_t i = 0; i < groupings.size(); ++i) {
    DotChart chart{.id = fmt::format("groups-{}", i + 1),
                   .title = subject.title + " by " + groupings[i].columns,
                   .metric = subject.metric,
                   .axis_label = subject.axis_label,
                   .name_head = groupings[i].columns,
                   .size_head = "public size",
                   .total = row(report.overall),
                   .compares_with_zero = subject.is_cost};
    std::vector<double> weights;
    for (const GroupReport& group : groupings[i].groups) {
      chart.rows.push_back(row(group));
      const double value = chart.rows.back().estimate.value;
      weights.push_back(subject.metric == "accuracy" && !subject.is_cost ? -value : value);
    }
    section.add(Picture{dot_chart(chart, weights,
                                  subject.is_cost            ? "the largest cost"
                                  : subject.metric == "rmse" ? "the largest error"
                                                             : "the lowest accuracy") +
                        "\n"});
  }
  section.add(Paragraph{fmt::format(
      "Bars are 95 % intervals. They cover the choice of held-out {}, not the noise drawn in "
      "training; a group with few of them has a wide interval whatever was done to it.",
      report.unit.plural())});
}

void add_figures(const TrainingReport& report, Document& document) {
  for (const GroupingRows& grouping : told_groupings(report))
    document.section(caption_of(grouping.columns), Fence::kNotPrivate, Form::kScreen)
        .add(training_table(report, grouping, false));
  const bool may_be_evaluated = report.status == PrivacyStatus::kPrivate &&
                                !report.evaluates_groups && report.why_not_evaluated.empty() &&
                                !report.classes.empty() && report.unit.is_row();
  document.sections.back().add(Items{{fmt::format(
      "Intervals cover the choice of held-out {}, not the noise drawn in training.{}",
      report.unit.plural(),
      may_be_evaluated ? " --private-evaluation pays for error rates to publish." : "")}});
  Section& section = document.section("All figures", Fence::kNotPrivate, Form::kPage);
  section.add(
      Paragraph{"Public size, epsilon and noise are publishable; everything else is not private. "
                "Noise per expected member is the standard deviation of the noise on each entry of "
                "a gradient sum, over the members of the group expected in a batch."});
  for (const GroupingRows& grouping : told_groupings(report)) {
    section.add(training_table(report, grouping, true));
    section.add(fit_table(report, grouping));
    section.add(cost_table(costs_of(grouping), report.classes.empty()));
  }
}

void add_constraints(const TrainingReport& report, Document& document) {
  if (report.constraints.empty()) return;
  // A screen has one answer to each constraint.
  const bool is_answered = std::ranges::all_of(report.constraints, [](const auto& constraint) {
    return constraint.private_check &&
           constraint.private_check->verdict() != LimitVerdict::kNotAnswerable;
  });
  document.section("Constraints", Fence::kNotPrivate, is_answered ? Form::kPage : Form::kShown)
      .add(Paragraph{std::string(kHowToReadChecks)})
      .add(constraints_table(report));
  TextTable constraints{"", {"name", "constraint"}};
  constraints.num_left = 2;
  for (const ConstraintReport& constraint : report.constraints)
    constraints.rows.push_back({constraint.name, constraint.text});
  document.section("Constraints in training", Fence::kPublishable, Form::kCard)
      .add(std::move(constraints));
}

/// The figures of a private evaluation, or the reason why there are none.
void add_private_evaluation(const TrainingReport& report, Document& document) {
  if (!is_evaluation_told(report)) return;
  Section& section =
      document.section("Private evaluation", fence_of(report), Form::kShown | Form::kCard);
  if (report.why_not_evaluated.empty()) {
    section.add(Paragraph{private_evaluation_line(report)});
  } else {
    section.add(Items{{private_evaluation_line(report)}});
  }
  if (std::string cost = evaluation_cost_line(report); !cost.empty())
    section.add(Items{{std::move(cost)}});
  for (TextTable& table : private_evaluation_tables(report)) section.add(std::move(table));
  if (!report.overall.private_rates || report.classes.size() != 2) return;
  Items items{
      {fmt::format("The selection rate is the share predicted to be {}.", report.classes[1])}};
  for (const SelectionRatio& ratio : selection_ratios(report)) {
    items.items.push_back(fmt::format(
        "Ratio of selection rates by {}, lowest by highest: {}{}. Noise and few records alone take "
        "it below 1.",
        columns_of(ratio.by),
        ratio.lowest.empty() ? "undefined, as fewer than two groups have a rate, or none is above 0"
                             : fmt::format("{} ({}, {})", format_amount(ratio.ratio),
                                           values_of(ratio.lowest), values_of(ratio.highest)),
        ratio.left_out.empty() ? "" : "; without a rate: " + list_groups(ratio.left_out)));
  }
  section.add(std::move(items));
}

void add_privacy(const TrainingReport& report, Document& document) {
  Section& section = document.section("Privacy", fence_of_schema(report), Form::kCard);
  Facts facts{
      {{"unit", report.unit.is_row() ? "one row"
                                     : fmt::format("one {}, of whose rows at most {} count",
                                                   report.unit.name, report.unit.max_records)}}};
  const auto add = [&](std::string name, std::string_view value) {
    facts.facts.emplace_back(std::move(name), value);
  };
  if (report.privacy) {
    add("relation", to_string(report.privacy->relation));
    add("epsilon", format_epsilon(report.privacy->epsilon));
    add("delta", fmt::format("{}", report.privacy->delta.value()));
    add("accountant", to_string(report.privacy->accountant));
    if (report.by_rdp) add("epsilon by RDP accounting", format_epsilon(report.by_rdp->epsilon));
  } else {
    add("guarantee", "none");
  }
  if (!report.schema_reviewed)
    add("schema", "drafted from the data and not reviewed: outside the guarantee");
  section.add(std::move(facts));
  for (const GroupingRows& grouping : groupings_of(report.groups))
    section.add(public_table(grouping));
}

/// The weights of the groups that ended with the largest, over the steps.
void add_group_path(const TrainingReport& report, Document& document) {
  TextTable table = group_path_table(report);
  if (table.rows.empty()) return;
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
  document.section(table.caption, fence_of(report), Form::kShown | Form::kCard)
      .add(Picture{line_chart(chart)})
      .add(std::move(table));
}

void add_coefficients(const TrainingReport& report, Document& document) {
  TextTable table = coefficients_table(report);
  document.section(table.caption, fence_of(report), Form::kShown | Form::kCard)
      .add(Paragraph{coefficients_line(report)})
      .add(std::move(table))
      .add(Paragraph{missing_coefficients_line(report)});
}

Line line_of(const std::string& name, const std::vector<CurvePoint>& curve) {
  Line line{name, {}};
  for (const CurvePoint& point : curve)
    line.points.emplace_back(static_cast<double>(point.step), point.loss);
  return line;
}

void add_curve(const TrainingReport& report, Document& document) {
  LineChart chart{"training-curve",
                  "Mean held-out loss over the steps of training",
                  "Mean loss on held-out records over the steps of training. The text below gives "
                  "the last values.",
                  "steps done",
                  {line_of("released", report.curve)}};
  if (!report.reference_curve.empty())
    chart.lines.push_back(line_of("reference", report.reference_curve));
  Section& section = document.section("Training curve", Fence::kNotPrivate, Form::kPage);
  const bool any = !report.curve.empty() || !report.reference_curve.empty();
  if (any) {
    section.add(Picture{line_chart(chart)});
  } else {
    section.add(Paragraph{"No curve was recorded."});
  }
  const auto tell_last = [&](std::string_view name, const std::vector<CurvePoint>& curve) {
    if (curve.empty()) return;
    section.add(
        Paragraph{fmt::format("Last held-out loss, {}: {} after {} steps.", name,
                              format_amount(curve.back().loss), format_count(curve.back().step))});
  };
  tell_last("released", report.curve);
  tell_last("reference", report.reference_curve);
  if (report.seconds)
    section.add(Paragraph{fmt::format("Training by itself took {:.3g} s.", *report.seconds)});
}

void add_largest_loss(const TrainingReport& report, Document& document) {
  if (!report.largest_loss) return;
  const LargestLoss& largest = *report.largest_loss;
  document
      .section("Largest mean loss of any group of training records", Fence::kNotPrivate,
               Form::kShown)
      .add(Facts{{{"of the model", fmt::format("{:.5g}", largest.loss)},
                  {fmt::format("least of parameters of norm at most {:g}", largest.radius),
                   fmt::format("{:.5g} to {:.5g}", largest.min_lower, largest.min_upper)},
                  {"the model is above it by",
                   fmt::format("{:.3g} to {:.3g}", largest.loss - largest.min_upper,
                               largest.loss - largest.min_lower)}}});
}

/// The costs of clipping and noise for each group: a table of means, and charts over the steps.
void add_explanations(const TrainingReport& report, Document& document) {
  if (report.explanations.empty()) return;
  Section& section = document.section("Why groups lose", Fence::kNotPrivate, Form::kShown);
  section.add(
      Paragraph{"Positive values are worse; they are accurate to second order. Each measurement "
                "uses the batch of one step; the gradients and Hessians of groups are those of all "
                "their training records. " +
                clipping_columns_line()});
  section.add(explanations_table(report));
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
    section.add(Picture{line_chart(chart)});
  }
  if (num_groups < report.explained_groups.size()) {
    section.add(Paragraph{
        fmt::format("Of {} groups, only the first {} are drawn; report.json has all of them.",
                    report.explained_groups.size(), num_groups)});
  }
}

void add_account(const TrainingReport& report, Document& document) {
  document.section("Cost", Fence::kPublishable, Form::kPage | Form::kCard).add(cost_table(report));
  add_account(report.ledger, document);
  if (!report.ledger) {
    document.section("Ledger", Fence::kPublishable, Form::kPage | Form::kCard)
        .add(Paragraph{"This run is not recorded in a ledger."});
    return;
  }
  const auto& entries = report.ledger_entries;
  Section& listed = document.section("Entries of the ledger", Fence::kPublishable, Form::kPage);
  if (report.num_earlier_entries > 0) {
    listed.add(Paragraph{fmt::format("The last {} of {} entries:", entries.size(),
                                     report.num_earlier_entries + std::ssize(entries))});
  }
  if (entries.empty()) return;
  listed.add(entries_table(entries))
      .add(Paragraph{"The amount spent is one account of all entries together; a further release "
                     "may cost more or less than the difference. equinoise ledger explain lists "
                     "what each entry paid for."});
}

void add_settings(const TrainingReport& report, Document& document) {
  Section& section = document.section("Settings", Fence::kPublishable, Form::kPage | Form::kCard);
  section.add(settings_table(report));
  if (std::ranges::any_of(report.settings,
                          [](const auto& setting) { return setting.first == "num_features"; })) {
    section.add(
        Paragraph{"num_features counts the constant and the bins and lines of columns that the fit "
                  "used, not columns: a column has several bins."});
  }
  section.add(
      Paragraph{fmt::format("Split: a share of {:.6g} of the {} was held out, split seed {}.",
                            report.test_fraction, report.unit.plural(), report.split_seed)});
}

void add_run_file(const TrainingReport& report, Document& document) {
  if (report.run_file.empty()) return;
  document.section("Run file", Fence::kPublishable, Form::kPage)
      .add(Paragraph{"The run with all its options, as equinoise train --config reads it; beside "
                     "this page it is run.toml."})
      .add(Code{report.run_file});
}

}  // namespace

std::vector<SelectionRatio> selection_ratios(const TrainingReport& report) {
  std::vector<SelectionRatio> ratios;
  if (!report.overall.private_rates || report.classes.size() != 2) return ratios;
  for (const GroupingRows& grouping : groupings_of(report.groups)) {
    std::vector<GroupLabel> groups;
    std::vector<Metrics> rates;
    for (const GroupReport& group : grouping.groups) {
      if (group.public_size == 0) continue;
      groups.push_back(group.group);
      rates.emplace_back().selection_rate =
          group.private_rates.value_or(PrivateRates()).selection_rate;
    }
    if (groups.size() < 2) continue;
    const Disparity disparity = disparity_in(find_metric("selection_rate"), rates, {});
    SelectionRatio& made = ratios.emplace_back();
    for (const auto& [column, value] : groups.front()) made.by.push_back(column);
    made.ratio = disparity.ratio_between_groups;
    if (std::isfinite(made.ratio)) {
      made.lowest = groups[disparity.lowest];
      made.highest = groups[disparity.highest];
    }
    for (const size_t group : disparity.left_out) made.left_out.push_back(groups[group]);
  }
  return ratios;
}

bool is_evaluation_told(const TrainingReport& report) {
  return !report.constraints.empty() || report.evaluates_groups;
}

std::string private_evaluation_line(const TrainingReport& report) {
  if (!report.why_not_evaluated.empty()) {
    return fmt::format("Private evaluation: none, because {}. Nothing publishable shows {}.",
                       report.why_not_evaluated,
                       report.constraints.empty()
                           ? "how accurate the model is"
                           : "whether the model keeps its constraints: training under a constraint "
                             "does not guarantee that");
  }
  return fmt::format(
      "Private evaluation: computed from counts of held-out records with discrete Gaussian noise "
      "of standard deviation {:.4g}{}. Each interval by itself holds in 95 % of releases, "
      "including those without a figure; it covers the choice of held-out records and this noise, "
      "not the noise drawn in training.",
      report.evaluation_noise_stddev.value_or(0),
      report.status == PrivacyStatus::kPrivate ? ", part of the guarantee: it may be published"
                                               : "; NOT PRIVATE, as this run is not");
}

std::string evaluation_cost_line(const TrainingReport& report) {
  if (!report.evaluation_cost) return "";
  const auto& [with, without, before] = *report.evaluation_cost;
  const std::string what = report.ledger ? "the account comes to" : "the run by itself costs";
  const double added = with.value() - without.value();
  if (format_epsilon(with) == format_epsilon(without)) {
    return fmt::format(
        "The private evaluation costs nothing{}: {} epsilon {} with and without it{}.",
        added > 0 ? " that shows" : "", what, format_epsilon(with),
        report.ledger ? "" : "; in an account with earlier entries this may differ");
  }
  const double of_run = without.value() - before.value();
  return fmt::format(
      "The private evaluation costs epsilon {:.3g}{}: {} epsilon {} with it and {} without.", added,
      of_run > 0 ? fmt::format(", {:.2g} % of what this run costs without it", 100 * added / of_run)
                 : "",
      what, format_epsilon(with), format_epsilon(without));
}

std::string intended_use(const TrainingReport& report) {
  return fmt::format(
      "to predict {} for records that fit the schema and come from the same population as the "
      "table. Whether the model is accurate and fair enough must be judged for each decision it is "
      "used in.",
      report.target);
}

std::vector<std::string> limitations_of(const TrainingReport& report) {
  std::vector<std::string> limitations = {
      "Neither the software nor this model has been audited by a third party.",
      report.overall.private_rates ? "The only figures of accuracy on this page are those of the "
                                     "private evaluation: exact figures are not private."
                                   : "Accuracy and loss are not on this page: they are computed "
                                     "from records without noise and are not private."};
  if (report.privacy) {
    limitations.emplace_back(
        pay_apart(report.groups)
            ? "Members of different groups have different guarantees; see the table of groups."
            : "An equal epsilon for all groups does not mean equal accuracy.");
    limitations.emplace_back("The guarantee treats everything in the schema as public.");
    limitations.emplace_back(kNotCovered);
  } else {
    limitations.emplace_back(
        "No guarantee protects the records that the model was trained on: its parameters may "
        "reveal them.");
  }
  if (!report.schema_reviewed) {
    limitations.emplace_back(
        "The schema was drafted from the data and not reviewed (--public-data): no noise protects "
        "its bounds, categories and sizes.");
  }
  return limitations;
}

Document training_document(const TrainingReport& report) {
  Document document;
  document.title = fmt::format("Training report: {} on {}", report.method, report.dataset);
  document.alarms = alarms_of(report);
  document.summary = summary_of(report);
  document.lead = lead_of(report);
  document.warnings = report.warnings;
  document.owner_warnings = report.owner_warnings;
  document.files = marked(report.files, fence_of(report.status));
  add_who_pays(report, document);
  add_what_was_done(report, document);
  document.section("Notes", Fence::kPublishable, Form::kPage | Form::kCard)
      .add(Items{report.notes});
  add_model(report, document);
  add_figures(report, document);
  add_constraints(report, document);
  add_private_evaluation(report, document);
  add_privacy(report, document);
  add_group_path(report, document);
  add_coefficients(report, document);
  add_terms(report, fence_of(report), document);
  add_curve(report, document);
  add_largest_loss(report, document);
  add_explanations(report, document);
  add_account(report, document);
  add_settings(report, document);
  document.section("Reading the table", Fence::kNotPrivate, Form::kShown)
      .add(Items{report.ingest_notes});
  document.section("Limitations", Fence::kPublishable, Form::kCard)
      .add(Items{limitations_of(report)});
  document.add_repeat(report.command, report.version, Form::kPage | Form::kCard);
  add_run_file(report, document);
  return document;
}

Document training_card(const TrainingReport& report) {
  Document document = training_document(report);
  document.title = fmt::format("Model card: {} on {}", report.method, report.dataset);
  document.alarms = publishable_alarms(report);
  document.summary.clear();
  document.files.clear();
  if (is_private(report)) {
    document.lead.insert(document.lead.begin() + 1,
                         "This card, model.json and run.toml may be published; report.html and "
                         "report.json beside them hold exact figures and may not.");
  }
  std::erase_if(document.sections, [](const Section& section) {
    return (section.forms & Form::kCard) == 0 || section.fence == Fence::kNotPrivate;
  });
  for (Section& section : document.sections) section.forms = Form::kPage | Form::kCard;
  return document;
}

Document plan_document(const TrainingReport& report) {
  Document document;
  document.title =
      fmt::format("Plan: {} on {} ({})", report.method, report.dataset, to_string(report.status));
  document.lead = lead_of(report);
  document.warnings = report.warnings;
  Facts facts{{{"model", describe_model(report)}}};
  if (!report.optimizer.empty()) facts.facts.emplace_back("optimizer", report.optimizer);
  for (const auto& [name, value] : report.settings)
    facts.facts.emplace_back(name, format_setting(value));
  document.section(document.title, Fence::kPublishable, Form::kShown).add(std::move(facts));
  document.section("Cost", Fence::kPublishable, Form::kShown).add(cost_table(report));
  document.section("Constraints", Fence::kPublishable, Form::kShown).add(constraint_list(report));
  add_private_evaluation(report, document);
  for (const GroupingRows& grouping : groupings_of(report.groups))
    document.section(caption_of(grouping.columns), Fence::kPublishable, Form::kShown)
        .add(public_table(grouping));
  Items others;
  for (const OtherMethod& other : report.other_methods) {
    others.items.push_back(
        fmt::format("{} (docs/methods/{}.md): {}", other.method, other.method, other.purpose));
    for (const std::string& note : other.notes)
      others.items.push_back("  at this epsilon: " + note);
  }
  if (!others.items.empty())
    others.items.emplace_back(
        "Compare them on a public table like yours: equinoise compare --public-data");
  document
      .section("Other methods for this target, which this plan does not rank", Fence::kPublishable,
               Form::kShown)
      .add(std::move(others));
  document.section("Notes", Fence::kPublishable, Form::kShown).add(Items{report.notes});
  add_account(report.ledger, document);
  return document;
}

}  // namespace equinoise
