#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/report/json.h"
#include "equinoise/report/text.h"

namespace equinoise::cli {

namespace {

struct LedgerOptions {
  std::string path = "equinoise.ledger";
  std::string dataset;
  double epsilon = 0;
  double delta = 0;
  std::string relation = "zero_out";
};

/// The dataset that was asked for, or the only one there is.
std::string choose_dataset(const Ledger& ledger, const LedgerOptions& options) {
  const std::vector<std::string> datasets = ledger.datasets();
  if (!options.dataset.empty() || datasets.empty()) return options.dataset;
  if (datasets.size() == 1) return datasets[0];
  throw Error(ErrorKind::kUsage, "cli.ledger",
              fmt::format("{} has accounts for {}; choose one with --dataset", options.path,
                          fmt::join(datasets, ", ")));
}

void run_init(const LedgerOptions& options, const CommonOptions& common) {
  Ledger::open_account(
      options.path, options.dataset,
      {Epsilon(options.epsilon), Delta(options.delta), parse_relation(options.relation)});
  const LedgerAccount account = Ledger(options.path).account(options.dataset);
  if (common.json) {
    fmt::print("{}", to_text(to_json(account)));
  } else {
    fmt::print("opened dataset {} in {}: budget epsilon {:g} at delta {:g}, {}\n", options.dataset,
               options.path, options.epsilon, options.delta, options.relation);
  }
}

void run_show(const LedgerOptions& options, const CommonOptions& common) {
  const Ledger ledger(options.path);
  const LedgerAccount account = ledger.account(choose_dataset(ledger, options));
  if (common.json) {
    fmt::print("{}", to_text(to_json(account)));
  } else {
    fmt::print("{}", ledger_to_text(account, options.path));
  }
}

void run_verify(const LedgerOptions& options, const CommonOptions& common) {
  const Ledger ledger(options.path);
  nlohmann::ordered_json accounts = nlohmann::ordered_json::array();
  for (const std::string& dataset : ledger.datasets()) {
    const LedgerAccount account = ledger.account(dataset);
    accounts.push_back({{"dataset", dataset},
                        {"entries", account.entries.size()},
                        {"spent", to_json(account.spent)}});
  }
  if (common.json) {
    fmt::print("{}", to_text(nlohmann::ordered_json({{"schema", "equinoise/1"},
                                                     {"ok", true},
                                                     {"last_hash", ledger.last_hash()},
                                                     {"accounts", accounts}})));
    return;
  }
  fmt::print("{}: the hash chain is whole; {} account{}\nlast hash {}\n", options.path,
             accounts.size(), accounts.size() == 1 ? "" : "s", ledger.last_hash());
  fmt::print(
      "Keep the last hash elsewhere: a whole chain does not exclude that an older copy or a newly "
      "made file was put here.\n");
}

}  // namespace

void add_ledger_command(CLI::App& app, CommonOptions& common) {
  CLI::App* ledger = app.add_subcommand("ledger", "Keep the account of privacy");
  ledger->require_subcommand(1);
  auto options = std::make_shared<LedgerOptions>();
  const auto add = [&](const std::string& name, const std::string& description,
                       const std::string& example,
                       void (*run)(const LedgerOptions&, const CommonOptions&)) {
    CLI::App* command = add_command(*ledger, name, description, example, common);
    command->add_option("--ledger", options->path, "Ledger file")->capture_default_str();
    command->callback([options, run, &common] { run(*options, common); });
    return command;
  };
  CLI::App* init = add("init", "Open an account with a budget for a dataset",
                       "equinoise ledger init --dataset adult --epsilon 3 --delta 1e-6", run_init);
  init->add_option("--dataset", options->dataset, "Name of the dataset, as in its schema")
      ->required();
  init->add_option("--epsilon", options->epsilon, "Budget")->required();
  init->add_option("--delta", options->delta,
                   "Delta at which the account is kept, below 1 / num_records")
      ->required();
  init->add_option("--relation", options->relation, "zero_out, add_remove or replace_one")
      ->capture_default_str();
  CLI::App* show = add("show", "Show budget, spending and entries",
                       "equinoise ledger show --dataset adult", run_show);
  show->add_option("--dataset", options->dataset,
                   "Name of the dataset, needed if the ledger has several");
  add("verify", "Check the hash chain of all entries",
      "equinoise ledger verify --ledger equinoise.ledger", run_verify);
}

}  // namespace equinoise::cli
