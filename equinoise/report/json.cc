// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/fence.h"
#include "equinoise/report/format.h"
#include "equinoise/report/model_card.h"
#include "equinoise/report/tables.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "equinoise/1";

/// JSON has no NaN: an estimate that does not exist is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json interval(const Interval& value) { return {number(value.low), number(value.high)}; }

Json optional_guarantee(const std::optional<Guarantee>& guarantee) {
  return guarantee ? to_json(*guarantee) : Json(nullptr);
}

Json settings_of(const TrainingReport& report) {
  Json json = Json::object();
  for (const auto& [name, value] : report.settings) {
    const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
    json[name] = whole ? Json(static_cast<int64_t>(value)) : Json(value);
  }
  return json;
}

Json events_of(const TrainingReport& report) {
  Json json = Json::array();
  for (const CostLine& cost : report.costs) {
    json.push_back(
        {{"label", cost.label}, {"event", cost.event.to_json()}, {"text", cost.event.to_text()}});
  }
  return json;
}

void add_estimate(Json& json, const std::string& name, const Estimate& estimate) {
  json[name] = number(estimate.value);
  json[name + "_interval"] = interval(estimate.interval);
}

/// The metrics of such a target: what is undefined is null.
void add_metrics(Json& json, const Metrics& metrics, size_t num_classes) {
  json["num_records"] = metrics.num_records;
  for (const MetricRow& row : metric_rows())
    if (row.fits(num_classes)) add_estimate(json, std::string(row.name), metrics.*row.estimate);
}

/// Neither true nor false where it is not answerable.
Json holds(LimitVerdict verdict) {
  return verdict == LimitVerdict::kNotAnswerable ? Json(nullptr)
                                                 : Json(verdict == LimitVerdict::kHolds);
}

Json labels_of(const std::vector<GroupLabel>& groups) {
  Json json = Json::array();
  for (const GroupLabel& group : groups) json.push_back(Json{{"group", to_json(group)}});
  return json;
}

void add_cost(Json& json, const Cost& cost, size_t num_classes) {
  if (num_classes > 0) add_estimate(json, "accuracy_cost", cost.accuracy);
  add_estimate(json, "loss_cost", cost.loss);
}

void add_public_facts(Json& json, const GroupReport& group) {
  json["public_size"] = group.public_size ? Json(*group.public_size) : Json(nullptr);
  json["privacy"] = optional_guarantee(group.privacy);
  if (group.noise_stddev) json["noise_stddev"] = *group.noise_stddev;
  if (group.relative_noise) json["noise_stddev_per_expected_member"] = *group.relative_noise;
}

Json public_groups(const TrainingReport& report) {
  Json json = Json::array();
  for (const GroupReport& group : report.groups) {
    Json row = {{"group", to_json(group.group)}};
    add_public_facts(row, group);
    json.push_back(row);
  }
  return json;
}

Json curve_of(const std::vector<CurvePoint>& curve) {
  Json json = Json::array();
  for (const CurvePoint& point : curve)
    json.push_back({{"step", point.step}, {"loss", number(point.loss)}});
  return json;
}

/// Publishable: weights follow losses that were released with noise.
Json group_path_of(const TrainingReport& report) {
  Json json = Json::array();
  for (const GroupPathRow& row : report.group_path) {
    json.push_back({{"step", row.step}, {"weights", row.weights}});
    if (!row.losses.empty()) json.back()["noisy_losses"] = row.losses;
  }
  return json;
}

Json split_of(const TrainingReport& report) {
  return {{"test_fraction", report.test_fraction}, {"split_seed", report.split_seed}};
}

/// The rows of a training report with their figures from held-out records.
class FullGroups {
 public:
  explicit FullGroups(const TrainingReport& report)
      : report_(report), num_classes_(report.classes.size()) {}

  Json row(const GroupReport& group) const {
    Json json = Json::object();
    if (!group.group.empty()) json["group"] = to_json(group.group);
    if (group.metrics) add_metrics(json, *group.metrics, num_classes_);
    if (group.cost) add_cost(json, *group.cost, num_classes_);
    add_public_facts(json, group);
    if (group.realised) {
      json["realised_output_dependent"] = {{"share", group.realised->share},
                                           {"rho", group.realised->rho},
                                           {"privacy", to_json(group.realised->privacy)}};
    }
    return json;
  }

  Json rows() const {
    Json json = Json::array();
    for (const GroupReport& group : report_.groups) json.push_back(row(group));
    return json;
  }

  Json reference() const {
    if (!report_.overall.reference) return nullptr;
    Json json = {{"method", "sgd"}, {"status", "not private"}};
    add_metrics(json["overall"], *report_.overall.reference, num_classes_);
    json["groups"] = Json::array();
    for (const GroupReport& group : report_.groups) {
      Json entry = {{"group", to_json(group.group)}};
      if (group.reference) add_metrics(entry, *group.reference, num_classes_);
      json["groups"].push_back(entry);
    }
    json["curve"] = curve_of(report_.reference_curve);
    return json;
  }

 private:
  const TrainingReport& report_;
  size_t num_classes_;
};

/// There is nothing to tell of a group without records.
Json risk_to_json(const GroupRisk& risk, const GroupLabel& group) {
  const auto told = [&](double value) {
    return risk.num_records == 0 ? Json(nullptr) : number(value);
  };
  return {{"group", to_json(group)},
          {"num_records", risk.num_records},
          {"loss", told(risk.loss)},
          {"non_private_change", told(risk.non_private_change)},
          {"clip", told(risk.clip)},
          {"magnitude", told(risk.magnitude)},
          {"direction", told(risk.direction)},
          {"noise", told(risk.noise)},
          {"gradient_norm", told(risk.gradient_norm)},
          {"cos_unclipped", told(risk.cos_unclipped)},
          {"cos_clipped", told(risk.cos_clipped)},
          {"hessian_trace", told(risk.hessian_trace.value)},
          {"hessian_trace_standard_error", told(risk.hessian_trace.standard_error)},
          {"hessian_largest_eigenvalue", told(risk.eigenvalues.largest)},
          {"hessian_smallest_eigenvalue", told(risk.eigenvalues.smallest)}};
}

bool has_records(const ExcessiveRisk& risk) {
  return std::any_of(risk.groups.begin(), risk.groups.end(),
                     [](const GroupRisk& group) { return group.num_records > 0; });
}

Json explanation_to_json(const AuditGrouping& grouping) {
  const ExcessiveRisk& risk = *grouping.risk;
  Json json = {
      {"columns", grouping.columns},
      {"learning_rate", grouping.explained.learning_rate},
      {"noise_stddev", grouping.explained.noise_stddev},
      {"clip", grouping.explained.clip},
      {"gradient_norm", number(risk.gradient_norm)},
      {"clipped_gradient_norm", number(risk.clipped_gradient_norm)},
      {"norm_ratio", risk.gradient_norm > 0 ? number(risk.norm_ratio) : Json(nullptr)},
      {"step_size_condition", has_records(risk) ? Json(risk.step_size_condition) : Json(nullptr)},
      {"groups", Json::array()},
      {"direction_gap_bound", Json::array()}};
  const size_t num_groups = risk.groups.size();
  for (size_t a = 0; a < num_groups; ++a) {
    json["groups"].push_back(risk_to_json(risk.groups[a], grouping.groups[a]));
    Json row = Json::array();
    for (size_t b = 0; b < num_groups; ++b) {
      const bool told = risk.groups[a].num_records > 0 && risk.groups[b].num_records > 0;
      row.push_back(told ? number(risk.direction_gap_bound_by_spectrum[a * num_groups + b])
                         : Json(nullptr));
    }
    json["direction_gap_bound"].push_back(std::move(row));
  }
  return json;
}

/// The looks of --explain-every.
Json explanations_of(const TrainingReport& report) {
  Json json = Json::array();
  for (const RiskPoint& point : report.explanations) {
    Json look = {{"step", point.step},
                 {"learning_rate", point.learning_rate},
                 {"gradient_norm", number(point.risk.gradient_norm)},
                 {"clipped_gradient_norm", number(point.risk.clipped_gradient_norm)},
                 {"groups", Json::array()}};
    for (size_t a = 0; a < report.explained_groups.size(); ++a)
      look["groups"].push_back(risk_to_json(point.risk.groups[a], report.explained_groups[a]));
    json.push_back(std::move(look));
  }
  return json;
}

Json check_to_json(const ConstraintCheck& check) {
  return {{"value", number(check.value.value)},
          {"interval", interval(check.value.interval)},
          {"verdict", verdict_of(check)},
          {"holds", holds(check.verdict())},
          {"clear", check.verdict() == LimitVerdict::kNotAnswerable ? Json(nullptr)
                                                                    : Json(check.is_clear())}};
}

/// What the constraints are and how the model keeps them by a private evaluation, null where there
/// is none; with the checks also what is not private.
Json constraints_of(const TrainingReport& report, bool with_checks) {
  Json json = Json::array();
  for (const ConstraintReport& constraint : report.constraints) {
    Json row = {{"name", constraint.name}, {"text", constraint.text}, {"slack", constraint.slack}};
    if (with_checks && constraint.check) row.update(check_to_json(*constraint.check));
    if (with_checks && constraint.reference)
      row["reference"] = check_to_json(*constraint.reference);
    row["private_evaluation"] =
        constraint.private_check ? check_to_json(*constraint.private_check) : Json(nullptr);
    json.push_back(std::move(row));
  }
  return json;
}

Json rates_of(const TrainingReport& report, const GroupReport& group) {
  Json json = Json::object();
  if (!group.group.empty()) json["group"] = to_json(group.group);
  add_estimate(json, "accuracy", group.private_rates->accuracy);
  if (report.classes.size() != 2) return json;
  add_estimate(json, "false_positive_rate", group.private_rates->false_positive_rate);
  add_estimate(json, "false_negative_rate", group.private_rates->false_negative_rate);
  return json;
}

/// Figures of groups and everybody that the run paid for, where it did.
void add_private_rates(const TrainingReport& report, Json& json) {
  if (!report.overall.private_rates) return;
  json["private_rates"] = {{"noise_stddev", report.evaluation_noise_stddev.value_or(0)},
                           {"overall", rates_of(report, report.overall)},
                           {"groups", Json::array()}};
  for (const GroupReport& group : report.groups)
    json["private_rates"]["groups"].push_back(rates_of(report, group));
}

/// Whether there is a private evaluation, what it says of groups, and what it costs.
void add_evaluation(const TrainingReport& report, Json& json) {
  if (!is_evaluation_told(report)) return;
  json["private_evaluation"] = private_evaluation_line(report);
  add_private_rates(report, json);
  if (!report.evaluation_cost) return;
  json["private_evaluation_cost"] = {{"of", report.ledger ? "account" : "run"},
                                     {"epsilon_with", report.evaluation_cost->with.value()},
                                     {"epsilon_without", report.evaluation_cost->without.value()},
                                     {"epsilon_before", report.evaluation_cost->before.value()}};
}

Json disparity_to_json(const Disparity& disparity, const AuditGrouping& grouping) {
  Json json = {{"columns", grouping.columns}, {"metric", std::string(disparity.metric)}};
  json["difference_between_groups"] = number(disparity.difference_between_groups.value);
  json["interval"] = interval(disparity.difference_between_groups.interval);
  json["difference_to_overall"] = number(disparity.difference_to_overall);
  json["ratio_between_groups"] = number(disparity.ratio_between_groups);
  json["ratio_to_overall"] = number(disparity.ratio_to_overall);
  json["lowest"] = json["highest"] = nullptr;
  if (disparity.is_defined()) {
    json["lowest"]["group"] = to_json(grouping.groups[disparity.lowest]);
    json["highest"]["group"] = to_json(grouping.groups[disparity.highest]);
  }
  json["left_out"] = labels_of(groups_at(grouping.groups, disparity.left_out));
  return json;
}

/// How unequally groups lose; nothing for less than two.
void add_cost_gaps(const GroupCosts& groups, size_t num_classes, Json& json) {
  if (groups.costs.size() < 2) return;
  const auto add = [&](const char* name, Estimate Cost::*cost) {
    const CostGap gap = cost_gap(groups.costs, cost);
    Json& row = json.emplace_back(Json{{"columns", groups.columns}, {"cost", name}});
    row["gap"] = number(gap.gap.value);
    row["interval"] = interval(gap.gap.interval);
    row["left_out"] = Json::array();
    for (size_t i = 0; i < groups.costs.size(); ++i) {
      if (groups.costs[i].num_records == 0)
        row["left_out"].push_back(Json{{"group", to_json(groups.groups[i])}});
    }
    row["lowest"] = row["highest"] = nullptr;
    if (std::isnan(gap.gap.value)) return;
    row["lowest"]["group"] = to_json(groups.groups[gap.lowest]);
    row["highest"]["group"] = to_json(groups.groups[gap.highest]);
  };
  if (num_classes > 0) add("accuracy_cost", &Cost::accuracy);
  add("loss_cost", &Cost::loss);
}

Json cost_gaps_of(const TrainingReport& report) {
  Json json = Json::array();
  for (const GroupingRows& grouping : groupings_of(report.groups))
    add_cost_gaps(costs_of(grouping), report.classes.size(), json);
  return json;
}

Json constraints_of(const AuditReport& report) {
  Json json = Json::array();
  for (const AuditThreshold& threshold : report.thresholds) {
    json.push_back({{"name", fmt::format("difference of {} between groups by {}", threshold.metric,
                                         columns_of(threshold.columns))},
                    {"metric", threshold.metric},
                    {"columns", threshold.columns},
                    {"value", number(threshold.value)},
                    {"slack", threshold.max_disparity},
                    {"verdict", to_string(threshold.verdict)},
                    {"holds", holds(threshold.verdict)},
                    {"left_out", labels_of(threshold.left_out)}});
  }
  for (const ConstraintReport& constraint : report.constraints) {
    json.push_back({{"name", constraint.name},
                    {"text", constraint.text},
                    {"origin", constraint.origin},
                    {"slack", constraint.slack}});
    json.back().update(check_to_json(*constraint.check));
    if (constraint.reference) json.back()["reference"] = check_to_json(*constraint.reference);
  }
  return json;
}

Json header(const TrainingReport& report) {
  Json json = {{"schema", kSchema},
               {"version", report.version},
               {"dataset", report.dataset},
               {"method", report.method},
               {"status", to_string(report.status)},
               {"maturity", to_string(report.maturity)},
               {"source", report.source},
               {"model", report.model}};
  if (report.network) json["network"] = to_json(*report.network);
  if (!report.method_groups.empty()) json["method_groups"] = report.method_groups;
  if (report.model_per_group) json["model_per_group"] = true;
  if (report.protection) json["public_groups"] = report.protection->public_groups;
  json["optimizer"] = report.optimizer;
  json["schema_reviewed"] = report.schema_reviewed;
  json["settings"] = settings_of(report);
  for (const Setting& option : report.options)
    json["options"][option.name] = option_to_json(option.value);
  return json;
}

}  // namespace

std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json option_to_json(const OptionValue& value) {
  return std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
}

nlohmann::ordered_json to_json(const NetworkOptions& network) {
  nlohmann::ordered_json json = {{"hidden", network.hidden},
                                 {"activation", word_of(kActivations, network.activation)}};
  if (!network.channels.empty()) {
    json["channels"] = network.channels;
    json["kernel_size"] = network.kernel_size;
    json["pooling"] = word_of(kPoolings, network.pooling);
  }
  return json;
}

nlohmann::ordered_json to_json(const Guarantee& guarantee) {
  return {{"epsilon", guarantee.epsilon.value()},
          {"delta", guarantee.delta.value()},
          {"accountant", guarantee.accountant},
          {"relation", to_string(guarantee.relation)}};
}

nlohmann::ordered_json to_json(const GroupLabel& group) {
  Json json = Json::object();
  for (const auto& [column, value] : group) json[column] = value;
  return json;
}

namespace {

Json range_of(const OutlookRanges::Range& range) { return Json::array({range.least, range.most}); }

Json outlook_of(const TrainingReport& report) {
  const GroupOutlookReport& outlook = *report.group_outlook;
  Json json = {{"group_difference", outlook.group_difference},
               {"residual_variance", outlook.residual_variance},
               {"group_difference_is_stated", outlook.is_difference_given},
               {"seeks_epsilon", outlook.wants_epsilon},
               {"strategies", Json::array()},
               {"best", outlook.strategies[outlook.best].method},
               {"open_assumptions", outlook.open_assumptions},
               {"compared",
                {{"group_difference", range_of(outlook.ranges.group_difference)},
                 {"residual_variance", range_of(outlook.ranges.residual_variance)},
                 {"curvature", range_of(outlook.ranges.curvature)}}},
               {"first_by_group_difference", Json::array()}};
  for (const RankedRange& range : outlook.ranking) {
    json["first_by_group_difference"].push_back(
        {{"from", range.from}, {"to", range.to}, {"method", range.method}});
  }
  for (const GroupStrategy& strategy : outlook.strategies) {
    Json& row = json["strategies"].emplace_back();
    row = {
        {"method", strategy.method},
        {"options", strategy.options},
        {"enough", !strategy.privacy.empty()},
        {"noise_warning", strategy.noise_warning ? Json(*strategy.noise_warning) : Json(nullptr)},
        {"groups", Json::array()}};
    for (size_t k = 0; k < strategy.expected.size(); ++k) {
      const ExpectedError& error = strategy.expected[k];
      Json& group = row["groups"].emplace_back();
      group = {{"group", to_json(outlook.groups[k])},
               {"expected_error", error.total()},
               {"by_privacy", error.noise},
               {"by_chance", error.sampling},
               {"by_other_groups", error.difference}};
      if (!strategy.weights.empty()) group["group_weight"] = strategy.weights[k];
      if (!strategy.privacy.empty()) group["privacy"] = optional_guarantee(strategy.privacy[k]);
    }
  }
  for (const StageOnePart& part : outlook.stage_one_parts) {
    json["stage1_sweep"].push_back(
        {{"stage1_fraction", part.fraction},
         {"largest_error", part.largest_error},
         {"largest_epsilon",
          std::isfinite(part.largest_epsilon) ? Json(part.largest_epsilon) : Json(nullptr)}});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json outlook_to_json(const TrainingReport& report) {
  return {{"schema", "equinoise/1"}, {"group_outlook", outlook_of(report)}};
}

nlohmann::ordered_json to_json(const LedgerStatement& ledger) {
  return {{"path", ledger.path},
          {"dataset", ledger.dataset},
          {"budget",
           {{"epsilon", ledger.budget.epsilon.value()},
            {"delta", ledger.budget.delta.value()},
            {"fixed_groups", ledger.budget.fixed_groups}}},
          {"spent_before", to_json(ledger.spent_before)},
          {"spent", to_json(ledger.spent_after)},
          {"remaining",
           std::fmax(0, ledger.budget.epsilon.value() - ledger.spent_after.epsilon.value())}};
}

nlohmann::ordered_json plan_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["events"] = events_of(report);
  json["privacy"] = optional_guarantee(report.privacy);
  json["privacy_in_words"] = explain(report.protection);
  json["privacy_by_rdp"] = optional_guarantee(report.by_rdp);
  json["constraints"] = constraints_of(report, false);
  add_evaluation(report, json);
  json["groups"] = public_groups(report);
  if (report.group_outlook) json["group_outlook"] = outlook_of(report);
  json["notes"] = report.notes;
  json["ledger_after"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["warnings"] = report.warnings;
  return json;
}

nlohmann::ordered_json training_to_json(const TrainingReport& report) {
  Json json = {{"notice", std::string(kDoNotPublish) +
                              "metrics, costs, curve, explanations, reference and ingest "
                              "are computed from records without noise"},
               {"notice_of_choice", kDoNotChooseBy}};
  json.update(header(report));
  json["alarms"] = alarms_of(report);
  json["privacy"] = optional_guarantee(report.privacy);
  json["privacy_in_words"] = explain(report.protection);
  json["privacy_by_rdp"] = optional_guarantee(report.by_rdp);
  json["events"] = events_of(report);
  const FullGroups groups(report);
  json["overall"] = groups.row(report.overall);
  json["groups"] = groups.rows();
  for (const auto& [group, share] : report.realised_shares)
    json["realised_shares_output_dependent"][group] = share;
  json["cost_gaps"] = cost_gaps_of(report);
  json["curve"] = curve_of(report.curve);
  if (!report.group_path.empty()) json["group_path"] = group_path_of(report);
  json["explanations"] = explanations_of(report);
  json["reference"] = groups.reference();
  json["constraints"] = constraints_of(report, true);
  add_evaluation(report, json);
  json["ledger"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["ingest"] = report.ingest_notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["seconds"] = report.seconds ? Json(*report.seconds) : Json(nullptr);
  json["files"] = report.files;
  return json;
}

nlohmann::ordered_json model_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["target"] = report.target;
  json["classes"] = report.classes;
  json["privacy"] = optional_guarantee(report.privacy);
  json["split"] = split_of(report);
  if (num_lost_parameters(report) > 0) json["diverged"] = true;
  add_private_rates(report, json);
  json["parameters"] = Json::array();
  for (const auto& [name, value] : report.parameters) {
    if (report.keeps_parameter_names) {
      json["parameters"].push_back({{"name", name}, {"value", number(value)}});
    } else {
      json["parameters"].push_back(number(value));
    }
  }
  if (!report.constraints_text.empty())
    json["constraints"] = Json::parse(report.constraints_text)["constraint"];
  json["table_schema"] = report.schema_text;
  return json;
}

nlohmann::ordered_json card_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["alarms"] = publishable_alarms(report);
  json["intended_use"] = intended_use(report);
  json["target"] = report.target;
  json["classes"] = report.classes;
  json["features"] = Json::array();
  for (const auto& [column, encoding] : report.features)
    json["features"].push_back({{"column", column}, {"encoding", encoding}});
  json["unit"] = report.unit;
  json["split"] = split_of(report);
  json["num_parameters"] = report.parameters.size();
  json["privacy"] = optional_guarantee(report.privacy);
  json["privacy_in_words"] = explain(report.protection);
  json["privacy_by_rdp"] = optional_guarantee(report.by_rdp);
  json["events"] = events_of(report);
  if (!report.constraints.empty()) json["constraints"] = constraints_of(report, false);
  add_evaluation(report, json);
  json["groups"] = public_groups(report);
  if (!report.group_path.empty()) json["group_path"] = group_path_of(report);
  json["ledger"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["limitations"] = limitations_of(report);
  json["notes"] = report.notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  return json;
}

nlohmann::ordered_json audit_to_json(const AuditReport& report) {
  const size_t num_classes = report.classes.size();
  Json json = {{"notice",
                std::string(kDoNotPublish) + "every figure is computed from records without noise"},
               {"notice_of_choice", kDoNotChooseBy},
               {"schema", kSchema},
               {"version", report.version},
               {"dataset", report.dataset},
               {"model", report.model},
               {"model_path", report.model_path},
               {"method", report.method},
               {"status", to_string(report.status)},
               {"alarms", alarms_of(report)},
               {"privacy", optional_guarantee(report.privacy)},
               {"privacy_in_words", explain(report.protection)},
               {"target", report.target},
               {"classes", report.classes},
               {"data", report.data_path},
               {"held_out_only", report.held_out_only}};
  add_metrics(json["overall"], report.overall, num_classes);
  if (report.overall_cost) add_cost(json["overall"], *report.overall_cost, num_classes);
  json["groups"] = Json::array();
  json["disparities"] = Json::array();
  json["cost_gaps"] = Json::array();
  json["explanations"] = Json::array();
  Json reference_groups = Json::array();
  for (const AuditGrouping& grouping : report.groupings) {
    for (size_t i = 0; i < grouping.groups.size(); ++i) {
      Json row = {{"group", to_json(grouping.groups[i])}};
      add_metrics(row, grouping.metrics[i], num_classes);
      if (!grouping.cost.empty()) add_cost(row, grouping.cost[i], num_classes);
      row["privacy"] = optional_guarantee(report.privacy);
      json["groups"].push_back(row);
      if (grouping.reference_metrics.empty()) continue;
      Json reference = {{"group", to_json(grouping.groups[i])}};
      add_metrics(reference, grouping.reference_metrics[i], num_classes);
      reference_groups.push_back(reference);
    }
    for (const Disparity& disparity : grouping.disparities)
      json["disparities"].push_back(disparity_to_json(disparity, grouping));
    add_cost_gaps(costs_of(grouping), num_classes, json["cost_gaps"]);
    if (grouping.risk) json["explanations"].push_back(explanation_to_json(grouping));
  }
  json["reference"] = nullptr;
  if (report.reference_path) {
    json["reference"] = Json::object({{"model_path", *report.reference_path}});
    if (report.overall_reference)
      add_metrics(json["reference"]["overall"], *report.overall_reference, num_classes);
    json["reference"]["groups"] = reference_groups;
  }
  json["constraints"] = constraints_of(report);
  json["ingest"] = report.ingest_notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["seconds"] = report.seconds;
  json["files"] = report.files;
  return json;
}

nlohmann::ordered_json to_json(const LedgerAccount& account) {
  const double budget = account.budget.epsilon.value();
  Json json = {{"schema", kSchema},
               {"dataset", account.dataset},
               {"budget",
                {{"epsilon", budget},
                 {"delta", account.budget.delta.value()},
                 {"relation", to_string(account.budget.relation)},
                 {"accountant", account.budget.accountant},
                 {"fixed_groups", account.budget.fixed_groups}}},
               {"spent", to_json(account.spent)},
               {"remaining", {{"epsilon", std::fmax(0, budget - account.spent.epsilon.value())}}},
               {"closed", nullptr},
               {"groups", Json::array()},
               {"entries", Json::array()}};
  if (const std::string reason = closed_because(account); !reason.empty()) json["closed"] = reason;
  if (account.spent_by_name) json["spent_by_name"] = to_json(*account.spent_by_name);
  for (const GroupSpending& group : account.groups) {
    const double cap = group.cap.epsilon.value();
    json["groups"].push_back(
        {{"partition", group.cap.partition},
         {"group", group.cap.group},
         {"cap", {{"epsilon", cap}}},
         {"spent", to_json(group.spent)},
         {"remaining", {{"epsilon", std::fmax(0, cap - group.spent.epsilon.value())}}}});
  }
  for (const LedgerEntry& entry : account.entries) {
    Json events = Json::array();
    for (const Event& event : entry.events) events.emplace_back(event.to_json());
    json["entries"].push_back({{"sequence", entry.sequence},
                               {"time", entry.time},
                               {"purpose", entry.purpose},
                               {"events", events},
                               {"hash", entry.hash}});
    if (!entry.key.empty()) json["entries"].back()["key"] = entry.key;
    if (!entry.progress) continue;
    json["entries"].back()["progress"] = {{"num_done", entry.progress->num_done},
                                          {"state", entry.progress->state_hash}};
  }
  return json;
}

}  // namespace equinoise
