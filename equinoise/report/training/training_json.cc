// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "equinoise/report/deployment.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"
#include "equinoise/report/training/training_fields.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

namespace training_keys {

namespace {

/// One section for each of the report's groups; their number is checked.
std::vector<Section> sections_of_groups(const Section& section, const Report& report) {
  std::vector<Section> sections = section.sections("groups");
  if (sections.size() != report.groups.size())
    section.wrong("groups", fmt::format("a list of {} groups", report.groups.size()));
  return sections;
}

Json label_of(const GroupReport& row) {
  return row.group.empty() ? Json::object() : Json{{"group", to_json(row.group)}};
}

Json reference_of(const GroupReport& row, const FieldScope& scope) {
  Json json = label_of(row);
  if (row.reference) add_members(json, *row.reference, scope);
  return json;
}

Json rates_of(const GroupReport& row, const FieldScope& scope) {
  Json json = label_of(row);
  for (const auto& [metric, value] : private_rates(scope.num_classes))
    add_estimate(json, std::string(metric), (*row.private_rates).*value);
  return json;
}

PrivateRates read_rates(const Section& section, const FieldScope& scope) {
  PrivateRates rates;
  for (const auto& [metric, value] : private_rates(scope.num_classes))
    // Earlier files have no selection rate or precision.
    if (const std::string name(metric); section.has(name))
      rates.*value = read_estimate(section, name);
  return rates;
}

}  // namespace

void write_unit(const Report& report, const FieldScope&, Json& object) {
  object["unit"] = report.unit.name;
  object["unit_stated"] = report.unit.is_stated;
  if (!report.unit.is_row()) object["max_records_per_unit"] = report.unit.max_records;
}

void read_unit(const Section& root, const FieldScope&, Report& report) {
  report.unit.name = root.text("unit");
  report.unit.is_stated = root.has("unit_stated") && root.flag("unit_stated");
  if (!report.unit.is_row()) report.unit.max_records = read_count(root, "max_records_per_unit");
}

void write_split(const Report& report, const FieldScope&, Json& object) {
  object["split"] = {{"test_fraction", report.test_fraction}, {"split_seed", report.split_seed}};
}

void read_split(const Section& root, const FieldScope&, Report& report) {
  const Section split = root.section("split");
  report.test_fraction = split.number("test_fraction");
  report.split_seed = split.unsigned_integer("split_seed");
}

void write_protection(const Report& report, const FieldScope& scope, Json& object) {
  if (report.protection) object["public_groups"] = report.protection->public_groups;
  if (scope.document != Documents::kModel) object["privacy_in_words"] = explain(report.protection);
  object["attack_bounds"] = json_of(attack_of(report), scope);
}

void read_protection(const Section& root, const FieldScope&, Report& report) {
  if (!root.has("public_groups")) return;
  if (!report.privacy) root.wrong("privacy", "a guarantee, because public_groups are told");
  report.protection =
      Protection{report.privacy->relation, report.unit, root.texts("public_groups")};
  const Json& attack = root.member("attack_bounds");
  if (attack.is_null()) return;
  report.protection->attack = attack_bounds_from_json(attack);
  if (!report.protection->attack)
    root.wrong("attack_bounds", "true_positive_rate and advantage, from 0 to 1");
}

std::vector<CostGapRow> cost_gaps(const Report& report) {
  std::vector<CostGapRow> gaps;
  for (const GroupingRows& grouping : groupings_of(report.groups))
    for (CostGapRow& gap : cost_gaps_of(costs_of(grouping), report.classes.size()))
      gaps.push_back(std::move(gap));
  return gaps;
}

void write_explanations(const Report& report, const FieldScope&, Json& object) {
  Json& looks = object["explanations"] = Json::array();
  for (const RiskPoint& point : report.explanations) {
    Json& look = looks.emplace_back(
        Json{{"step", point.step},
             {"learning_rate", point.learning_rate},
             {"gradient_norm", number_or_null(point.risk.gradient_norm)},
             {"clipped_gradient_norm", number_or_null(point.risk.clipped_gradient_norm)},
             {"groups", Json::array()}});
    for (size_t a = 0; a < report.explained_groups.size(); ++a)
      look["groups"].push_back(risk_to_json(point.risk.groups[a], report.explained_groups[a]));
  }
}

void read_explanations(const Section& root, const FieldScope&, Report& report) {
  for (const Section& look : root.sections("explanations")) {
    RiskPoint point;
    point.step = read_count(look, "step");
    point.learning_rate = look.number("learning_rate");
    point.risk.gradient_norm = read_number(look, "gradient_norm");
    point.risk.clipped_gradient_norm = read_number(look, "clipped_gradient_norm");
    std::vector<GroupLabel> groups;
    for (const Section& group : look.sections("groups")) {
      groups.push_back(read_group(group, "group"));
      point.risk.groups.push_back(read_risk(group));
    }
    if (groups.empty() || (!report.explanations.empty() && groups != report.explained_groups))
      look.wrong("groups", "the same groups in every look");
    report.explained_groups = std::move(groups);
    report.explanations.push_back(std::move(point));
  }
}

void write_reference(const Report& report, const FieldScope& scope, Json& object) {
  Json& reference = object["reference"] = nullptr;
  if (!report.overall.reference) return;
  reference = {{"method", report.reference_method},
               {"status", "not private"},
               {"overall", reference_of(report.overall, scope)},
               {"groups", Json::array()},
               {"curve", json_of(report.reference_curve, scope)}};
  for (const GroupReport& group : report.groups)
    reference["groups"].push_back(reference_of(group, scope));
}

void read_reference(const Section& root, const FieldScope& scope, Report& report) {
  if (root.member("reference").is_null()) return;
  const Section reference = root.section("reference");
  report.reference_method = reference.text("method");
  read_members(reference.section("overall"), scope, report.overall.reference);
  const std::vector<Section> groups = sections_of_groups(reference, report);
  for (size_t k = 0; k < groups.size(); ++k)
    read_members(groups[k], scope, report.groups[k].reference);
  report.reference_curve = read_value<std::vector<CurvePoint>>(reference, "curve", scope);
}

void write_evaluation(const Report& report, const FieldScope& scope, Json& object) {
  if (!is_evaluation_told(report)) return;
  if (scope.document != Documents::kModel)
    object["private_evaluation"] = private_evaluation_line(report);
  if (report.overall.private_rates) {
    Json& rates =
        object["private_rates"] = {{"noise_stddev", report.evaluation_noise_stddev.value_or(0)},
                                   {"overall", rates_of(report.overall, scope)},
                                   {"groups", Json::array()}};
    for (const GroupReport& group : report.groups)
      rates["groups"].push_back(rates_of(group, scope));
    if (report.classes.size() == 2)
      rates["selection_rate_ratios"] = json_of(selection_ratios(report), scope);
  }
  if (!report.evaluation_cost || scope.document == Documents::kModel) return;
  object["private_evaluation_cost"] = {{"of", report.ledger ? "account" : "run"},
                                       {"epsilon_with", report.evaluation_cost->with.value()},
                                       {"epsilon_without", report.evaluation_cost->without.value()},
                                       {"epsilon_before", report.evaluation_cost->before.value()}};
}

void read_evaluation(const Section& root, const FieldScope& scope, Report& report) {
  if (root.has("private_evaluation_cost")) {
    const Section cost = root.section("private_evaluation_cost");
    report.evaluation_cost =
        EvaluationCost{read_epsilon(cost, "epsilon_with"), read_epsilon(cost, "epsilon_without"),
                       read_epsilon(cost, "epsilon_before")};
  }
  if (!root.has("private_rates")) return;
  const Section rates = root.section("private_rates");
  report.overall.private_rates = read_rates(rates.section("overall"), scope);
  const std::vector<Section> groups = sections_of_groups(rates, report);
  for (size_t k = 0; k < groups.size(); ++k)
    report.groups[k].private_rates = read_rates(groups[k], scope);
}

void write_parameters(const Report& report, const FieldScope&, Json& object) {
  if (num_lost_parameters(report) > 0) object["diverged"] = true;
  Json& parameters = object["parameters"] = Json::array();
  for (const auto& [name, value] : report.parameters) {
    parameters.push_back(report.keeps_parameter_names
                             ? Json{{"name", name}, {"value", number_or_null(value)}}
                             : number_or_null(value));
  }
}

void write_constraint_file(const Report& report, const FieldScope&, Json& object) {
  if (!report.constraints_text.empty())
    object["constraints"] = Json::parse(report.constraints_text)["constraint"];
}

Deployment deployment(const Report& report) {
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
  return deployment;
}

}  // namespace training_keys

namespace {

using Json = nlohmann::ordered_json;

FieldScope scope_of(const TrainingReport& report, DocumentSet document) {
  return {document, report.classes.size()};
}

/// Refuses weights and losses of other groups than those that were trained.
TrainingReport read_training(const OrderedJsonSection& root) {
  const auto report =
      read_fields<TrainingReport>(root, {Documents::kReport, root.texts("classes").size()});
  for (size_t i = 0; i < report.group_path.size(); ++i) {
    const GroupPathRow& row = report.group_path[i];
    const size_t num_groups = report.trained_groups.size();
    if (row.weights.size() != num_groups ||
        (!row.losses.empty() && row.losses.size() != num_groups))
      root.sections("group_path")[i].wrong("weights", fmt::format("a list of {} numbers, as "
                                                                  "noisy_losses",
                                                                  num_groups));
  }
  return report;
}

}  // namespace

Json plan_to_json(const TrainingReport& report) {
  return document_of("plan", report, scope_of(report, Documents::kPlan));
}

Json model_to_json(const TrainingReport& report) {
  return document_of("model", report, scope_of(report, Documents::kModel));
}

Json card_to_json(const TrainingReport& report) {
  return document_of("model_card", report, scope_of(report, Documents::kCard));
}

Json training_to_json(const TrainingReport& report) {
  const Json of_owner = document_of("train", report, scope_of(report, Documents::kReport));
  const bool is_private = report.status == PrivacyStatus::kPrivate;
  Json json = confidential_notices(is_private ? "what not_publishable lists"
                                              : "no budget protects what is here");
  if (is_private) {
    const Json of_card = document_of("train", report, scope_of(report, Documents::kCard));
    std::vector<std::string> paths = paths_beyond(of_card, of_owner);
    paths.emplace_back("alarms");  // those of a card leave exact figures out
    json[kNotPublishable] = paths;
  }
  json.update(of_owner);
  return json;
}

TrainingReport training_report_from_json(std::string_view text, std::string_view origin) {
  return read_document({"train", origin, "report.training"}, text, read_training);
}

}  // namespace equinoise
