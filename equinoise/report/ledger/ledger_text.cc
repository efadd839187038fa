// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/ledger/ledger_text.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/chart.h"

namespace equinoise {

namespace {

/// " per person_id"; "" if a unit is a row.
std::string per_unit(const Budget& budget) {
  return budget.protects_rows() ? "" : " per " + budget.unit;
}

}  // namespace

std::vector<std::string> account_sentences(const LedgerStatement& ledger) {
  std::vector<std::string> sentences = {fmt::format(
      "Account of dataset {}: budget epsilon {} at delta {}{}; spent {} before this run, {} after "
      "it.",
      ledger.dataset, format_epsilon(ledger.budget.epsilon), ledger.budget.delta.value(),
      per_unit(ledger.budget), format_epsilon(ledger.spent_before.epsilon),
      format_epsilon(ledger.spent_after.epsilon))};
  if (std::string assumption = account_assumption(ledger.budget); !assumption.empty())
    sentences.push_back(std::move(assumption));
  return sentences;
}

void add_account(const std::optional<LedgerStatement>& ledger, Document& document) {
  if (!ledger) return;
  document.account = account_sentences(*ledger);
  Section& section = document.section("Ledger", Fence::kPublishable, Form::kPage | Form::kCard);
  for (const std::string& sentence : document.account) section.add(Paragraph{sentence});
  section.add(Picture{budget_chart("budget", *ledger)});
}

std::string ledger_to_text(const LedgerAccount& account, const std::string& path) {
  const double left = account.budget.epsilon.value() - account.spent.epsilon.value();
  std::string text = fmt::format("Ledger {}, dataset {}\n", path, account.dataset);
  text += fmt::format("  budget     epsilon {} at delta {}{}, {}\n",
                      format_epsilon(account.budget.epsilon), account.budget.delta.value(),
                      per_unit(account.budget), to_string(account.budget.relation));
  text += fmt::format("  spent      epsilon {} (accounting by {}, all entries composed)\n",
                      format_epsilon(account.spent.epsilon), account.budget.accountant);
  text += fmt::format(
      "  remaining  epsilon {:.4g}; a release may cost more or less than that, and if it does not "
      "fit, --dry-run prints the largest --epsilon that does\n",
      std::fmax(0, left));
  text += fmt::format("  groups     {}\n", groups_rule(account.budget));
  if (account.spent_by_name) {
    text += fmt::format(
        "  by name    epsilon {}, added up as in the older version that opened the account\n",
        format_epsilon(account.spent_by_name->epsilon));
  }
  for (const GroupSpending& group : account.groups) {
    text += fmt::format("  cap        {}={}: epsilon {} of {} spent\n", group.cap.partition,
                        group.cap.group, format_epsilon(group.spent.epsilon),
                        format_epsilon(group.cap.epsilon));
  }
  if (const std::string reason = closed_because(account); !reason.empty())
    text += fmt::format("  closed     {}\n", reason);
  if (account.entries.empty()) return text + "\nNo entries.\n";
  TextTable table = entries_table(account.entries);
  table.head.emplace_back("epsilon alone");
  for (size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].push_back(format_epsilon(cost_alone(account.budget, account.entries[i])));
  return text + "\n" + to_text(table) +
         "\nThe account composes all entries; equinoise ledger explain lists what each of them "
         "paid for.\n";
}

Epsilon cost_alone(const Budget& budget, const LedgerEntry& entry) {
  return account_guarantee(budget, {entry.events}).epsilon;
}

TextTable entries_table(std::span<const LedgerEntry> entries) {
  TextTable table{"Entries of this dataset", {"entry", "time", "purpose"}};
  table.num_left = 3;
  for (const LedgerEntry& entry : entries) {
    std::string purpose = entry.purpose;
    if (entry.progress)
      purpose += fmt::format(" (saved a state after {} of {} repetitions)",
                             format_count(entry.progress->num_done), format_count(num_runs(entry)));
    table.rows.push_back({std::to_string(entry.sequence), entry.time, std::move(purpose)});
  }
  return table;
}

std::vector<std::string> event_lines(const Event& event) {
  std::vector<std::string> lines;
  if (event.kind() == Event::Kind::kRowsOfUnit) {
    for (const std::string& line : event_lines(event.events()[0]))
      lines.push_back(fmt::format("up to {} rows of a unit: {}", event.rows(), line));
    return lines;
  }
  if (event.kind() != Event::Kind::kParallel) return {event.to_text()};
  const std::string& partition = event.partition();
  for (size_t k = 0; k < event.events().size(); ++k) {
    lines.push_back(fmt::format("{}={}: {}", partition_title(partition), event.group_names()[k],
                                event.events()[k].to_text()));
  }
  return lines;
}

}  // namespace equinoise
