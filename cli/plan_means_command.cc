// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/means_options.h"
#include "cli/number_options.h"
#include "cli/run_file_options.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/means/means_outlook.h"

namespace equinoise::cli {

namespace {

struct PlanMeansOptions {
  MeansOptions means;
  std::map<std::string, double> interval_widths;
  std::map<std::string, double> overall_widths;
};

void run_plan_means(const PlanMeansOptions& options, const CommonOptions& common) {
  const MeansOutlook outlook = outlook_on_means(
      {finish_means_request(options.means), options.interval_widths, options.overall_widths});
  common.print(
      "{}", common.json ? to_text(means_outlook_to_json(outlook)) : means_outlook_to_text(outlook));
}

}  // namespace

void add_plan_means_command(CLI::App& plan, CommonOptions& common) {
  CLI::App* command =
      add_command(plan, "means",
                  "Predict the width of the intervals of means under each method, or the budget "
                  "needed for given widths; reads no table, spends nothing",
                  "equinoise plan means --schema data/adult/schema.toml \\\n"
                  "    --columns hours_per_week,education_num --by sex,race --rho 0.125\n"
                  "  equinoise plan means --schema data/adult/schema.toml \\\n"
                  "    --columns hours_per_week --by sex --overall-width hours_per_week=0.1",
                  common);
  auto options = std::make_shared<PlanMeansOptions>();
  add_config_option(*command);
  add_means_options(*command, options->means, common);
  add_means_budget(*command, options->means.request);
  add_named_numbers(*command, "--interval-width", options->interval_widths,
                    "COLUMN=NUMBER: largest width of the 95 % interval of noise of each stratum, "
                    "instead of a budget");
  add_named_numbers(*command, "--overall-width", options->overall_widths,
                    "COLUMN=NUMBER: largest width of the 95 % interval of noise of the overall "
                    "mean, instead of a budget");
  add_mean_estimation_options(*command, options->means);
  command
      ->add_option("--ledger", options->means.request.ledger_path,
                   "Ledger whose account gives the neighbouring relation")
      ->capture_default_str();
  command->callback([options, &common] { run_plan_means(*options, common); });
}

}  // namespace equinoise::cli
