// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/means_options.h"
#include "cli/method_options.h"
#include "cli/number_options.h"
#include "cli/run_file_options.h"
#include "cli/table_option.h"
#include "equinoise/base/error.h"
#include "equinoise/means/registry.h"
#include "equinoise/report/json.h"
#include "equinoise/report/means/means_json.h"
#include "equinoise/report/means/means_text.h"
#include "equinoise/tasks/means/means.h"

namespace equinoise::cli {

namespace {

struct ReleaseOptions {
  MeansOptions means;
  uint64_t seed = 0;
  bool insecure = false;
  bool dry_run = false;
  CLI::Option* seed_option = nullptr;
};

MeansRequest finish(const ReleaseOptions& options, const CommonOptions& common) {
  MeansRequest request = finish_means_request(options.means);
  const bool seeded = options.seed_option->count() > 0;
  if (seeded != options.insecure) {
    throw Error(ErrorKind::kUsage, "cli.means",
                "--seed and --insecure-test-rng go together: a reproducible run is NOT PRIVATE and "
                "only for tests");
  }
  if (seeded) request.insecure_seed = options.seed;
  if (request.data.empty() && !options.dry_run)
    throw Error(ErrorKind::kUsage, "cli.means", "--data is required, except with --dry-run");
  request.threads = common.threads > 0
                        ? common.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  request.command = common.command_line;
  return request;
}

void print(const nlohmann::ordered_json& json, const std::string& text,
           const CommonOptions& common) {
  common.print("{}", common.json ? to_text(json) : text);
}

/// "bounded, laplace, quantile, or auto: of bounded and laplace the one with ..."
std::string method_description() {
  std::string names;
  std::string candidates;
  for (const MeanEstimatorRow& row : mean_estimators()) {
    names += std::string(row.name) + ", ";
    if (row.is_candidate) candidates += (candidates.empty() ? "" : " and ") + std::string(row.name);
  }
  return names + "or auto: whichever of " + candidates +
         " is expected, from public facts, to give the narrower intervals. The other methods clip "
         "to bounds chosen with noise, so their means are those of the clipped numbers";
}

void run_means(const CLI::App& command, const ReleaseOptions& options,
               const CommonOptions& common) {
  const MeansRequest request = finish(options, common);
  // auto may take any of them.
  if (request.method != "auto")
    require_used(command, {"--method", request.method}, mean_estimators());
  if (options.dry_run) {
    const MeansReport report = plan_means_task(request);
    print(means_plan_to_json(report), means_plan_to_text(report), common);
    return;
  }
  const auto progress = common.make_progress();
  const MeansReport report = release_means_task(request, *progress);
  print(means_to_json(report), means_to_text(report), common);
}

}  // namespace

void add_means_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "means", "Release the means of columns with noise, for each stratum and overall",
      "equinoise means --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --columns hours_per_week,education_num --by sex,race --rho 0.125",
      common);
  auto options = std::make_shared<ReleaseOptions>();
  MeansRequest& request = options->means.request;
  add_config_option(*command);
  add_means_options(*command, options->means, common);
  add_means_budget(*command, request);
  add_table(*command, "--data", request.data, kTableHelp, common);
  add_means_release_options(*command, options->means);
  command->add_flag("--explain", request.explain,
                    "Also print exact figures, errors and parity: NOT PRIVATE");
  command->add_option("--method", request.method, method_description())
      ->check(KnownWords(names_of(mean_estimators(), {"auto"})))
      ->capture_default_str()
      ->group("Estimation");
  add_mean_estimation_options(*command, options->means);
  command
      ->add_option("--clipped-share", request.config.clipped_share,
                   "Share of the budget for a noisy count of the clipped records")
      ->capture_default_str()
      ->group("Estimation");
  command->add_option("--ledger", request.ledger_path, "Ledger that pays for the release")
      ->capture_default_str();
  command->add_option("--ledger-key", request.ledger_key,
                      "Name of this spend, which the ledger accepts only once, so that a script "
                      "that is run again cannot pay twice");
  command->add_option_function<std::string>(
      "--out", [&request](const std::string& path) { request.out_path = path; },
      "File for the released figures (JSON); it holds nothing that is not private");
  command->add_flag("--force", request.force, "Replace an existing --out");
  command->add_flag("--dry-run", options->dry_run,
                    "Only print what the release will cost and how much noise to expect");
  command->add_flag("--insecure-test-rng", options->insecure,
                    "Allow --seed; the result is NOT PRIVATE");
  options->seed_option =
      command->add_option("--seed", options->seed, "Seed of a reproducible run, for tests")
          ->check(check_seed);
  keep_out_of_run_files(*command);
  command->callback([command, options, &common] { run_means(*command, *options, common); });
}

}  // namespace equinoise::cli
