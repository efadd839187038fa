// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/training_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "equinoise/report/group_tables.h"
#include "equinoise/report/ledger/ledger_text.h"

namespace equinoise {

namespace {

std::string format_noise(const GroupReport& group) {
  return group.relative_noise ? fmt::format("{:.3g}", *group.relative_noise) : "-";
}

}  // namespace

std::string name_of_units(const TrainingReport& report) {
  return ProtectedUnit{report.unit, report.max_records_per_unit}.plural();
}

TextTable public_table(const GroupingRows& grouping) {
  TextTable table{caption_of(grouping.columns),
                  {grouping.columns, "public size", "epsilon", "noise per expected member"},
                  {}};
  for (const GroupReport& group : grouping.groups) {
    table.rows.push_back({values_of(group.group), format_size(group.public_size),
                          format_epsilon(group.privacy), format_noise(group)});
  }
  return table;
}

TextTable training_table(const TrainingReport& report, const GroupingRows& grouping,
                         bool with_noise) {
  const bool numeric = report.classes.empty();
  const std::string_view main_metric = numeric ? "rmse" : "accuracy";
  const std::vector<std::string_view> metrics =
      numeric ? std::vector<std::string_view>{"rmse", "mean_error", "loss"}
              : std::vector<std::string_view>{"accuracy", "loss"};
  const bool with_reference = report.overall.reference.has_value();
  const Metrics overall = report.overall.metrics.value_or(Metrics());
  const Cost overall_cost = report.overall.cost.value_or(Cost());

  TextTable table{
      caption_of(grouping.columns),
      {name_of_records(grouping.columns, name_of_units(report)), "public size", "tested"},
      {}};
  table.ends_in_total = true;
  for (const std::string_view metric : metrics) table.head.push_back(head_of(metric));
  if (with_reference) {
    table.head.emplace_back(numeric ? "reference rmse" : "reference %");
    if (report.privacy) {
      table.head.emplace_back(numeric ? "loss added by privacy" : "lost to privacy, points");
    } else {
      table.head.emplace_back(numeric ? "loss above reference" : "below reference, points");
    }
  }
  table.head.emplace_back("epsilon");
  if (with_noise) table.head.emplace_back("noise per expected member");

  const auto add_row = [&](const GroupReport& group) {
    const Metrics found = group.metrics.value_or(Metrics());
    std::vector<std::string> row = {values_of(group.group), format_size(group.public_size),
                                    group.metrics ? format_count(found.num_records) : "-"};
    for (const std::string_view metric : metrics) {
      const Precision precision(metric, estimate_of(overall, metric));
      row.push_back(precision.format(estimate_of(found, metric)));
    }
    if (with_reference) {
      const Metrics reference = group.reference.value_or(Metrics());
      const Cost cost = group.cost.value_or(Cost());
      row.push_back(Precision(main_metric, estimate_of(overall, main_metric))
                        .format(estimate_of(reference, main_metric).value));
      row.push_back(numeric
                        ? Precision("loss", overall_cost.loss).format(cost.loss)
                        : Precision("accuracy", overall_cost.accuracy).format(cost.accuracy));
    }
    row.push_back(format_epsilon(group.privacy));
    if (with_noise) row.push_back(format_noise(group));
    table.rows.push_back(row);
  };
  for (const GroupReport& group : grouping.groups) add_row(group);
  add_row(report.overall);
  return table;
}

TextTable fit_table(const TrainingReport& report, const GroupingRows& grouping) {
  const size_t num_classes = report.classes.size();
  TextTable table{num_classes == 0 ? "How much is told" : "Probabilities",
                  {name_of_records(grouping.columns, name_of_units(report))},
                  {}};
  if (num_classes > 2) return table;
  table.ends_in_total = true;
  const std::vector<std::string_view> metrics =
      num_classes == 0 ? std::vector<std::string_view>{"r_squared", "mean_absolute_error"}
                       : std::vector<std::string_view>{"auc", "calibration_gap"};
  for (const std::string_view metric : metrics) table.head.push_back(head_of(metric));
  const Metrics overall = report.overall.metrics.value_or(Metrics());
  const auto add_row = [&](const GroupReport& group) {
    const Metrics found = group.metrics.value_or(Metrics());
    std::vector<std::string> row = {values_of(group.group)};
    for (const std::string_view metric : metrics)
      row.push_back(
          Precision(metric, estimate_of(overall, metric)).format(estimate_of(found, metric)));
    table.rows.push_back(row);
  };
  for (const GroupReport& group : grouping.groups) add_row(group);
  add_row(report.overall);
  return table;
}

TextTable explanations_table(const TrainingReport& report) {
  TextTable table{
      fmt::format(
          "Effect of a training step on the loss of groups, mean of {} measurements; positive "
          "values are worse",
          format_count(std::ssize(report.explanations))),
      {columns_of(report.explained_groups.front()), "records", "gradient norm", "without privacy",
       "clipping", "length first", "direction last", "direction first", "length last", "noise"},
      {}};
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

TextTable constraint_list(const TrainingReport& report) {
  TextTable table{"Constraints", {"constraint"}, {}};
  for (const ConstraintReport& constraint : report.constraints)
    table.rows.push_back({constraint.text});
  return table;
}

TextTable private_constraints_table(const TrainingReport& report) {
  return checks_table("Private evaluation of the constraints", report.constraints,
                      &ConstraintReport::private_check);
}

TextTable private_rates_table(const TrainingReport& report, const GroupingRows& grouping) {
  TextTable table{"Private evaluation: " + caption_of(grouping.columns),
                  {name_of_records(grouping.columns, name_of_units(report)), head_of("accuracy")},
                  {}};
  table.ends_in_total = true;
  if (!report.overall.private_rates) return table;
  const bool is_binary = report.classes.size() == 2;
  if (is_binary) {
    table.head.push_back(head_of("false_positive_rate"));
    table.head.push_back(head_of("false_negative_rate"));
  }
  const PrivateRates& overall = *report.overall.private_rates;
  const auto add_row = [&](const GroupReport& group) {
    const PrivateRates rates = group.private_rates.value_or(PrivateRates());
    std::vector<std::string>& row = table.rows.emplace_back(1, values_of(group.group));
    const auto add = [&](std::string_view metric, Estimate PrivateRates::*rate) {
      row.push_back(Precision(metric, overall.*rate).format(rates.*rate));
    };
    add("accuracy", &PrivateRates::accuracy);
    if (!is_binary) return;
    add("false_positive_rate", &PrivateRates::false_positive_rate);
    add("false_negative_rate", &PrivateRates::false_negative_rate);
  };
  for (const GroupReport& group : grouping.groups) add_row(group);
  add_row(report.overall);
  return table;
}

std::vector<TextTable> private_evaluation_tables(const TrainingReport& report) {
  std::vector<TextTable> tables = {private_constraints_table(report)};
  for (const GroupingRows& grouping : groupings_of(report.groups))
    tables.push_back(private_rates_table(report, grouping));
  if (report.groups.empty()) tables.push_back(private_rates_table(report, {}));
  std::erase_if(tables, [](const TextTable& table) { return table.rows.empty(); });
  return tables;
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
  if (added <= 0) {
    return fmt::format("The private evaluation costs nothing: {} epsilon {} with and without it{}.",
                       what, format_epsilon(with),
                       report.ledger ? "" : "; in an account with earlier entries this may differ");
  }
  const double of_run = without.value() - before.value();
  return fmt::format(
      "The private evaluation costs epsilon {:.3g}{}: {} epsilon {} with it and {} without.", added,
      of_run > 0 ? fmt::format(", {:.2g} % of what this run costs without it", 100 * added / of_run)
                 : "",
      what, format_epsilon(with), format_epsilon(without));
}

TextTable group_path_table(const TrainingReport& report) {
  TextTable table{"Weights of groups in training", {"group"}, {}};
  if (report.group_path.empty()) return table;
  const GroupPathRow& first = report.group_path.front();
  const GroupPathRow& last = report.group_path.back();
  // Losses that are released once are reported once.
  const bool has_losses = !first.losses.empty();
  const bool has_last_losses = !last.losses.empty();
  table.head.push_back(fmt::format("weight, to step {}", first.step));
  table.head.push_back(fmt::format("to step {}", last.step));
  if (has_losses)
    table.head.push_back(
        fmt::format("noisy loss, {} step {}", has_last_losses ? "to" : "after", first.step));
  if (has_last_losses) table.head.push_back(fmt::format("to step {}", last.step));
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

TextTable coefficients_table(const TrainingReport& report) {
  TextTable table{
      "Coefficients", {"coefficient", "estimate", "standard error", "95 % interval"}, {}};
  if (!report.regression) return table;
  const bool is_logistic = !report.regression->log_odds_of.empty();
  if (is_logistic) table.head.emplace_back("exp(estimate) [95 %]");
  const auto add = [&](const RegressionFigure& figure, const std::string& of = "") {
    const std::string no_interval = figure.estimate ? "unbounded" : "-";
    const auto told = [](const std::optional<double>& value, const char* digits) {
      return value ? fmt::format(fmt::runtime(digits), *value) : std::string("-");
    };
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{
        figure.name + of, told(figure.estimate, "{:.4g}"), told(figure.standard_error, "{:.2g}"),
        figure.interval
            ? fmt::format("{:.4g} to {:.4g}", figure.interval->low, figure.interval->high)
            : no_interval});
    if (!is_logistic) return;
    row.push_back(figure.estimate && figure.interval
                      ? fmt::format("{:.3g} [{:.3g}, {:.3g}]", std::exp(*figure.estimate),
                                    std::exp(figure.interval->low), std::exp(figure.interval->high))
                      : no_interval);
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

std::string coefficients_line(const TrainingReport& report) {
  if (!report.regression) return "";
  const RegressionReport& regression = *report.regression;
  return !regression.log_odds_of.empty()
             ? fmt::format(
                   "What the log odds of {} = {} grow by where a column grows by one of its units "
                   "or "
                   "a category is another, and exp() of that, an odds ratio (of the intercept: "
                   "odds). "
                   "Of records that count less "
                   "where their features lie "
                   "beyond --row-bound. Intervals cover the noise and the draw of the records, "
                   "where "
                   "log odds are such a sum. The slopes of the model are others: shrunk by what "
                   "noise "
                   "hides.",
                   report.target, regression.log_odds_of)
             : "In the units of the columns, by least squares, of targets within --target-bound "
               "and "
               "of records that count less where their features lie beyond --row-bound. Intervals "
               "cover the noise and the draw of the records, if residuals vary alike for all of "
               "them; "
               "those of residual standard deviations and R squared also take residuals to be "
               "about "
               "normal. The slopes of the model are others: shrunk by what noise hides.";
}

std::vector<std::string> coefficients_notes(const TrainingReport& report) {
  if (!report.regression) return {};
  const RegressionReport& regression = *report.regression;
  std::vector<RegressionFigure> rows = regression.coefficients;
  const auto add = [&](const RegressionFit& fit) {
    rows.insert(rows.end(), {fit.residual_stddev, fit.r_squared});
  };
  if (regression.fit) add(*regression.fit);
  for (const RegressionFit& group : regression.groups) add(group);
  const auto is_any = [&](bool (*holds)(const RegressionFigure&)) {
    return std::any_of(rows.begin(), rows.end(), holds);
  };
  std::vector<std::string> notes;
  if (is_any([](const RegressionFigure& figure) { return !figure.estimate; }))
    notes.emplace_back(
        "Without an estimate: noise hides it, as it does where a category is rare or other columns "
        "say the same; spend more, leave columns out, or merge categories. What follows the "
        "intercept without an estimate is left out of the regression.");
  if (is_any([](const RegressionFigure& figure) { return figure.estimate && !figure.interval; }))
    notes.emplace_back(
        "An unbounded interval: noise may be all that is left of the column beside the others, so "
        "that its coefficient may be anything.");
  return notes;
}

TextTable settings_table(const TrainingReport& report) {
  TextTable table{"Settings", {"setting", "value"}, {}};
  for (const auto& [name, value] : report.settings)
    table.rows.push_back({name, format_setting(value)});
  return table;
}

TextTable constraints_table(const TrainingReport& report) {
  const bool checked = !report.constraints.empty() && report.constraints[0].check.has_value();
  return checked ? checks_table("Constraints on the held-out records", report.constraints)
                 : constraint_list(report);
}

TextTable cost_table(const TrainingReport& report) {
  TextTable table{"Cost", {"cost", "event"}, {}};
  table.num_left = 2;
  for (const CostLine& cost : report.costs)
    for (const std::string& line : event_lines(cost.event))
      table.rows.push_back({cost.label, line});
  if (table.rows.empty()) table.rows.push_back({"nothing", "-"});
  return table;
}

}  // namespace equinoise
