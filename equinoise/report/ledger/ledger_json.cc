// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/ledger/ledger_json.h"

#include <cmath>
#include <string>

#include "equinoise/report/field_json.h"

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
           {{"epsilon",
             std::fmax(0, ledger.budget.epsilon.value() - ledger.spent_after.epsilon.value())}}}};
}

LedgerStatement read_ledger_statement(const OrderedJsonSection& ledger) {
  const OrderedJsonSection budget = ledger.section("budget");
  const double delta = budget.number("delta");
  if (!(delta >= 0 && delta < 1)) budget.wrong("delta", "at least 0 and below 1");
  const auto before = read_value<Guarantee>(ledger, "spent_before", {});
  LedgerStatement statement{ledger.text("path"), ledger.text("dataset"),
                            Budget{read_epsilon(budget, "epsilon"), Delta(delta), before.relation},
                            before, read_value<Guarantee>(ledger, "spent", {})};
  statement.budget.fixed_groups = budget.flag("fixed_groups");
  return statement;
}

nlohmann::ordered_json to_json(const LedgerAccount& account) {
  const double budget = account.budget.epsilon.value();
  Json json = {{"dataset", account.dataset},
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
               {"groups", Json::array()}};
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
  json["entries"] = json_of(account.entries, {});
  return json;
}

}  // namespace equinoise
