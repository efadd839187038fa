// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/request_options.h"
#include "equinoise/base/error.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/chosen_options.h"
#include "equinoise/tasks/train/train.h"
#include "equinoise/tasks/train/unit_outlook.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

/// The end of help.
constexpr const char* kWhereMethodsAre =
    "\nMethods: equinoise methods lists them; --method NAME --help shows the options of one.\n";

/// Help shows the options of the method that is named, and none that it refuses.
RequestOptions showing_method(RequestOptions options, std::string_view method) {
  for (const TrainingMethodRow& row : training_methods()) {
    if (row.name != method) continue;
    for (RequestOption& option : options) {
      if (!has_option<TrainingConfig>(training_options(), option.facts.name)) continue;
      option.facts.is_common = row.follows(option.facts.name);
      option.facts.is_hidden = !option.facts.is_common;
    }
  }
  return options;
}

/// Refuses options that the method, another option or the model would ignore, and settles what
/// nobody chose.
void finish(const CLI::App& command, TrainRequest& request, const CommonOptions& common) {
  settle_method([&](std::string_view name) { return is_given(command, name); }, request);
  const std::string_view method = find_training_method(request.method).name;
  require_used(command, {"--method", method}, training_methods());
  require_used(command, {"--model", request.model}, model_kinds());
  require_dependencies<TrainingConfig>(command, training_options(), request.config);
  settle_unchosen([&](std::string_view name) { return is_given(command, name); }, request);
  request.config.threads = num_threads(common);
}

void print_plan(const TrainRequest& request, const CommonOptions& common) {
  const TrainingReport report = plan_training(request);
  print_report(report, plan_to_json, plan_document, common, true);
}

void run_plan(const CLI::App& command, PlanRequest& request, const CommonOptions& common) {
  const TrainingConfig& config = request.training.config;
  if (!request.unit) {
    complete(command, common, request.training);
    finish(command, request.training, common);
    print_plan(request.training, common);
    return;
  }
  if (!config.epsilon) {
    throw Error(ErrorKind::kUsage, "cli.plan",
                "--unit tells the noise at a budget; give --epsilon (at --delta)");
  }
  const UnitOutlook outlook = outlook_on_units(load_schema(request.training.schema),
                                               Epsilon(*config.epsilon), Delta(config.delta));
  print_report(outlook, unit_outlook_to_text(outlook), common, "plan --unit");
}

void run_train(const CLI::App& command, TrainRequest& request, const CommonOptions& common) {
  finish(command, request, common);
  if (request.dry_run) return print_plan(request, common);
  if (request.strict && request.constraints.empty() && request.constraints_path.empty())
    throw Error(ErrorKind::kUsage, "cli.train",
                "--strict asks that all constraints hold; give --constraint or --constraints");
  const auto progress = common.make_progress();
  const TrainingReport report = train(request, *progress);
  print_report(report, training_to_json, training_document, common, request.verbose);
  // A constraint that fails ends the command, and must not hide that its output got lost.
  common.host.flush();
  require_limits(report, request.strict);
}

}  // namespace

void add_plan_command(CLI::App& app, CommonOptions& common) {
  const auto request = std::make_shared<PlanRequest>();
  CLI::App* command = add_request_command(
      app,
      {"plan", "Predict what a run will cost, before anything is read or spent",
       "equinoise plan --schema data/adult/schema.toml --groups sex,race --epsilon 3", true},
      common, run_plan, request, showing_method(options_of(*request), common.method));
  command->footer(command->get_footer() + kWhereMethodsAre);
  allow_commands_below(*command);
  add_plan_means_command(*command, common);
}

void add_train_command(CLI::App& app, CommonOptions& common) {
  const auto request = std::make_shared<TrainRequest>();
  CLI::App* command = add_request_command(
      app,
      {"train", "Train a model under differential privacy and show which groups pay for the noise",
       "equinoise ledger init --dataset adult --epsilon 3 --delta 1e-6\n"
       "  equinoise train --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
       "    --groups sex,race --epsilon 3 --delta 1e-6 --reference --out model",
       true},
      common, run_train, request, showing_method(options_of(*request), common.method));
  command->footer(command->get_footer() + kWhereMethodsAre);
}

}  // namespace equinoise::cli
