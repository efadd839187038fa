// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/ledger/ledger_json.h"

#include <cmath>
#include <string>

#include "equinoise/report/json.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

nlohmann::ordered_json to_json(const LedgerStatement& ledger) {
  return {{"path", ledger.path},
          {"dataset", ledger.dataset},
          {"budget",
           {{"epsilon", ledger.budget.epsilon.value()},
            {"delta", ledger.budget.delta.value()},
            {"unit", ledger.budget.unit},
            {"fixed_groups", ledger.budget.fixed_groups}}},
          {"spent_before", to_json(ledger.spent_before)},
          {"spent", to_json(ledger.spent_after)},
          {"remaining",
           std::fmax(0, ledger.budget.epsilon.value() - ledger.spent_after.epsilon.value())}};
}

nlohmann::ordered_json to_json(const LedgerEntry& entry) {
  Json events = Json::array();
  for (const Event& event : entry.events) events.emplace_back(event.to_json());
  Json json = {{"sequence", entry.sequence},
               {"time", entry.time},
               {"purpose", entry.purpose},
               {"events", events},
               {"hash", entry.hash}};
  if (!entry.key.empty()) json["key"] = entry.key;
  if (entry.progress) {
    json["progress"] = {{"num_done", entry.progress->num_done},
                        {"state", entry.progress->state_hash}};
  }
  return json;
}

nlohmann::ordered_json to_json(const LedgerAccount& account) {
  const double budget = account.budget.epsilon.value();
  Json json = {{"schema", kReportSchema},
               {"dataset", account.dataset},
               {"budget",
                {{"epsilon", budget},
                 {"delta", account.budget.delta.value()},
                 {"relation", to_string(account.budget.relation)},
                 {"unit", account.budget.unit},
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
  for (const LedgerEntry& entry : account.entries) json["entries"].push_back(to_json(entry));
  return json;
}

}  // namespace equinoise
