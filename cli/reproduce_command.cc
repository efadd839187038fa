// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/name_options.h"
#include "equinoise/base/error.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/quick_check.h"
#include "equinoise/reproduction/report_files.h"
#include "equinoise/reproduction/reproduce.h"

namespace equinoise::cli {

namespace {

struct ReproduceOptions {
  ReproduceRequest request;
  std::string data_directory;
  CLI::Option* data_option = nullptr;
  int64_t seeds = 0;
  int64_t epochs = 0;
  int64_t steps = 0;
  int64_t every = 0;
  int64_t directions = 0;
  bool list = false;
  bool all = false;
  CLI::Option* seeds_option = nullptr;
  CLI::Option* epochs_option = nullptr;
  CLI::Option* steps_option = nullptr;
  CLI::Option* every_option = nullptr;
  CLI::Option* directions_option = nullptr;
};

/// Where the tests look as well.
std::string default_data_directory() {
  const char* shared = std::getenv("EQUINOISE_SHARED");
  return (std::filesystem::path(shared != nullptr ? shared : "../shared") / "data").string();
}

void list_items(const CommonOptions& common) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> cells;
  for (const EmbeddedItem& embedded : reproduction_items()) {
    const ReproductionItem item = parse_reproduction_item(embedded);
    rows.push_back({{"name", item.name()}, {"data", item.data}, {"summary", item.summary}});
    cells.push_back({item.name(), item.data, item.summary});
  }
  if (common.json) {
    common.print("{}",
                 to_text(nlohmann::ordered_json({{"schema", "equinoise/1"}, {"rows", rows}})));
  } else {
    common.print("{}", format_table({"item", "data", "what it compares"}, cells, 3));
  }
}

void check_all(const ReproduceRequest& request, const CommonOptions& common) {
  std::vector<std::string> items;
  for (const EmbeddedItem& embedded : reproduction_items()) items.emplace_back(embedded.name);
  const auto progress = common.make_progress();
  const std::vector<QuickCheck> checks =
      check_items(items, request.data_directory, request.threads, *progress);
  common.print("{}",
               common.json ? to_text(quick_checks_to_json(checks)) : quick_checks_to_text(checks));
  if (const size_t failed = count_failed(checks); failed > 0) {
    throw Error(ErrorKind::kRuntime, "cli.reproduce",
                fmt::format("{} of {} items failed", failed, items.size()));
  }
}

void run_command(ReproduceOptions& options, const CommonOptions& common) {
  if (options.list || (options.request.item.empty() && !options.request.quick))
    return list_items(common);
  ReproduceRequest& request = options.request;
  if (options.request.item.empty() && !options.all)
    throw Error(ErrorKind::kUsage, "cli.reproduce", "--quick needs an item or --all");
  request.data_directory = options.data_directory;
  // The folder that is looked in by itself may be missing: items say what they lack.
  if (options.data_option->count() > 0 && !std::filesystem::is_directory(request.data_directory))
    throw Error(ErrorKind::kInput, "cli.reproduce",
                fmt::format("--data-dir {} is not a folder", options.data_directory));
  if (options.seeds_option->count() > 0) request.seeds = options.seeds;
  if (options.epochs_option->count() > 0) request.efforts.epochs = options.epochs;
  if (options.steps_option->count() > 0) request.efforts.steps = options.steps;
  if (options.every_option->count() > 0) request.efforts.every = options.every;
  if (options.directions_option->count() > 0) request.efforts.directions = options.directions;
  request.threads = common.threads > 0
                        ? common.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (options.all) return check_all(request, common);
  request.command = common.command_line;
  const auto progress = common.make_progress();
  const ReproductionReport report = reproduce(request, *progress);
  if (common.json) {
    common.print("{}", to_text(reproduction_to_json(report)));
  } else {
    common.print("{}", reproduction_to_text(report));
  }
}

}  // namespace

void add_reproduce_command(CLI::App& app, CommonOptions& common) {
  const auto options = std::make_shared<ReproduceOptions>();
  options->data_directory = default_data_directory();
  CLI::App* command = add_command(
      app, "reproduce", "Repeat a published experiment and compare the results; not private",
      "equinoise reproduce 001/table4 --data-dir ../shared/data --out table4\n"
      "  equinoise reproduce --all --quick",
      common);
  command->add_option("item", options->request.item,
                      "PAPER/ITEM to run; without it, the items are listed");
  command->add_flag("--list", options->list, "List the items");
  CLI::Option* quick = command->add_flag(
      "--quick", options->request.quick,
      "One seed of few records and steps, which shows that the item runs; nothing is judged");
  CLI::Option* all = command
                         ->add_flag("--all", options->all,
                                    "All items, with --quick; ends with a table of what ran")
                         ->needs(quick)
                         ->excludes("item");
  options->data_option =
      command->add_option("--data-dir", options->data_directory, "Folder with the data sets")
          ->capture_default_str();
  options->seeds_option =
      command->add_option("--seeds", options->seeds, "Number of seeds [that of the paper]")
          ->check(CLI::Range(1, 1000));
  options->epochs_option =
      command
          ->add_option("--epochs", options->epochs,
                       "Number of epochs for a quick run; results are not compared with the paper")
          ->check(CLI::Range(1, 100000));
  options->steps_option = command
                              ->add_option("--steps", options->steps,
                                           "Number of steps for a quick run of an item under "
                                           "constraints; results are not compared with the paper")
                              ->check(CLI::Range(1, 1000000));
  options->every_option =
      command
          ->add_option(
              "--every", options->every,
              "Number of steps between two measurements of the groups' risks [that of the paper]")
          ->check(CLI::Range(1, 1000000));
  options->directions_option =
      command
          ->add_option("--directions", options->directions,
                       "Number of random directions for traces of Hessians [that of the paper]")
          ->check(CLI::Range(2, 1000));
  add_names(*command, "--methods", options->request.methods,
            "Methods of the item to run, with those they are compared with, e.g. dpsgd,dpsgd_f; in "
            "quotes where a name has a comma, e.g. '\"dpsgd, epsilon 1\",sgda' [all]")
      ->allow_extra_args(false);
  command->add_option(
      "--runs", options->request.runs_path,
      "File that keeps every finished run, so that the same command resumes after Ctrl-C");
  command
      ->add_option("--also", options->request.also,
                   "Further items that use the same runs, whose figures --runs keeps as well so "
                   "that they need no training of their own, e.g. 001/figure4,001/figure5")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--out", options->request.out_path,
                      "Folder for report.json, report.html and, if there are curves, curves.csv");
  command->add_flag("--force", options->request.force, "Replace files in an existing --out");
  // A short form chooses its own efforts, and its runs are not kept.
  for (const char* name :
       {"--seeds", "--epochs", "--steps", "--every", "--directions", "--runs", "--also"})
    quick->excludes(name);
  for (const char* name : {"--methods", "--out", "--force"}) all->excludes(name);
  command->callback([options, &common] { run_command(*options, common); });
}

}  // namespace equinoise::cli
