// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/ledger/ledger_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/ledger/ledger_text.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

std::string neighbours_of(Relation relation) {
  switch (relation) {
    case Relation::kZeroOut:
      return "two tables that are equal except that one has a null record, which contributes "
             "nothing, in\n  place of a record of the other; the number of records and declared "
             "group sizes are public";
    case Relation::kAddRemove:
      return "two tables that are equal except that one has one more record than the other; the "
             "number of\n  records is private";
    case Relation::kReplaceOne:
      return "two tables of equal size that differ in one record; where group sizes are public, "
             "the record\n  stays in its group";
  }
  return "";
}

std::string neighbours_of(const Budget& budget) {
  if (budget.protects_rows()) return neighbours_of(budget.relation);
  const std::string unit = budget.unit;
  switch (budget.relation) {
    case Relation::kZeroOut:
      return fmt::format(
          "two tables that are equal except that in one all rows of one unit ({}) are null and\n  "
          "contribute nothing; the number of units and declared group sizes are public, how many "
          "rows a unit\n  has is private",
          unit);
    case Relation::kAddRemove:
      return fmt::format(
          "two tables that are equal except that one has one more unit ({}), with its rows, than "
          "the other;\n  the number of units is private",
          unit);
    case Relation::kReplaceOne:
      return fmt::format(
          "two tables that are equal except for the rows of one unit ({}), of which there are "
          "equally many in\n  both",
          unit);
  }
  return "";
}

std::string rule_of(const Budget& budget) {
  if (budget.accountant == "pld") {
    return "privacy loss distributions: from the second entry on, entry i has a delta / 2^i of\n  "
           "its own, and the epsilons add up";
  }
  if (budget.accountant == "zcdp") {
    return "zero-concentrated DP: the rhos of all entries add up and are converted together";
  }
  return "Renyi DP: the divergences of all entries add up at each order, and the orders share\n  "
         "delta; a single entry may be accounted for by privacy loss distributions or "
         "zero-concentrated\n  DP where these are tighter";
}

bool is_named(const LedgerAccount& account, const GroupCap& cap) {
  return std::ranges::any_of(account.entries, [&](const LedgerEntry& entry) {
    return !partitions_with_group(entry.events, cap.partition, cap.group).empty();
  });
}

std::string left_of(Epsilon limit, Epsilon spent) {
  return fmt::format("{:.4g}", std::fmax(0, limit.value() - spent.value()));
}

std::string explain_entry(const Budget& budget, const LedgerEntry& entry) {
  std::string text = fmt::format("\nEntry {}, {}: {}\n", entry.sequence, entry.time, entry.purpose);
  if (!entry.key.empty()) text += fmt::format("  key \"{}\": cannot be used again\n", entry.key);
  for (const Event& event : entry.events) text += fmt::format("  paid for {}\n", event.to_text());
  text +=
      fmt::format("  by itself epsilon {} at delta {:g}{}\n",
                  format_epsilon(cost_alone(budget, entry)), budget.delta.value(),
                  entry.progress ? fmt::format("; its run saved a state after {} of {} repetitions",
                                               entry.progress->num_done, num_runs(entry))
                                 : "");
  return text;
}

std::string explain_names(const LedgerAccount& account) {
  if (!account.spent_by_name) return "";
  return fmt::format("  Added up by name, as in the version that opened the account: epsilon {}.\n",
                     format_epsilon(account.spent_by_name->epsilon));
}

std::string explain_groups(const LedgerAccount& account) {
  if (account.groups.empty()) {
    return "\nNo group has a cap: the members of each group may lose up to the whole budget.\n";
  }
  std::string text = "\nCaps of groups: the most that one member of the group may lose. ";
  text += account.budget.fixed_groups
              ? "Entries for all records\ncount in full; entries in parallel over the group's "
                "partition count with the group's own part, and\nthose over other partitions with "
                "their costliest group.\n"
              : "Every entry counts with\nits costliest group, because the member may have been in "
                "that group at the time.\n";
  for (const GroupSpending& group : account.groups) {
    text += fmt::format("  {}={}: spent epsilon {} of {}, left {}\n", group.cap.partition,
                        group.cap.group, format_epsilon(group.spent.epsilon),
                        format_epsilon(group.cap.epsilon),
                        left_of(group.cap.epsilon, group.spent.epsilon));
    if (!account.budget.fixed_groups || is_named(account, group.cap)) continue;
    text +=
        "    no entry names this group so far, so the costliest group of each partition counts; if "
        "an\n    entry should have named it, compare the spelling\n";
  }
  return text;
}

}  // namespace

std::string explain_ledger(const LedgerAccount& account, const std::string& path) {
  const Budget& budget = account.budget;
  const double factor = std::exp(budget.epsilon.value());
  std::string text = fmt::format("Dataset {} in {}\n\n", account.dataset, path);
  text += fmt::format(
      "Guaranteed: epsilon {} at delta {:g} under {}.\n  For {}:\n  any result of all outputs "
      "together is at most {:.4g} times (e to the epsilon) as probable with\n  one table as with "
      "the other, plus {:g}. {}\n",
      format_epsilon(budget.epsilon), budget.delta.value(), to_string(budget.relation),
      neighbours_of(budget), factor, budget.delta.value(),
      rests_on_names(account)
          ? "An older version of Equinoise gave this guarantee by adding\n  up the costs of groups "
            "by name: it holds only if nobody changed groups between entries."
          : "This holds even if later entries were chosen after\n  earlier outputs were seen.");
  text += fmt::format("Accounting by {}.\n", rule_of(budget));
  text += fmt::format("Groups: {}.\n", groups_rule(budget));
  if (const std::string assumption = account_assumption(budget); !assumption.empty())
    text += fmt::format("  {}\n", assumption);
  text += fmt::format(
      "Spent: epsilon {} by {} {}. Left: {}; a further entry may cost more or less than it would "
      "alone.\n",
      format_epsilon(account.spent.epsilon), account.entries.size(),
      account.entries.size() == 1 ? "entry" : "entries",
      left_of(budget.epsilon, account.spent.epsilon));
  text += explain_names(account);
  if (const std::string reason = closed_because(account); !reason.empty())
    text += fmt::format("Closed: {}.\n", reason);
  for (const LedgerEntry& entry : account.entries) text += explain_entry(budget, entry);
  text += explain_groups(account);
  return text +
         "\nNot counted: anything computed from the records without this ledger. The ledger "
         "detects damage and\nedits, but not its replacement by an older copy: keep the last hash "
         "of `equinoise ledger verify`\nelsewhere.\n";
}

LedgerExplanation explanation_of(const LedgerAccount& account) {
  LedgerExplanation explained{account, {}, {}, {}};
  for (const GroupSpending& group : account.groups)
    explained.explained_groups.push_back({group, is_named(account, group.cap)});
  for (const LedgerEntry& entry : account.entries)
    explained.explained_entries.push_back({entry, cost_alone(account.budget, entry).value()});
  return explained;
}

LedgerExport export_ledger(const Ledger& ledger) {
  LedgerVerification verified = ledger.verify();
  return {std::move(verified.last_hash), std::move(verified.accounts), ledger.records()};
}

std::string export_ledger_csv(const Ledger& ledger) {
  std::string text =
      "sequence,time,dataset,purpose,key,relation,delta,accountant,num_done,events,hash\r\n";
  for (const LedgerAccount& account : ledger.verify().accounts) {
    for (const LedgerEntry& entry : account.entries) {
      Json events = Json::array();
      for (const Event& event : entry.events) events.emplace_back(event.to_json());
      const std::vector<std::string> cells = {
          std::to_string(entry.sequence),
          entry.time,
          account.dataset,
          entry.purpose,
          entry.key,
          std::string(to_string(account.budget.relation)),
          fmt::format("{}", account.budget.delta.value()),
          account.budget.accountant,
          entry.progress ? std::to_string(entry.progress->num_done) : "",
          events.dump(),
          entry.hash};
      for (size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + csv_cell(cells[i]);
      text += "\r\n";
    }
  }
  return text;
}

}  // namespace equinoise
