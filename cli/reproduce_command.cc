// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/base/error.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/quick_check.h"
#include "equinoise/reproduction/report_files.h"
#include "equinoise/reproduction/reproduce.h"

namespace equinoise::cli {

namespace {

/// The folder in which the tests look as well.
std::string default_data_directory() {
  const char* shared = std::getenv("EQUINOISE_SHARED");
  return (std::filesystem::path(shared != nullptr ? shared : "../shared") / "data").string();
}

struct ReproduceOptions {
  ReproduceRequest request;
  std::string data_directory = default_data_directory();
  bool list = false;
  bool all = false;
};

RequestOptions options_of(ReproduceOptions& options) {
  using Option = RequestOption;
  ReproduceRequest& request = options.request;
  return {
      {{.name = "item",
        .help = "PAPER/ITEM to run; without it, the items are listed",
        .excludes = {"all"}},
       &request.item,
       true},
      {{.name = "list", .help = "List the items"}, &options.list},
      {{.name = "quick",
        .help = "One seed of few records and steps, which shows that the item runs; nothing is "
                "judged",
        // A short form chooses its own efforts, and its runs are not kept.
        .excludes = {"seeds", "epochs", "steps", "every", "directions", "runs", "also"}},
       &request.quick},
      {{.name = "all",
        .help = "All items, with --quick; ends with a table of what ran",
        .excludes = {"methods", "out", "force"},
        .needs = "quick"},
       &options.all},
      {{.name = "data_dir", .help = "Folder with the data sets"}, &options.data_directory},
      {{.name = "seeds",
        .help = "Number of seeds",
        .range = between(1, 1000),
        .derived = "that of the paper"},
       &request.seeds},
      {{.name = "epochs",
        .help = "Number of epochs for a quick run; results are not compared with the paper",
        .range = between(1, 100000)},
       &request.efforts.epochs},
      {{.name = "steps",
        .help = "Number of steps for a quick run of an item under constraints; results are not "
                "compared with the paper",
        .range = between(1, 1000000)},
       &request.efforts.steps},
      {{.name = "every",
        .help = "Number of steps between two measurements of the groups' risks",
        .range = between(1, 1000000),
        .derived = "that of the paper"},
       &request.efforts.every},
      {{.name = "directions",
        .help = "Number of random directions for traces of Hessians",
        .range = between(2, 1000),
        .derived = "that of the paper"},
       &request.efforts.directions},
      {{.name = "methods",
        .help =
            "Methods of the item to run, with those they are compared with, e.g. dpsgd,dpsgd_f; "
            "in quotes where a name has a comma, e.g. '\"dpsgd, epsilon 1\",sgda'",
        .derived = "all"},
       Option::Names{&request.methods}},
      {{.name = "runs",
        .help =
            "File that keeps every finished run, so that the same command resumes after Ctrl-C"},
       &request.runs_path},
      {{.name = "also",
        .help = "Further items that use the same runs, whose figures --runs keeps as well so that "
                "they need no training of their own, e.g. 001/figure4,001/figure5"},
       Option::Names{&request.also}},
      {{.name = "out",
        .help = "Folder for report.json, report.html and, if there are curves, curves.csv"},
       &request.out_path},
      {{.name = "force", .help = "Replace files in an existing --out"}, &request.force}};
}

void list_items(const CommonOptions& common) {
  ItemList list;
  TextTable table{"", {"item", "data", "what it compares"}, {}, 3};
  for (const EmbeddedItem& embedded : reproduction_items()) {
    const ReproductionItem item = parse_reproduction_item(embedded);
    list.items.push_back({item.name(), item.data, item.summary});
    table.rows.push_back({item.name(), item.data, item.summary});
  }
  print_report(list, to_text(table), common, "reproduce --list");
}

void check_all(const ReproduceRequest& request, const CommonOptions& common) {
  std::vector<std::string> items;
  for (const EmbeddedItem& embedded : reproduction_items()) items.emplace_back(embedded.name);
  const auto progress = common.make_progress();
  const QuickChecks checks = check_items(items, request.data_directory, request.threads, *progress);
  print_report(checks, quick_checks_to_text(checks), common, "reproduce --all --quick");
  if (const int64_t failed = checks.count(QuickCheck::Outcome::kFailed); failed > 0) {
    throw Error(ErrorKind::kRuntime, "cli.reproduce", "{} of {} items failed", failed,
                items.size());
  }
}

void run_reproduce(const CLI::App& command, ReproduceOptions& options,
                   const CommonOptions& common) {
  if (options.list || (options.request.item.empty() && !options.request.quick))
    return list_items(common);
  ReproduceRequest& request = options.request;
  if (options.request.item.empty() && !options.all)
    throw Error(ErrorKind::kUsage, "cli.reproduce", "--quick needs an item or --all");
  request.data_directory = options.data_directory;
  // The folder that is looked in by itself may be missing: items say what they lack.
  if (is_given(command, "data_dir") && !std::filesystem::is_directory(request.data_directory))
    throw Error(ErrorKind::kInput, "cli.reproduce", "--data-dir {} is not a folder",
                options.data_directory);
  complete(command, common, request);
  if (options.all) return check_all(request, common);
  const auto progress = common.make_progress();
  const ReproductionReport report = reproduce(request, *progress);
  print_report(report, reproduction_to_text(report), common);
}

}  // namespace

void add_reproduce_command(CLI::App& app, CommonOptions& common) {
  add_request_command<ReproduceOptions>(
      app,
      {"reproduce", "Repeat a published experiment and compare the results; not private",
       "equinoise reproduce 001/table4 --data-dir ../shared/data --out table4\n"
       "  equinoise reproduce --all --quick"},
      common, run_reproduce);
}

}  // namespace equinoise::cli
