// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/report/tables/tables_report.h"
#include "equinoise/tasks/tables/tables.h"

namespace equinoise::cli {

namespace {

void run_tables(const CLI::App&, TablesRequest& request, const CommonOptions& common) {
  request.release.command = common.command_line;
  request.release.threads = num_threads(common);
  if (request.release.dry_run) {
    print_report(plan_tables(request), tables_plan_to_json, tables_plan_document, common, true);
    return;
  }
  const auto progress = common.make_progress();
  print_report(release_tables(request, *progress), tables_to_json, tables_document, common,
               request.release.verbose);
}

}  // namespace

void add_tables_command(CLI::App& app, CommonOptions& common) {
  add_request_command<TablesRequest>(
      app,
      {"tables",
       "Release counts, totals, means, medians, quantiles, shares and histograms by group, with "
       "intervals",
       "equinoise tables --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
       "    --by sex,race --count --mean hours_per_week --median age --share income \\\n"
       "    --compare sex --epsilon 1 --out tables",
       true},
      common, run_tables);
}

}  // namespace equinoise::cli
