// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/ledger/ledger_json.h"

#include <cmath>
#include <string>

#include "equinoise/report/field_json.h"

namespace equinoise {

LedgerStatement read_ledger_statement(const OrderedJsonSection& ledger) {
  const OrderedJsonSection budget = ledger.section("budget");
  const double delta = budget.number("delta");
  if (!(delta >= 0 && delta < 1)) budget.wrong("delta", "at least 0 and below 1");
  const auto before = read_value<Guarantee>(ledger, "spent_before", {});
  LedgerStatement statement{ledger.text("path"), ledger.text("dataset"),
                            Budget{read_epsilon(budget, "epsilon"), Delta(delta), before.relation},
                            before, read_value<Guarantee>(ledger, "spent", {})};
  statement.budget.fixed_groups = budget.flag("fixed_groups");
  if (budget.has("unit")) statement.budget.unit = budget.text("unit");
  if (budget.has("accountant")) statement.budget.accountant = budget.text("accountant");
  if (ledger.has("entry")) statement.entry = static_cast<int64_t>(ledger.unsigned_integer("entry"));
  return statement;
}

EpsilonAlone remaining_of(Epsilon budget, const Guarantee& spent) {
  return {std::fmax(0, budget.value() - spent.epsilon.value())};
}

}  // namespace equinoise
