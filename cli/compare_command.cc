// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/request_options.h"
#include "equinoise/means/registry.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/compare/compare_means.h"
#include "equinoise/tasks/compare/compare_synth.h"
#include "equinoise/tasks/compare/compare_training.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

/// The names of those method options that the user gave.
template <typename Config>
std::vector<std::string> given_options(const CLI::App& command,
                                       const std::vector<MethodOption<Config>>& options) {
  std::vector<std::string> given;
  for (const MethodOption<Config>& option : options)
    if (is_given(command, option.facts.name)) given.emplace_back(option.facts.name);
  return given;
}

void print_comparison(const CompareReport& report, const CommonOptions& common) {
  print_report(report, compare_to_json, compare_document, common);
}

void run_compare_means(const CLI::App& command, CompareMeansRequest& request,
                       const CommonOptions& common) {
  request.means.command = common.command_line;
  request.given = given_options(command, mean_options());
  const auto progress = common.make_progress();
  print_comparison(compare_means(request, *progress), common);
}

void run_compare_synth(const CLI::App& command, CompareSynthRequest& request,
                       const CommonOptions& common) {
  request.synth.command = common.command_line;
  request.given = given_options(command, synth_options());
  const auto progress = common.make_progress();
  print_comparison(compare_synth(request, *progress), common);
}

void run_compare(const CLI::App& command, CompareTrainingRequest& request,
                 const CommonOptions& common) {
  require_used(command, {"--model", request.training.model}, model_kinds());
  request.training.command = common.command_line;
  request.given = given_options(command, training_options());
  if (is_given(command, "steps")) request.given.emplace_back("steps");
  const auto progress = common.make_progress();
  print_comparison(compare_training(request, *progress), common);
}

void add_compare_means_command(CLI::App& compare, CommonOptions& common) {
  add_request_command<CompareMeansRequest>(
      compare,
      {"means",
       "Release means by several methods under the same guarantee and compare errors, strata and "
       "privacy; a study under known seeds that spends nothing and is NOT PRIVATE",
       "equinoise compare means --schema data/adult/schema.toml --data data/adult/adult.csv.gz "
       "\\\n"
       "    --columns hours_per_week --by sex,race --epsilon 0.1,1 --public-data"},
      common, run_compare_means);
}

void add_compare_synth_command(CLI::App& compare, CommonOptions& common) {
  add_request_command<CompareSynthRequest>(
      compare,
      {"synth",
       "Make synthetic rows by several methods under the same guarantee and compare errors, groups "
       "and privacy; a study under known seeds that spends nothing and is NOT PRIVATE",
       "equinoise compare synth --schema data/adult/schema.toml --data data/adult/adult.csv.gz "
       "\\\n"
       "    --by sex --methods aim,mst,swift --epsilon 1 --public-data"},
      common, run_compare_synth);
}

}  // namespace

void add_compare_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_request_command<CompareTrainingRequest>(
      app,
      {"compare",
       "Train by several methods under the same guarantee and compare errors, groups and privacy; "
       "a study under known seeds that spends nothing and is NOT PRIVATE; compare means and "
       "compare "
       "synth do the same of means and of synthetic rows",
       "equinoise compare --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
       "    --groups sex --methods dpsgd,dpsgd_global,mgr_w --epsilon 1,3 --public-data"},
      common, run_compare);
  allow_commands_below(*command);
  add_compare_means_command(*command, common);
  add_compare_synth_command(*command, common);
}

}  // namespace equinoise::cli
