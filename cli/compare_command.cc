// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/constraint_options.h"
#include "cli/group_options.h"
#include "cli/method_options.h"
#include "cli/progress_bar.h"
#include "cli/schema_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/compare/compare_json.h"
#include "equinoise/report/compare/compare_text.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/compare/compare.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

struct CompareOptions {
  CompareRequest request;
  GroupOptions groups;
  std::vector<std::string> methods;
  std::vector<std::string> grid;
};

/// "max_grad_norm=0.5,1"
GridOption read_grid(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw Error(
        ErrorKind::kUsage, "cli.compare",
        fmt::format("--grid takes OPTION=VALUE,VALUE..., e.g. max_grad_norm=0.5,1, got {}", text));
  }
  std::string name = text.substr(0, equals);
  // As flags and as run files spell it.
  std::replace(name.begin(), name.end(), '-', '_');
  return {std::move(name), split_names(text.substr(equals + 1))};
}

/// Of the options that every method has those that a comparison shares; it has its own --epsilon.
TrainingOptions shared_by_all() {
  TrainingOptions options;
  for (const TrainingOption& option : shared_options())
    if (option.facts.name != "epsilon" && option.facts.name != "noise_multiplier")
      options.push_back(option);
  return options;
}

void run_compare(const CLI::App& command, CompareOptions& options, const CommonOptions& common) {
  CompareRequest request = options.request;
  TrainRequest& training = request.training;
  require_used(command, {"--model", training.model}, model_kinds());
  training.groupings = options.groups.groupings();
  training.group_floor = options.groups.floor();
  training.command = common.command_line;
  if (options.methods != std::vector<std::string>{"all"}) request.methods = options.methods;
  if (std::count(request.methods.begin(), request.methods.end(), "all") > 0)
    throw Error(ErrorKind::kUsage, "cli.compare", "--methods all stands alone");
  for (const std::string& text : options.grid) request.grid.push_back(read_grid(text));
  const auto add_given = [&](const TrainingOption& option) {
    if (command.count(flag_of(option.facts.name)) > 0)
      request.given.emplace_back(option.facts.name);
  };
  for (const TrainingOption& option : training_options()) add_given(option);
  if (command.count("--steps") > 0) request.given.emplace_back("steps");
  request.threads = common.threads > 0
                        ? common.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  ProgressBar progress(common.quiet, isatty(STDERR_FILENO) == 1);
  const CompareReport report = compare(request, progress);
  if (common.json) {
    fmt::print("{}", to_text(compare_to_json(report)));
  } else {
    fmt::print("\n{}", compare_to_text(report));
  }
}

/// What is trained, and how.
void add_training_options(CLI::App& command, CompareOptions& options) {
  TrainRequest& training = options.request.training;
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
  command.add_option("--test-fraction", training.test_fraction, "Share of records held out")
      ->capture_default_str();
}

}  // namespace

void add_compare_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "compare",
      "Train by several methods under the same guarantee and compare errors, groups and privacy; "
      "a study under known seeds that spends nothing and is NOT PRIVATE",
      "equinoise compare --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --groups sex --methods dpsgd,dpsgd_global,mgr_w --epsilon 1,3 --public-data",
      common);
  const auto options = std::make_shared<CompareOptions>();
  CompareRequest& request = options->request;
  TrainRequest& training = request.training;
  add_schema_options(*command, training.schema);
  command
      ->add_option("--data", training.data_path,
                   "Table of records, as for equinoise train, best a public one")
      ->required();
  add_labels_option(*command, training.labels_path);
  command->add_flag("--public-data", training.public_data,
                    "Recommend a method, because the table itself is public; also accepts an "
                    "unreviewed schema");
  command
      ->add_option("--methods", options->methods,
                   "Training methods, separated by commas (see equinoise methods), or all that can "
                   "do the task [all]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--epsilon", request.epsilons,
                   "Largest privacy loss of a run, or several, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--seeds", request.num_seeds,
                   "Number of seeds; each has a split and noise of its own, the same for all "
                   "methods")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--grid", options->grid,
                   "OPTION=VALUE,VALUE...: values of an option to try with every method that "
                   "follows it; may be repeated for every combination")
      ->allow_extra_args(false);
  add_training_options(*command, *options);
  command->add_option_function<std::string>(
      "--runs", [&request](const std::string& path) { request.runs_path = path; },
      "File that keeps every finished run, so that the same command resumes after Ctrl-C, and so "
      "that more methods, epsilons or seeds can be added");
  command->add_option(
      "--out", request.out_path,
      "Folder for compare.json and compare.csv, with a line for each run and group");
  command->add_flag("--force", request.force, "Replace files in an existing --out");
  command->callback([command, options, &common] { run_compare(*command, *options, common); });
}

}  // namespace equinoise::cli
