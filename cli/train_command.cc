// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/constraint_options.h"
#include "cli/group_options.h"
#include "cli/method_options.h"
#include "cli/number_options.h"
#include "cli/run_file_options.h"
#include "cli/schema_options.h"
#include "cli/table_option.h"
#include "equinoise/base/check.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_json.h"
#include "equinoise/report/training/training_page.h"
#include "equinoise/tasks/train/chosen_options.h"
#include "equinoise/tasks/train/unit_outlook.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

struct TrainOptions {
  TrainRequest request;
  GroupOptions groups;
  uint64_t seed = 0;
  bool insecure = false;
  bool dry_run = false;
  bool strict = false;
  bool is_verbose = false;
  CLI::Option* seed_option = nullptr;
};

/// Groups of several --groups.
void add_overlap_option(CLI::App& command, TrainRequest& request) {
  command
      .add_flag("--overlapping", request.overlapping,
                "Use the groups of every --groups option together; each option must partition all "
                "records. In group_weighted a record counts as much as its groups on average, and "
                "pays accordingly; in dpse a record pays for each of its groups")
      ->group("Groups with budgets of their own");
}

/// What is to be low, where a method does just that.
void add_objective_option(CLI::App& command, TrainRequest& request) {
  command
      .add_option("--objective", request.objective,
                  "Objective of training, average or worst-group, for methods that have one [the "
                  "method's own]")
      ->group("Worst group");
}

/// The names of methods without a guarantee.
std::vector<std::string> open_methods() {
  std::vector<std::string> names;
  for (const TrainingMethodRow& row : training_methods())
    if (row.status == PrivacyStatus::kNotPrivate) names.emplace_back(row.name);
  return names;
}

/// Options of the methods; help shows those that most methods have, and those of `method`.
void add_own_options(CLI::App& command, TrainingConfig& config, const std::string& method) {
  std::set<std::string_view> shown;
  for (const TrainingOptions* options : {&batch_options(), &step_options(), &clip_options()})
    for (const TrainingOption& option : *options) shown.insert(option.facts.name);
  for (const TrainingMethodRow& row : training_methods()) {
    if (row.name != method) continue;
    for (const TrainingOption& option : row.options()) shown.insert(option.facts.name);
  }
  add_method_options<TrainingConfig>(command, training_options(), config, "Training",
                                     [&](std::string_view name) { return shown.count(name) > 0; });
}

/// Of private methods that predict classes.
void add_evaluation_options(CLI::App& command, TrainRequest& request) {
  constexpr const char* kGroup = "Private evaluation";
  CLI::Option* none =
      command
          .add_flag_callback(
              "--no-private-evaluation", [&request] { request.private_evaluation = false; },
              "Leave out the private evaluation of constraints; the model card then says that it "
              "is not known whether the model keeps them")
          ->group(kGroup);
  command
      .add_flag_callback(
          "--private-evaluation", [&request] { request.private_evaluation = true; },
          "Release paid, publishable figures for the held-out records with noise and intervals: "
          "accuracy and, for two classes, false positive and false negative rates, overall and for "
          "each group of --groups, and how well constraints are kept, which private runs under "
          "constraints release by default. By itself it costs no more than training, because it "
          "uses other records; --dry-run shows what it adds to an account")
      ->excludes(none)
      ->group(kGroup);
  command
      .add_option("--evaluation-noise", request.evaluation_noise,
                  "Noise stddev on each count of held-out records [the least that costs no more "
                  "than training]")
      ->excludes(none)
      ->group(kGroup);
}

/// `method`: the one whose own options help shows; "": none.
void add_plan_options(CLI::App& command, TrainOptions& options, const std::string& method) {
  std::string footer = command.get_footer() +
                       "\nMethods (equinoise methods NAME, or --method NAME --help, shows one with "
                       "its own options):\n";
  for (const TrainingMethodRow& row : training_methods())
    footer += fmt::format("  {:18} {}\n", row.name, row.summary);
  command.footer(footer);
  TrainRequest& request = options.request;
  TrainingConfig& config = request.config;
  add_config_option(command);
  add_schema_options(command, request.schema);
  add_drop_option(command, request.schema);
  command.add_flag("--public-data", request.public_data,
                   "Accept an unreviewed schema because the table itself is public; the result "
                   "counts as NOT PRIVATE");
  command
      .add_option("--model", request.model,
                  "Kind of model (see equinoise methods); auto chooses by the target")
      ->check(KnownWords(names_of(model_kinds(), {"auto"})))
      ->capture_default_str();
  command.add_option("--method", request.method, "Training method (see equinoise methods)")
      ->check(KnownWords(names_of(training_methods())))
      ->capture_default_str();
  add_group_options(command, options.groups);
  add_method_options<TrainingConfig>(command, shared_options(), config, "Options",
                                     [](std::string_view) { return true; });
  add_own_options(command, config, method);
  // equinoise methods NAME shows those of a network.
  add_method_options<NetworkOptions>(command, network_options(), request.network, "Model",
                                     [](std::string_view) { return false; });
  add_overlap_option(command, request);
  add_objective_option(command, request);
  add_constraint_options(command, request.constraints, request.constraints_path);
  add_evaluation_options(command, request);
  command.add_option("--test-fraction", request.test_fraction, "Share of records held out")
      ->capture_default_str();
  command.add_option("--split-seed", request.split_seed, "Public seed of the split")
      ->check(check_seed)
      ->capture_default_str();
  command.add_option("--ledger", request.ledger_path, "Ledger that pays for the run")
      ->capture_default_str();
  command.add_option("--ledger-key", request.ledger_key,
                     "Name of this spend, which the ledger accepts only once, so that a script "
                     "that is run again cannot pay twice");
}

/// Refuses options that the method, another option or the model would ignore. `auto` makes no
/// network.
void check_used(const CLI::App& command, const TrainOptions& options) {
  const TrainRequest& request = options.request;
  const std::string_view method = find_training_method(request.method).name;
  require_used(command, {"--method", method}, training_methods());
  require_used(command, {"--model", request.model}, model_kinds());
  require_dependencies<TrainingConfig>(command, training_options(), request.config);
}

/// What the flags mean together.
TrainRequest finish(const CLI::App& command, TrainOptions& options, const CommonOptions& common) {
  check_used(command, options);
  TrainRequest request = options.request;
  settle_unchosen([&](std::string_view name) { return command.count(flag_of(name)) > 0; }, request);
  request.config.threads =
      common.threads > 0 ? common.threads
                         : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  request.groupings = options.groups.groupings();
  request.group_floor = options.groups.floor();
  const bool seeded = options.seed_option != nullptr && options.seed_option->count() > 0;
  if (seeded != options.insecure) {
    throw Error(ErrorKind::kUsage, "cli.train",
                "--seed and --insecure-test-rng go together: a reproducible run is NOT PRIVATE and "
                "only for tests");
  }
  if (seeded) request.insecure_seed = options.seed;
  request.command = common.command_line;
  request.asked = asked_settings(command);
  return request;
}

void print_plan(const TrainRequest& request, const CommonOptions& common) {
  const TrainingReport report = plan_training(request);
  if (common.json) {
    common.print("{}", to_text(plan_to_json(report)));
  } else {
    common.print("{}", to_screen(plan_document(report), true));
  }
}

void print_unit_outlook(const TrainRequest& request, const CommonOptions& common) {
  if (!request.config.epsilon) {
    throw Error(ErrorKind::kUsage, "cli.plan",
                "--unit tells the noise at a budget; give --epsilon (at --delta)");
  }
  const UnitOutlook outlook = outlook_on_units(
      load_schema(request.schema), Epsilon(*request.config.epsilon), Delta(request.config.delta));
  common.print(
      "{}", common.json ? to_text(unit_outlook_to_json(outlook)) : unit_outlook_to_text(outlook));
}

void run_train(const CLI::App& command, TrainOptions& options, const CommonOptions& common) {
  const TrainRequest request = finish(command, options, common);
  if (command.count("--explain-every") > 0 && request.explain_every == 0) {
    throw Error(ErrorKind::kUsage, "cli.train",
                "--explain-every must be at least 1, got 0; leave it out for no explanations");
  }
  if (options.dry_run) {
    print_plan(request, common);
    return;
  }
  if (options.strict && request.constraints.empty() && request.constraints_path.empty())
    throw Error(ErrorKind::kUsage, "cli.train",
                "--strict asks that all constraints hold; give --constraint or --constraints");
  const auto progress = common.make_progress();
  const TrainingReport report = train(request, *progress);
  if (common.json) {
    common.print("{}", to_text(training_to_json(report)));
  } else {
    common.print("\n{}", to_screen(training_document(report), options.is_verbose));
  }
  // A constraint that fails ends the command, and must not hide that its output got lost.
  common.host.flush();
  require_limits(report, options.strict);
}

}  // namespace

void add_plan_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "plan", "Predict what a run will cost, before anything is read or spent",
      "equinoise plan --schema data/adult/schema.toml --groups sex,race --epsilon 3", common);
  auto options = std::make_shared<TrainOptions>();
  add_plan_options(*command, *options, common.method);
  auto tells_units = std::make_shared<bool>(false);
  command->add_flag(
      "--unit", *tells_units,
      "Show instead what max_records_per_unit costs, where the schema names a column of "
      "units: noise and rows left out for several values of it, at --epsilon and "
      "--delta");
  keep_out_of_run_files(*command);
  add_plan_means_command(*command, common);
  command->require_subcommand(0, 1);
  // Of the command itself, not of those below it.
  CLI::Option* schema = command->get_option("--schema")->required(false);
  command->callback([command, schema, options, tells_units, &common] {
    if (!command->get_subcommands().empty()) return;
    if (schema->count() == 0) throw CLI::RequiredError(schema->get_name());
    if (*tells_units) return print_unit_outlook(options->request, common);
    print_plan(finish(*command, *options, common), common);
  });
}

void add_train_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "train",
      "Train a model under differential privacy and show which groups pay for the noise",
      "equinoise ledger init --dataset adult --epsilon 3 --delta 1e-6\n"
      "  equinoise train --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --groups sex,race --epsilon 3 --delta 1e-6 --reference --out model",
      common);
  auto options = std::make_shared<TrainOptions>();
  add_plan_options(*command, *options, common.method);
  TrainRequest& request = options->request;
  add_table(*command, "--data", request.data,
            std::string(kTableHelp) +
                "; with [image] in the schema an idx file of images or a folder of JPEG files",
            common)
      ->required();
  add_labels_option(*command, request.labels_path);
  command->add_option("--out", request.out_path, "Folder for the model, model card and report");
  command->add_flag("--force", request.force, "Replace files in an existing --out");
  command
      ->add_option_function<std::string>(
          "--reference",
          [&request](const std::string& method) {
            request.reference = true;
            request.reference_method = method;
          },
          "Also train without privacy to show what privacy costs; its figures go to the report "
          "that is not private. METHOD, where one is given, names the method of the reference")
      ->expected(0, 1)
      ->type_name("METHOD")
      ->check(KnownWords(open_methods()));
  CLI::Option* explain =
      command->add_option("--explain-every", request.explain_every,
                          "Number of steps between explanations of why the first --groups lose: "
                          "the effect of the next step on each group's loss through clipping and "
                          "noise; exact figures, for the report that is not private [never]");
  command
      ->add_option("--explain-directions", request.explain_directions,
                   "Number of random directions for the risk of noise; each takes two passes over "
                   "all records")
      ->needs(explain)
      ->capture_default_str();
  command->add_option("--checkpoint", request.checkpoint_path,
                      "File that keeps the state of the run, so that it can be resumed after a "
                      "crash or Ctrl-C without being paid for again");
  command->add_option("--checkpoint-every", request.checkpoint_every,
                      "Number of steps between two saved states [a tenth of all steps]");
  command->add_flag("--resume", request.resume, "Resume from --checkpoint");
  add_strict_flag(*command, options->strict);
  command->add_flag("--dry-run", options->dry_run, "Only print what the run will cost");
  command->add_flag("--verbose", options->is_verbose, "Print all tables and sentences of the page");
  command->add_flag("--insecure-test-rng", options->insecure,
                    "Allow --seed; the result is NOT PRIVATE");
  options->seed_option =
      command->add_option("--seed", options->seed, "Seed of a reproducible run, for tests")
          ->check(check_seed);
  keep_out_of_run_files(*command);
  command->callback([command, options, &common] { run_train(*command, *options, common); });
}

}  // namespace equinoise::cli
