// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/ledger/ledger_json.h"
#include "equinoise/report/ledger/ledger_report.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise::cli {

namespace {

struct LedgerOptions {
  std::string path = "equinoise.ledger";
  std::string dataset;
  double epsilon = 0;
  double delta = kDefaultDelta;
  std::string relation = "zero_out";
  std::string unit = kRowUnit;
  std::string accountant;
  std::vector<std::string> group_caps;
  bool fixed_groups = false;
  bool csv = false;
};

RequestOptions options_of(LedgerOptions& options) {
  return {
      {{.name = "ledger", .help = "Ledger file"}, &options.path},
      {{.name = "dataset", .help = "Name of the dataset; needed if the ledger has several"},
       &options.dataset},
      {{.name = "epsilon", .help = "Budget of the account", .is_required = true}, &options.epsilon},
      {{.name = "delta",
        .help = "Failure probability of the account's guarantee, below 1 / num_records"},
       &options.delta},
      {{.name = "relation", .help = "Neighbouring relation: zero_out, add_remove or replace_one"},
       &options.relation},
      {{.name = "unit",
        .help =
            "Whom the account protects: row, or the name of the column that the schema calls its "
            "unit"},
       &options.unit},
      {{.name = "accountant",
        .help = "Further accountant, whose epsilon for all entries as one fixed plan is shown as "
                "well"},
       &options.accountant},
      {{.name = "group_cap",
        .help = "PARTITION=GROUP:EPSILON: cap on the privacy loss of the members of a group; "
                "repeatable; needs --fixed-groups"},
       &options.group_caps},
      {{.name = "fixed_groups",
        .help = "State that nobody changes groups between entries (for example in another year's "
                "table, by a corrected record or in another file format). The costs of each group "
                "are then added up by its name, and the largest sum counts; without this statement "
                "each entry costs what its costliest group pays. Nothing checks the statement"},
       &options.fixed_groups},
      {{.name = "csv", .help = "Write the entries as CSV instead of JSON"}, &options.csv}};
}

/// The dataset that was asked for, or the only one there is.
std::string choose_dataset(const Ledger& ledger, const LedgerOptions& options) {
  const std::vector<std::string> datasets = ledger.datasets();
  if (!options.dataset.empty() || datasets.empty()) return options.dataset;
  if (datasets.size() == 1) return datasets[0];
  throw Error(ErrorKind::kUsage, "cli.ledger", "{} has accounts for {}; choose one with --dataset",
              options.path, fmt::join(datasets, ", "));
}

/// Prints that the file holds other accounts, one of which may be of the same people.
void tell_of_others(const Ledger& ledger, const LedgerOptions& options,
                    const CommonOptions& common) {
  std::vector<std::string> others = ledger.datasets();
  std::erase(others, options.dataset);
  if (others.empty()) return;
  common.tell(fmt::format(
      "note: {} also holds accounts for {}; if two accounts cover the same records, only the sum "
      "of their budgets is guaranteed\n",
      options.path, fmt::join(others, ", ")));
}

void run_init(const CLI::App&, const LedgerOptions& options, const CommonOptions& common) {
  Budget budget{Epsilon(options.epsilon), Delta(options.delta), parse_relation(options.relation)};
  if (!options.accountant.empty()) budget.accountant = options.accountant;
  for (const std::string& cap : options.group_caps) {
    budget.group_caps.push_back(parse_group_cap(cap));
  }
  budget.fixed_groups = options.fixed_groups;
  budget.unit = options.unit;
  Ledger::open_account(options.path, options.dataset, budget);
  if (const std::string warning = too_large_for_several(budget); !warning.empty())
    common.tell(fmt::format("warning: {}\n", warning));
  const Ledger ledger(options.path);
  tell_of_others(ledger, options, common);
  const LedgerAccount account = ledger.account(options.dataset);
  if (common.json) {
    print_json(account, common);
    return;
  }
  common.print(
      "opened an account for dataset {} in {}: budget epsilon {} at delta {}{}, {}, accounting by "
      "{}\n",
      options.dataset, options.path, options.epsilon, options.delta,
      budget.protects_rows() ? "" : " per " + budget.unit, options.relation, budget.accountant);
  common.print("groups {}\n", groups_rule(budget));
  for (const GroupCap& cap : budget.group_caps) {
    common.print("cap of {}={}: epsilon {}\n", cap.partition, cap.group, cap.epsilon.value());
  }
}

/// The epsilon that another accountant, or the smallest of all, gives for an account's entries.
Epsilon recompute(const LedgerAccount& account, const std::string& accountant) {
  Spends spends;
  for (const LedgerEntry& entry : account.entries) spends.push_back(entry.events);
  return fixed_plan_epsilon(account.budget, spends, accountant);
}

void run_show(const CLI::App&, const LedgerOptions& options, const CommonOptions& common) {
  constexpr const char* kCaveat =
      "as if all entries had been fixed before the first output was seen; unless they were, this "
      "is no guarantee of this account";
  const Ledger ledger(options.path);
  const LedgerAccount account = ledger.account(choose_dataset(ledger, options));
  std::optional<Epsilon> other;
  if (!options.accountant.empty()) other = recompute(account, options.accountant);
  if (common.json) {
    LedgerExplanation shown = explanation_of(account);
    if (other) {
      const Budget& budget = account.budget;
      shown.recomputed = {*other,          budget.delta.value(), options.accountant,
                          budget.relation, budget.unit,          kCaveat};
    }
    print_json(shown, common);
    return;
  }
  common.print("{}", ledger_to_text(account, options.path));
  if (other) {
    common.print("\nBy {}: epsilon {:.6g} at delta {:g},\n{}.\n", options.accountant,
                 other->value(), account.budget.delta.value(), kCaveat);
  }
}

void run_explain(const CLI::App&, const LedgerOptions& options, const CommonOptions& common) {
  const Ledger ledger(options.path);
  const LedgerAccount account = ledger.account(choose_dataset(ledger, options));
  print_report(explanation_of(account), explain_ledger(account, options.path), common);
}

void run_export(const CLI::App&, const LedgerOptions& options, const CommonOptions& common) {
  if (options.csv && common.json) {
    throw Error(ErrorKind::kUsage, "cli.ledger", "--csv and --json cannot be combined");
  }
  const Ledger ledger(options.path);
  if (options.csv) {
    common.print("{}", export_ledger_csv(ledger));
  } else {
    print_json(export_ledger(ledger), common);
  }
}

void run_verify(const CLI::App&, const LedgerOptions& options, const CommonOptions& common) {
  const LedgerVerification verified = Ledger(options.path).verify();
  if (common.json) {
    print_json(verified, common);
    return;
  }
  size_t num_entries = 0;
  for (const LedgerAccount& account : verified.accounts) num_entries += account.entries.size();
  common.print(
      "{}: OK: the hash chain is intact; {} account{}\nchecked: the database's structure and "
      "definition, the hashes of {} records, their form and order,\nand that each of {} entries "
      "fitted within its budget and the caps of groups when it was added\nlast hash {}\n",
      options.path, verified.accounts.size(), verified.accounts.size() == 1 ? "" : "s",
      verified.num_records, num_entries, verified.last_hash);
  for (const LedgerAccount& account : verified.accounts) {
    if (account.opened_by_name) {
      common.print(
          "dataset {} was opened by a version that added up the costs of groups by name over "
          "entries (epsilon\n{}), which holds only if nobody changed groups. By the current rule, "
          "which counts the costliest group\nof each entry, epsilon {} of {} is spent.\n",
          account.dataset, format_epsilon(account.spent_by_name),
          format_epsilon(account.spent.epsilon), format_epsilon(account.budget.epsilon));
    }
    if (!account.budget.protects_rows()) {
      common.print("dataset {}: budget and spending are per {}\n", account.dataset,
                   account.budget.unit);
    }
    if (const std::string assumption = account_assumption(account.budget); !assumption.empty())
      common.print("dataset {}: {}\n", account.dataset, assumption);
    if (const std::string reason = closed_because(account); !reason.empty())
      common.print("dataset {} accepts no further entry: {}\n", account.dataset, reason);
  }
  common.print(
      "Keep a copy of the last hash elsewhere: an intact chain does not rule out that the file was "
      "replaced by an older copy or a newly made one.\n");
}

}  // namespace

void add_ledger_command(CLI::App& app, CommonOptions& common) {
  CLI::App* ledger = app.add_subcommand("ledger", "Keep account of the privacy budget");
  ledger->require_subcommand(1);
  using Run = void (*)(const CLI::App&, const LedgerOptions&, const CommonOptions&);
  const auto add = [&](const CommandText& text, Run run,
                       const std::function<RequestOptions(const RequestOptions&)>& options) {
    const auto request = std::make_shared<LedgerOptions>();
    add_request_command(*ledger, text, common, run, request, options(options_of(*request)));
  };
  add({"init", "Open an account with a budget for a dataset",
       "equinoise ledger init --dataset adult --epsilon 3 --delta 1e-6"},
      run_init, [](const RequestOptions& all) {
        RequestOptions options = without(all, {"csv"});
        facts_in(options, "dataset").help = "Name of the dataset, as in its schema";
        facts_in(options, "dataset").is_required = true;
        facts_in(options, "accountant").help =
            "Rule by which entries add up: rdp (default), zcdp or pld; it cannot be changed later";
        return options;
      });
  add({"show", "Show budget, spending and entries", "equinoise ledger show --dataset adult"},
      run_show, [](const RequestOptions& all) {
        return only(all, {"ledger", "dataset", "accountant"});
      });
  add({"explain", "Explain in words what was spent on what and what is left",
       "equinoise ledger explain --dataset adult"},
      run_explain, [](const RequestOptions& all) {
        return only(all, {"ledger", "dataset"});
      });
  add({"export",
       "Write all records as JSON, so that other tools can check them and redo the accounting",
       "equinoise ledger export --ledger equinoise.ledger > ledger.json"},
      run_export, [](const RequestOptions& all) {
        return only(all, {"ledger", "csv"});
      });
  add({"verify", "Check the structure, the hash chain and the budgets of all entries",
       "equinoise ledger verify --ledger equinoise.ledger"},
      run_verify, [](const RequestOptions& all) { return only(all, {"ledger"}); });
}

}  // namespace equinoise::cli
