// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/request_options.h"
#include "equinoise/means/registry.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/tasks/means/means.h"
#include "equinoise/tasks/means/means_outlook.h"

namespace equinoise::cli {

namespace {

void run_plan_means(const CLI::App&, const MeansOutlookRequest& request,
                    const CommonOptions& common) {
  const MeansOutlook outlook = outlook_on_means(request);
  print_report(outlook, means_outlook_to_json, means_outlook_document, common, true);
}

void run_means(const CLI::App& command, const MeansRequest& request, const CommonOptions& common) {
  // auto may take any of them.
  if (request.method != "auto")
    require_used(command, {"--method", request.method}, mean_estimators());
  if (request.dry_run) {
    const MeansReport report = plan_means_task(request);
    print_report(report, means_plan_to_json, means_plan_document, common, true);
    return;
  }
  const auto progress = common.make_progress();
  const MeansReport report = release_means_task(request, *progress);
  print_report(report, means_to_json, means_document, common, request.verbose);
}

}  // namespace

void add_plan_means_command(CLI::App& plan, CommonOptions& common) {
  add_request_command<MeansOutlookRequest>(
      plan,
      {"means",
       "Predict the width of the intervals of means under each method, or the budget needed for "
       "given widths; reads no table, spends nothing",
       "equinoise plan means --schema data/adult/schema.toml \\\n"
       "    --columns hours_per_week,education_num --by sex,race --rho 0.125\n"
       "  equinoise plan means --schema data/adult/schema.toml \\\n"
       "    --columns hours_per_week --by sex --overall-width hours_per_week=0.1",
       true},
      common, run_plan_means);
}

void add_means_command(CLI::App& app, CommonOptions& common) {
  add_request_command<MeansRequest>(
      app,
      {"means", "Release the means of columns with noise, for each stratum and overall",
       "equinoise means --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
       "    --columns hours_per_week,education_num --by sex,race --rho 0.125 --out means",
       true},
      common, run_means);
}

}  // namespace equinoise::cli
