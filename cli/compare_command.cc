// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/compare_options.h"
#include "cli/constraint_options.h"
#include "cli/group_options.h"
#include "cli/method_options.h"
#include "cli/schema_options.h"
#include "cli/table_option.h"
#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"
#include "equinoise/models/registry.h"
#include "equinoise/tasks/compare/compare_training.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

struct CompareTrainingOptions {
  CompareOptions compare;
  TrainRequest training;
  GroupOptions groups;
  std::string metric = std::string(word_of(kCompareMetrics, CompareMetric::kError));
};

/// Of the options that every method has those that a comparison shares; it has its own --epsilon.
TrainingOptions shared_by_all() {
  TrainingOptions options;
  for (const TrainingOption& option : shared_options())
    if (option.facts.name != "epsilon" && option.facts.name != "noise_multiplier")
      options.push_back(option);
  return options;
}

void run_compare(const CLI::App& command, const CompareTrainingOptions& options,
                 const CommonOptions& common) {
  CompareTrainingRequest request{finish_compare_request(options.compare, common), options.training,
                                 CompareMetric::kError};
  TrainRequest& training = request.training;
  require_used(command, {"--model", training.model}, model_kinds());
  const std::optional<CompareMetric> metric = value_of(kCompareMetrics, options.metric);
  if (!metric) {
    throw Error(ErrorKind::kUsage, "cli.compare",
                fmt::format("--metric takes {}, got {}", fmt::join(words_of(kCompareMetrics), ", "),
                            options.metric));
  }
  request.metric = *metric;
  training.groupings = options.groups.groupings();
  training.group_floor = options.groups.floor();
  training.command = common.command_line;
  request.given = given_options(command, training_options());
  if (command.count("--steps") > 0) request.given.emplace_back("steps");
  const auto progress = common.make_progress();
  print_comparison(compare_training(request, *progress), common);
}

/// What is trained, and how.
void add_training_options(CLI::App& command, CompareTrainingOptions& options) {
  TrainRequest& training = options.training;
  command
      .add_option("--model", training.model,
                  "Kind of model of all methods (see equinoise methods); auto lets each method "
                  "choose by the target")
      ->check(KnownWords(names_of(model_kinds(), {"auto"})))
      ->capture_default_str();
  add_group_options(command, options.groups);
  static const TrainingOptions shared = shared_by_all();
  add_method_options<TrainingConfig>(command, shared, training.config, "Options",
                                     [](std::string_view) { return true; });
  add_method_options<TrainingConfig>(command, training_options(), training.config, "Training",
                                     [](std::string_view) { return false; });
  add_method_options<NetworkOptions>(command, network_options(), training.network, "Model",
                                     [](std::string_view) { return false; });
  add_constraint_options(command, training.constraints, training.constraints_path);
  command
      .add_option(
          "--metric", options.metric,
          "What the error of a model is: error, the share of wrong classes or the squared "
          "error over that of the mean; loss, the mean of the model's loss; auc, 1 less the "
          "area under the ROC curve of two classes")
      ->check(KnownWords(words_of(kCompareMetrics)))
      ->capture_default_str();
  command.add_option("--test-fraction", training.test_fraction, "Share of records held out")
      ->capture_default_str();
}

}  // namespace

void add_compare_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "compare",
      "Train by several methods under the same guarantee and compare errors, groups and privacy; "
      "a study under known seeds that spends nothing and is NOT PRIVATE; compare means and compare "
      "synth do the same of means and of synthetic rows",
      "equinoise compare --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --groups sex --methods dpsgd,dpsgd_global,mgr_w --epsilon 1,3 --public-data",
      common);
  command->require_subcommand(0, 1);
  const auto options = std::make_shared<CompareTrainingOptions>();
  TrainRequest& training = options->training;
  add_schema_options(*command, training.schema);
  add_drop_option(*command, training.schema);
  CLI::Option* data =
      add_table(*command, "--data", training.data,
                "Table of records, as for equinoise train, best a public one", common);
  add_labels_option(*command, training.labels_path);
  command->add_flag("--public-data", training.public_data,
                    "Recommend a method, because the table itself is public; also accepts an "
                    "unreviewed schema");
  add_compare_options(*command, options->compare, "Training methods");
  add_training_options(*command, *options);
  add_compare_files(*command, options->compare);
  add_compare_means_command(*command, common);
  add_compare_synth_command(*command, common);
  // Of the command itself, not of those below it.
  CLI::Option* schema = command->get_option("--schema")->required(false);
  command->callback([command, schema, data, options, &common] {
    if (!command->get_subcommands().empty()) return;
    for (const CLI::Option* option : {schema, data})
      if (option->count() == 0) throw CLI::RequiredError(option->get_name());
    run_compare(*command, *options, common);
  });
}

}  // namespace equinoise::cli
