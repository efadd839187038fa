// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/training_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "equinoise/report/alarms.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/format.h"
#include "equinoise/report/group_json.h"
#include "equinoise/report/json.h"
#include "equinoise/report/ledger/ledger_json.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/protection.h"
#include "equinoise/report/training/model_card.h"
#include "equinoise/report/training/other_methods_report.h"
#include "equinoise/report/training/training_tables.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json settings_of(const TrainingReport& report) {
  Json json = Json::object();
  for (const auto& [name, value] : report.settings) {
    const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
    json[name] = whole ? Json(static_cast<int64_t>(value)) : Json(value);
  }
  return json;
}

void add_unit(const TrainingReport& report, Json& json) {
  json["unit"] = report.unit;
  json["unit_stated"] = report.unit_stated;
  if (report.unit != "row") json["max_records_per_unit"] = report.max_records_per_unit;
}

Json events_of(const TrainingReport& report) {
  Json json = Json::array();
  for (const CostLine& cost : report.costs) {
    json.push_back(
        {{"label", cost.label}, {"event", cost.event.to_json()}, {"text", cost.event.to_text()}});
  }
  return json;
}

void add_public_facts(Json& json, const GroupReport& group) {
  json["public_size"] = group.public_size ? Json(*group.public_size) : Json(nullptr);
  json["privacy"] = guarantee_or_null(group.privacy);
  if (group.noise_stddev) json["noise_stddev"] = *group.noise_stddev;
  if (group.relative_noise) json["noise_per_expected_member_in_clips"] = *group.relative_noise;
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
    json.push_back({{"step", point.step}, {"loss", number_or_null(point.loss)}});
  return json;
}

/// Publishable: weights follow losses that were released with noise.
void add_group_path(const TrainingReport& report, Json& json) {
  if (report.group_path.empty()) return;
  Json& groups = json["trained_groups"] = Json::array();
  for (const GroupLabel& group : report.trained_groups) groups.push_back(to_json(group));
  Json& path = json["group_path"] = Json::array();
  for (const GroupPathRow& row : report.group_path) {
    path.push_back({{"step", row.step}, {"weights", row.weights}});
    if (!row.losses.empty()) path.back()["noisy_losses"] = row.losses;
  }
}

Json figure_to_json(const RegressionFigure& figure) {
  Json json = {{"name", figure.name}, {"estimate", nullptr}, {"standard_error", nullptr}};
  if (figure.estimate) json["estimate"] = *figure.estimate;
  if (figure.standard_error) json["standard_error"] = *figure.standard_error;
  json["interval"] = figure.interval ? interval_to_json(*figure.interval) : Json(nullptr);
  return json;
}

/// Publishable.
void add_regression(const TrainingReport& report, Json& json) {
  if (!report.regression) return;
  Json& regression = json["regression"];
  regression["coefficients"] = Json::array();
  for (const RegressionFigure& figure : report.regression->coefficients)
    regression["coefficients"].push_back(figure_to_json(figure));
  const auto add_fit = [](const RegressionFit& fit, Json& told) {
    told["residual_stddev"] = figure_to_json(fit.residual_stddev);
    told["r_squared"] = figure_to_json(fit.r_squared);
  };
  if (!report.regression->log_odds_of.empty()) {
    regression["log_odds_of"] = report.regression->log_odds_of;
    return;
  }
  add_fit(report.regression->fit, regression);
  for (const RegressionFit& fit : report.regression->groups) {
    Json& group = regression["groups"].emplace_back();
    group["group"] = to_json(fit.group);
    add_fit(fit, group);
  }
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
    Json json = {{"method", report_.reference_method}, {"status", "not private"}};
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

Json largest_loss_of(const TrainingReport& report) {
  if (!report.largest_loss) return nullptr;
  const LargestLoss& largest = *report.largest_loss;
  return {{"loss", number_or_null(largest.loss)},
          {"least_lower", largest.least_lower},
          {"least_upper", largest.least_upper},
          {"radius", largest.radius}};
}

/// The looks of --explain-every.
Json explanations_of(const TrainingReport& report) {
  Json json = Json::array();
  for (const RiskPoint& point : report.explanations) {
    Json look = {{"step", point.step},
                 {"learning_rate", point.learning_rate},
                 {"gradient_norm", number_or_null(point.risk.gradient_norm)},
                 {"clipped_gradient_norm", number_or_null(point.risk.clipped_gradient_norm)},
                 {"groups", Json::array()}};
    for (size_t a = 0; a < report.explained_groups.size(); ++a)
      look["groups"].push_back(risk_to_json(point.risk.groups[a], report.explained_groups[a]));
    json.push_back(std::move(look));
  }
  return json;
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

Json cost_gaps_of(const TrainingReport& report) {
  Json json = Json::array();
  for (const GroupingRows& grouping : groupings_of(report.groups))
    add_cost_gaps(costs_of(grouping), report.classes.size(), json);
  return json;
}

Json header(const TrainingReport& report) {
  Json json = {
      {"schema", kReportSchema}, {"version", report.version},          {"dataset", report.dataset},
      {"method", report.method}, {"status", to_string(report.status)}, {"source", report.source},
      {"model", report.model}};
  if (report.network) json["network"] = to_json(*report.network);
  if (!report.method_groups.empty()) json["method_groups"] = report.method_groups;
  if (report.model_per_group) json["model_per_group"] = true;
  if (report.protection) json["public_groups"] = report.protection->public_groups;
  if (!report.optimizer.empty()) json["optimizer"] = report.optimizer;
  json["schema_reviewed"] = report.schema_reviewed;
  if (report.drops_incomplete) json["drop_incomplete"] = true;
  json["settings"] = settings_of(report);
  for (const Setting& option : report.options)
    json["options"][option.name] = option_to_json(option.value);
  return json;
}

Json deployment_of_model(const TrainingReport& report) {
  Deployment deployment;
  deployment.product = DataProduct::kModel;
  deployment.dataset = report.dataset;
  deployment.description =
      fmt::format("A model that predicts {}: {}.", report.target, describe_model(report));
  deployment.version = report.version;
  deployment.method = fmt::format("{} [{}]", report.method, report.source);
  deployment.status = report.status;
  if (is_private(report)) deployment.privacy = report.privacy;
  deployment.protection = report.protection;
  deployment.groups_differ = pay_apart(report.groups);
  deployment.num_records = report.overall.public_size;
  for (const CostLine& cost : report.costs)
    deployment.mechanisms.push_back(fmt::format("{}: {}", cost.label, mechanism_of(cost.event)));
  deployment.conditions = report.conditions;
  deployment.ledger = report.ledger;
  return deployment_to_json(deployment);
}

}  // namespace

nlohmann::ordered_json plan_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["events"] = events_of(report);
  json["privacy"] = guarantee_or_null(report.privacy);
  json["privacy_in_words"] = explain(report.protection);
  json["attack_bounds"] = attack_or_null(report.protection);
  json["privacy_by_rdp"] = guarantee_or_null(report.by_rdp);
  json["constraints"] = constraints_of(report, false);
  add_evaluation(report, json);
  json["groups"] = public_groups(report);
  json["other_methods"] = other_methods_of(report);
  json["notes"] = report.notes;
  json["ledger_after"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["warnings"] = report.warnings;
  return json;
}

nlohmann::ordered_json training_to_json(const TrainingReport& report) {
  Json json = {
      {"notice", std::string(kDoNotPublish) +
                     "metrics, costs, curve, explanations, reference, "
                     "largest_training_loss and ingest are computed from records without noise"},
      {"notice_of_choice", kDoNotChooseBy}};
  json.update(header(report));
  json["report"] = "train";
  json["target"] = report.target;
  json["classes"] = report.classes;
  add_unit(report, json);
  json["split"] = split_of(report);
  json["alarms"] = alarms_of(report);
  json["privacy"] = guarantee_or_null(report.privacy);
  json["privacy_in_words"] = explain(report.protection);
  json["attack_bounds"] = attack_or_null(report.protection);
  json["privacy_by_rdp"] = guarantee_or_null(report.by_rdp);
  json["events"] = events_of(report);
  const FullGroups groups(report);
  json["overall"] = groups.row(report.overall);
  json["groups"] = groups.rows();
  for (const auto& [group, share] : report.realised_shares)
    json["realised_shares_output_dependent"][group] = share;
  json["cost_gaps"] = cost_gaps_of(report);
  json["curve"] = curve_of(report.curve);
  add_group_path(report, json);
  add_regression(report, json);
  json["explanations"] = explanations_of(report);
  json["reference"] = groups.reference();
  json["largest_training_loss"] = largest_loss_of(report);
  json["constraints"] = constraints_of(report, true);
  add_evaluation(report, json);
  json["evaluates_groups"] = report.evaluates_groups;
  json["evaluation_noise_stddev"] =
      report.evaluation_noise_stddev ? Json(*report.evaluation_noise_stddev) : Json(nullptr);
  json["why_not_evaluated"] =
      report.why_not_evaluated.empty() ? Json(nullptr) : Json(report.why_not_evaluated);
  json["ledger"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["ledger_entries"] = Json::array();
  for (const LedgerEntry& entry : report.ledger_entries)
    json["ledger_entries"].push_back(to_json(entry));
  json["num_earlier_entries"] = report.num_earlier_entries;
  json["ingest"] = report.ingest_notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["seconds"] = report.seconds ? Json(*report.seconds) : Json(nullptr);
  json["files"] = report.files;
  json["run_file"] = report.run_file.empty() ? Json(nullptr) : Json(report.run_file);
  return json;
}

nlohmann::ordered_json model_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["target"] = report.target;
  json["classes"] = report.classes;
  json["privacy"] = guarantee_or_null(report.privacy);
  json["attack_bounds"] = attack_or_null(report.protection);
  json["split"] = split_of(report);
  if (num_lost_parameters(report) > 0) json["diverged"] = true;
  add_private_rates(report, json);
  json["parameters"] = Json::array();
  for (const auto& [name, value] : report.parameters) {
    if (report.keeps_parameter_names) {
      json["parameters"].push_back({{"name", name}, {"value", number_or_null(value)}});
    } else {
      json["parameters"].push_back(number_or_null(value));
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
  add_unit(report, json);
  json["split"] = split_of(report);
  json["num_parameters"] = report.parameters.size();
  json["privacy"] = guarantee_or_null(report.privacy);
  json["privacy_in_words"] = explain(report.protection);
  json["attack_bounds"] = attack_or_null(report.protection);
  json["privacy_by_rdp"] = guarantee_or_null(report.by_rdp);
  json["events"] = events_of(report);
  if (!report.constraints.empty()) json["constraints"] = constraints_of(report, false);
  add_evaluation(report, json);
  json["groups"] = public_groups(report);
  add_group_path(report, json);
  add_regression(report, json);
  json["ledger"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["deployment"] = deployment_of_model(report);
  json["limitations"] = limitations_of(report);
  json["notes"] = report.notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  return json;
}

}  // namespace equinoise
