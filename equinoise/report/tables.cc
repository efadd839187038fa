// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "equinoise/audit/disparity.h"
#include "equinoise/privacy/group_events.h"

namespace equinoise {

namespace {

/// "accuracy % [95 %]", "rmse [95 %]"
std::string head_of(std::string_view metric) {
  return metric_words(metric) + (is_share(metric) ? " % [95 %]" : " [95 %]");
}

/// "accuracy, points", "rmse": the unit of differences of a metric.
std::string difference_of(std::string_view metric) {
  return metric_words(metric) + (is_share(metric) ? ", points" : "");
}

std::string name_of_records(const std::string& columns) {
  return columns.empty() ? "records" : columns;
}

std::string caption_of(const std::string& columns) {
  return columns.empty() ? "Everybody" : "Groups by " + columns;
}

std::string format_noise(const GroupReport& group) {
  return group.relative_noise ? fmt::format("{:.3g}", *group.relative_noise) : "-";
}

/// In the unit of difference_of.
double in_points(std::string_view metric, double difference) {
  return is_share(metric) ? 100 * difference : difference;
}

std::string format_ratio(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "-";
}

/// A sum of rates.
std::string format_rate(double rate) {
  return std::isfinite(rate) ? fmt::format("{:.4f}", rate) : "-";
}

/// Of a loss, with its sign.
std::string format_change(double change) {
  return std::isfinite(change) ? fmt::format("{:+.3g}", change) : "-";
}

std::string format_size_of(double size) {
  return std::isfinite(size) ? fmt::format("{:.3g}", size) : "-";
}

/// An event as rows of a table: of groups in parallel one for each.
std::vector<std::string> event_lines(const Event& event) {
  if (event.kind() != Event::Kind::kParallel) return {event.to_text()};
  std::vector<std::string> lines;
  const std::string& partition = event.partition();
  for (size_t k = 0; k < event.events().size(); ++k) {
    lines.push_back(fmt::format("{}={}: {}", partition_title(partition), event.group_names()[k],
                                event.events()[k].to_text()));
  }
  return lines;
}

/// Which groups each row is not about; nothing where there are none.
void add_left_out(const std::vector<std::string>& left_out, TextTable& table) {
  const bool any = std::any_of(left_out.begin(), left_out.end(),
                               [](const std::string& groups) { return !groups.empty(); });
  if (!any) return;
  table.head.emplace_back("left out");
  for (size_t i = 0; i < left_out.size(); ++i)
    table.rows[i].push_back(left_out[i].empty() ? "-" : left_out[i]);
}

using CheckMember = std::optional<ConstraintCheck> ConstraintReport::*;

/// How the constraints that have `checked` are kept by it.
TextTable checks_table(std::string caption, std::span<const ConstraintReport> constraints,
                       CheckMember checked = &ConstraintReport::check) {
  TextTable table{
      std::move(caption), {"constraint", "value", "95 % interval", "slack", "verdict"}, {}};
  const bool with_reference = checked == &ConstraintReport::check && !constraints.empty() &&
                              constraints[0].reference.has_value();
  if (with_reference) table.head.emplace_back("reference");
  for (const ConstraintReport& constraint : constraints) {
    const std::optional<ConstraintCheck>& check = constraint.*checked;
    if (!check) continue;
    const auto& [value, interval] = check->value;
    table.rows.push_back({constraint.text, format_rate(value),
                          std::isnan(value) ? "-"
                                            : fmt::format("{} to {}", format_rate(interval.low),
                                                          format_rate(interval.high)),
                          fmt::format("{:g}", constraint.slack), verdict_of(*check)});
    if (with_reference) table.rows.back().push_back(format_rate(constraint.reference->value.value));
  }
  return table;
}

}  // namespace

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
  const Metrics everybody = report.overall.metrics.value_or(Metrics());
  const Cost cost_of_everybody = report.overall.cost.value_or(Cost());

  TextTable table{caption_of(grouping.columns),
                  {name_of_records(grouping.columns), "public size", "tested"},
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
      const Precision precision(metric, estimate_of(everybody, metric));
      row.push_back(precision.format(estimate_of(found, metric)));
    }
    if (with_reference) {
      const Metrics reference = group.reference.value_or(Metrics());
      const Cost cost = group.cost.value_or(Cost());
      row.push_back(Precision(main_metric, estimate_of(everybody, main_metric))
                        .format(estimate_of(reference, main_metric).value));
      row.push_back(numeric
                        ? Precision("loss", cost_of_everybody.loss).format(cost.loss)
                        : Precision("accuracy", cost_of_everybody.accuracy).format(cost.accuracy));
    }
    row.push_back(format_epsilon(group.privacy));
    if (with_noise) row.push_back(format_noise(group));
    table.rows.push_back(row);
  };
  for (const GroupReport& group : grouping.groups) add_row(group);
  add_row(report.overall);
  return table;
}

TextTable audit_table(const AuditReport& report, const AuditGrouping& grouping) {
  const bool numeric = report.classes.empty();
  const std::span<const std::string_view> metrics = shown_metrics(report.classes.size());
  const Cost cost_of_everybody = report.overall_cost.value_or(Cost());
  const std::string columns = columns_of(grouping.columns);
  TextTable table{caption_of(columns), {name_of_records(columns), "tested"}, {}};
  table.ends_in_total = true;
  for (const std::string_view metric : metrics) table.head.push_back(head_of(metric));
  if (report.overall_cost)
    table.head.emplace_back(numeric ? "loss above reference" : "below reference, points");

  const auto add_row = [&](const GroupLabel& group, const Metrics& found, const Cost& cost) {
    std::vector<std::string> row = {values_of(group), format_count(found.num_records)};
    for (const std::string_view metric : metrics) {
      const Precision precision(metric, estimate_of(report.overall, metric));
      row.push_back(precision.format(estimate_of(found, metric)));
    }
    if (report.overall_cost) {
      row.push_back(numeric
                        ? Precision("loss", cost_of_everybody.loss).format(cost.loss)
                        : Precision("accuracy", cost_of_everybody.accuracy).format(cost.accuracy));
    }
    table.rows.push_back(row);
  };
  for (size_t i = 0; i < grouping.groups.size(); ++i) {
    add_row(grouping.groups[i], grouping.metrics[i],
            grouping.cost.empty() ? Cost() : grouping.cost[i]);
  }
  add_row({}, report.overall, cost_of_everybody);
  return table;
}

TextTable cost_table(const GroupCosts& groups, bool numeric_target) {
  TextTable table{
      fmt::format("What groups by {} lose to the reference", groups.columns), {groups.columns}, {}};
  table.ends_in_total = true;
  if (groups.costs.size() < 2) return table;
  for (const GroupLabel& group : groups.groups) table.rows.push_back({values_of(group)});
  table.rows.push_back({"gap"});
  const auto add_column = [&](std::string_view metric, const char* head, Estimate Cost::*cost) {
    table.head.emplace_back(head);
    const Estimate gap = cost_gap(groups.costs, cost).gap;
    const Precision precision(metric, gap);
    for (size_t i = 0; i < groups.costs.size(); ++i)
      table.rows[i].push_back(precision.format(groups.costs[i].*cost));
    table.rows.back().push_back(precision.format(gap));
  };
  if (!numeric_target) add_column("accuracy", "accuracy lost, points [95 %]", &Cost::accuracy);
  add_column("loss", "loss added [95 %]", &Cost::loss);
  return table;
}

TextTable disparity_table(const AuditGrouping& grouping) {
  TextTable table{"Differences between the groups by " + columns_of(grouping.columns),
                  {"metric", "lowest", "highest", "difference [95 %]", "to everybody", "ratio",
                   "ratio to everybody"},
                  {}};
  table.num_left = 3;
  std::vector<std::string> left_out;
  for (const Disparity& disparity : grouping.disparities) {
    const Precision precision(disparity.metric, disparity.difference_between_groups);
    const auto name = [&](size_t group) {
      return disparity.is_defined() ? values_of(grouping.groups[group]) : "-";
    };
    table.rows.push_back(
        {difference_of(disparity.metric), name(disparity.lowest), name(disparity.highest),
         precision.format(disparity.difference_between_groups),
         precision.format(disparity.difference_to_overall),
         format_ratio(disparity.ratio_between_groups), format_ratio(disparity.ratio_to_overall)});
    left_out.push_back(list_groups(groups_at(grouping.groups, disparity.left_out)));
  }
  add_left_out(left_out, table);
  return table;
}

TextTable explanation_table(const AuditGrouping& grouping) {
  TextTable table{
      "Effect of one training step on the loss of groups by " + columns_of(grouping.columns),
      {columns_of(grouping.columns), "without privacy", "clipping", "its length", "its direction",
       "noise [standard error]"},
      {}};
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
         std::isfinite(error) ? fmt::format("{:+.3g} [{:.1g}]", risk.noise, error) : "-"});
  }
  return table;
}

TextTable explanations_table(const TrainingReport& report) {
  TextTable table{
      fmt::format("Effect of a training step on the loss of groups, mean of {} measurements",
                  format_count(std::ssize(report.explanations))),
      {columns_of(report.explained_groups.front()), "records", "gradient norm", "without privacy",
       "clipping", "its length", "its direction", "noise"},
      {}};
  for (size_t a = 0; a < report.explained_groups.size(); ++a) {
    const auto mean = [&](double GroupRisk::*value) {
      double sum = 0;
      double count = 0;
      for (const RiskPoint& point : report.explanations) {
        if (!std::isfinite(point.risk.groups[a].*value)) continue;
        sum += point.risk.groups[a].*value;
        ++count;
      }
      return sum / count;
    };
    const int64_t num_records = report.explanations.front().risk.groups[a].num_records;
    if (num_records == 0) continue;
    std::vector<std::string> row = {values_of(report.explained_groups[a]),
                                    format_count(num_records),
                                    format_size_of(mean(&GroupRisk::gradient_norm))};
    for (double GroupRisk::*value :
         {&GroupRisk::non_private_change, &GroupRisk::clip, &GroupRisk::magnitude,
          &GroupRisk::direction, &GroupRisk::noise})
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

TextTable constraints_table(const TrainingReport& report) {
  const bool checked = !report.constraints.empty() && report.constraints[0].check.has_value();
  return checked ? checks_table("Constraints on the held-out records", report.constraints)
                 : constraint_list(report);
}

TextTable constraints_table(const AuditReport& report) {
  TextTable table = checks_table("Constraints on the audited records", report.constraints);
  table.head.emplace_back("of");
  for (size_t j = 0; j < report.constraints.size(); ++j)
    table.rows[j].push_back(report.constraints[j].origin);
  return table;
}

TextTable private_constraints_table(const TrainingReport& report) {
  return checks_table("Private evaluation of the constraints", report.constraints,
                      &ConstraintReport::private_check);
}

TextTable private_rates_table(const TrainingReport& report, const GroupingRows& grouping) {
  TextTable table{"Private evaluation: " + caption_of(grouping.columns),
                  {name_of_records(grouping.columns), head_of("accuracy")},
                  {}};
  table.ends_in_total = true;
  if (!report.overall.private_rates) return table;
  const bool is_binary = report.classes.size() == 2;
  if (is_binary) {
    table.head.push_back(head_of("false_positive_rate"));
    table.head.push_back(head_of("false_negative_rate"));
  }
  const PrivateRates& everybody = *report.overall.private_rates;
  const auto add_row = [&](const GroupReport& group) {
    const PrivateRates rates = group.private_rates.value_or(PrivateRates());
    std::vector<std::string>& row = table.rows.emplace_back(1, values_of(group.group));
    const auto add = [&](std::string_view metric, Estimate PrivateRates::*rate) {
      row.push_back(Precision(metric, everybody.*rate).format(rates.*rate));
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

TextTable group_path_table(const TrainingReport& report) {
  TextTable table{"Weights of groups in training", {"group"}, {}};
  if (report.group_path.empty()) return table;
  const GroupPathRow& first = report.group_path.front();
  const GroupPathRow& last = report.group_path.back();
  const bool has_losses = !first.losses.empty();
  const auto add_head = [&](const char* what) {
    table.head.push_back(fmt::format("{}, to step {}", what, first.step));
    table.head.push_back(fmt::format("to step {}", last.step));
  };
  add_head("weight");
  if (has_losses) add_head("noisy loss");
  for (size_t k = 0; k < first.weights.size(); ++k) {
    std::vector<std::string>& row =
        table.rows.emplace_back(std::vector{values_of(report.groups[k].group)});
    row.push_back(fmt::format("{:.3f}", first.weights[k]));
    row.push_back(fmt::format("{:.3f}", last.weights[k]));
    if (!has_losses) continue;
    row.push_back(fmt::format("{:.3f}", first.losses[k]));
    row.push_back(fmt::format("{:.3f}", last.losses[k]));
  }
  return table;
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

std::string explained_line(const AuditGrouping& grouping) {
  const ExplainedStep& step = grouping.explained;
  std::string line = fmt::format(
      "These figures are for one step along the mean gradient of the audited records: learning "
      "rate {:.4g}, {}, noise {:.3g} on each entry of the mean gradient. Positive values are "
      "worse; they are accurate to second order.",
      step.learning_rate, step.clip, step.noise_stddev);
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
    line +=
        " Every trace is 0, so the second order sees no curvature and does not show the cost of "
        "noise; this happens with a hinge loss, whose kinks it misses.";
  }
  if (const double product = step.learning_rate * largest; product > 1) {
    line += fmt::format(
        " The learning rate times the largest eigenvalue is {:.3g}, above 1: the step is too long "
        "for the lower bounds between groups to hold, and the second order is no guide to its "
        "effect.",
        product);
  }
  return line;
}

TextTable gradient_table(const AuditGrouping& grouping) {
  TextTable table{"Gradients and curvature of groups by " + columns_of(grouping.columns),
                  {columns_of(grouping.columns), "records", "gradient norm", "degrees to the step",
                   "after clipping", "trace", "largest eigenvalue", "smallest"},
                  {}};
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

TextTable threshold_table(const AuditReport& report) {
  TextTable table{"Differences between groups and their limits",
                  {"metric", "groups by", "result", "difference", "limit"},
                  {}};
  table.num_left = 3;
  std::vector<std::string> left_out;
  for (const AuditThreshold& threshold : report.thresholds) {
    const double difference = in_points(threshold.metric, threshold.value);
    const double limit = in_points(threshold.metric, threshold.max_disparity);
    // Nothing is rounded to 0, and the limit keeps all digits that were asked for.
    table.rows.push_back({difference_of(threshold.metric), columns_of(threshold.columns),
                          threshold.verdict == LimitVerdict::kFails
                              ? "FAILS"
                              : std::string(to_string(threshold.verdict)),
                          format_amount(difference), fmt::format("{:.15g}", limit)});
    left_out.push_back(list_groups(threshold.left_out));
  }
  add_left_out(left_out, table);
  return table;
}

TextTable cost_table(const TrainingReport& report) {
  TextTable table{"Cost of this run", {"cost", "event"}, {}};
  table.num_left = 2;
  for (const CostLine& cost : report.costs)
    for (const std::string& line : event_lines(cost.event))
      table.rows.push_back({cost.label, line});
  if (table.rows.empty()) table.rows.push_back({"nothing", "-"});
  return table;
}

TextTable outlook_table(const TrainingReport& report) {
  const GroupOutlookReport& outlook = *report.group_outlook;
  TextTable table{"Expected error of groups, and epsilon", {columns_of(outlook.groups)}, {}};
  for (const GroupStrategy& strategy : outlook.strategies)
    table.head.insert(table.head.end(), {strategy.method, "epsilon"});
  const auto format = [](double value) { return fmt::format("{:.3g}", value); };
  const auto add_row = [&](std::string name, const auto& error_of, const auto& epsilon_of) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(std::move(name));
    for (const GroupStrategy& strategy : outlook.strategies) {
      row.push_back(format(error_of(strategy)));
      row.push_back(strategy.privacy.empty() ? "unreachable" : format(epsilon_of(strategy)));
    }
  };
  for (size_t k = 0; k < outlook.groups.size(); ++k) {
    add_row(
        values_of(outlook.groups[k]),
        [&](const GroupStrategy& strategy) { return strategy.expected[k].total(); },
        [&](const GroupStrategy& strategy) { return strategy.privacy[k].epsilon.value(); });
  }
  const auto add_part = [&](const char* name, double ExpectedError::*part) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.emplace_back(name);
    for (const GroupStrategy& strategy : outlook.strategies) {
      const auto worst = std::max_element(
          strategy.expected.begin(), strategy.expected.end(),
          [](const ExpectedError& a, const ExpectedError& b) { return a.total() < b.total(); });
      row.insert(row.end(), {format((*worst).*part), ""});
    }
  };
  add_row(
      "largest", [](const GroupStrategy& strategy) { return strategy.largest_error(); },
      [](const GroupStrategy& strategy) { return strategy.largest_epsilon(); });
  add_part("due to privacy", &ExpectedError::noise);
  add_part("due to chance", &ExpectedError::sampling);
  add_part("due to other groups", &ExpectedError::difference);
  return table;
}

TextTable settings_table(const TrainingReport& report) {
  TextTable table{"Settings", {"setting", "value"}, {}};
  for (const auto& [name, value] : report.settings)
    table.rows.push_back({name, format_setting(value)});
  return table;
}

TextTable entries_table(std::span<const LedgerEntry> entries) {
  TextTable table{"Entries of this dataset", {"entry", "time", "purpose", "event"}, {}};
  table.num_left = 4;
  for (const LedgerEntry& entry : entries) {
    for (const Event& event : entry.events) {
      for (const std::string& line : event_lines(event))
        table.rows.push_back({std::to_string(entry.sequence), entry.time, entry.purpose, line});
    }
    if (entry.progress) {
      table.rows.push_back({std::to_string(entry.sequence), "", "saved a state",
                            fmt::format("after {} repetitions of the first event",
                                        format_count(entry.progress->num_done))});
    }
  }
  return table;
}

}  // namespace equinoise
