#include "equinoise/report/json.h"

#include <cmath>

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

void add_metrics(Json& json, const Metrics& metrics) {
  json["num_records"] = metrics.num_records;
  json["accuracy"] = number(metrics.accuracy.value);
  json["accuracy_interval"] = interval(metrics.accuracy.interval);
  json["loss"] = number(metrics.loss.value);
  json["loss_interval"] = interval(metrics.loss.interval);
}

void add_public_facts(Json& json, const GroupReport& group) {
  json["public_size"] = group.public_size ? Json(*group.public_size) : Json(nullptr);
  json["privacy"] = optional_guarantee(group.privacy);
  if (group.noise_stddev) json["noise_stddev"] = *group.noise_stddev;
  if (group.relative_noise) json["noise_stddev_per_expected_member"] = *group.relative_noise;
}

Json public_group(const GroupReport& group) {
  Json json = {{"group", to_json(group.group)}};
  add_public_facts(json, group);
  return json;
}

Json full_group(const GroupReport& group) {
  Json json = Json::object();
  if (!group.group.empty()) json["group"] = to_json(group.group);
  if (group.metrics) add_metrics(json, *group.metrics);
  if (group.accuracy_cost) {
    json["accuracy_cost"] = number(group.accuracy_cost->value);
    json["accuracy_cost_interval"] = interval(group.accuracy_cost->interval);
  }
  add_public_facts(json, group);
  return json;
}

Json reference_of(const TrainingReport& report) {
  if (!report.overall.reference) return nullptr;
  Json json = {{"method", "sgd"}, {"status", "not private"}};
  add_metrics(json["overall"], *report.overall.reference);
  json["groups"] = Json::array();
  for (const GroupReport& group : report.groups) {
    Json row = {{"group", to_json(group.group)}};
    if (group.reference) add_metrics(row, *group.reference);
    json["groups"].push_back(row);
  }
  return json;
}

Json statement(const LedgerStatement& ledger) {
  return {{"path", ledger.path},
          {"dataset", ledger.dataset},
          {"budget",
           {{"epsilon", ledger.budget.epsilon.value()}, {"delta", ledger.budget.delta.value()}}},
          {"spent_before", to_json(ledger.spent_before)},
          {"spent", to_json(ledger.spent_after)},
          {"remaining",
           std::fmax(0, ledger.budget.epsilon.value() - ledger.spent_after.epsilon.value())}};
}

Json header(const TrainingReport& report) {
  return {{"schema", kSchema},         {"version", report.version},
          {"dataset", report.dataset}, {"method", report.method},
          {"status", report.status},   {"maturity", report.maturity},
          {"source", report.source},   {"settings", settings_of(report)}};
}

}  // namespace

std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
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

nlohmann::ordered_json plan_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["events"] = events_of(report);
  json["privacy"] = optional_guarantee(report.privacy);
  json["groups"] = Json::array();
  for (const GroupReport& group : report.groups) json["groups"].push_back(public_group(group));
  json["ledger_after"] = report.ledger ? statement(*report.ledger) : Json(nullptr);
  json["warnings"] = report.warnings;
  return json;
}

nlohmann::ordered_json training_to_json(const TrainingReport& report) {
  Json json = {{"notice",
                "CONTAINS NON-PRIVATE STATISTICS, DO NOT PUBLISH: metrics, reference and ingest "
                "are computed "
                "from records without noise"}};
  json.update(header(report));
  json["privacy"] = optional_guarantee(report.privacy);
  json["events"] = events_of(report);
  json["overall"] = full_group(report.overall);
  json["groups"] = Json::array();
  for (const GroupReport& group : report.groups) json["groups"].push_back(full_group(group));
  json["reference"] = reference_of(report);
  json["constraints"] = Json::array();
  json["ledger"] = report.ledger ? statement(*report.ledger) : Json(nullptr);
  json["ingest"] = report.ingest_notes;
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["seconds"] = report.seconds;
  json["files"] = report.files;
  return json;
}

nlohmann::ordered_json model_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["model"] = report.model;
  json["target"] = report.target;
  json["classes"] = report.classes;
  json["privacy"] = optional_guarantee(report.privacy);
  json["parameters"] = Json::array();
  for (const auto& [name, value] : report.parameters)
    json["parameters"].push_back({{"name", name}, {"value", value}});
  json["table_schema"] = report.schema_text;
  return json;
}

nlohmann::ordered_json card_to_json(const TrainingReport& report) {
  Json json = header(report);
  json["model"] = report.model;
  json["target"] = report.target;
  json["unit"] = report.unit;
  json["num_parameters"] = report.parameters.size();
  json["privacy"] = optional_guarantee(report.privacy);
  json["events"] = events_of(report);
  json["groups"] = Json::array();
  for (const GroupReport& group : report.groups) json["groups"].push_back(public_group(group));
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  return json;
}

nlohmann::ordered_json to_json(const LedgerAccount& account) {
  const double budget = account.budget.epsilon.value();
  Json json = {{"schema", kSchema},
               {"dataset", account.dataset},
               {"budget",
                {{"epsilon", budget},
                 {"delta", account.budget.delta.value()},
                 {"relation", to_string(account.budget.relation)}}},
               {"spent", to_json(account.spent)},
               {"remaining", {{"epsilon", std::fmax(0, budget - account.spent.epsilon.value())}}},
               {"entries", Json::array()}};
  for (const LedgerEntry& entry : account.entries) {
    Json events = Json::array();
    for (const Event& event : entry.events) events.emplace_back(event.to_json());
    json["entries"].push_back({{"sequence", entry.sequence},
                               {"time", entry.time},
                               {"purpose", entry.purpose},
                               {"events", events},
                               {"hash", entry.hash}});
  }
  return json;
}

}  // namespace equinoise
