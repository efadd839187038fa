#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/group_options.h"
#include "cli/method_options.h"
#include "cli/number_options.h"
#include "cli/progress_bar.h"
#include "cli/schema_options.h"
#include "equinoise/base/error.h"
#include "equinoise/report/json.h"
#include "equinoise/report/means_json.h"
#include "equinoise/report/means_text.h"
#include "equinoise/tasks/means.h"

namespace equinoise::cli {

namespace {

struct MeansOptions {
  MeansRequest request;
  GroupOptions groups;
  std::string relation;
  std::vector<std::string> bounds;
  uint64_t seed = 0;
  bool insecure = false;
  bool dry_run = false;
  bool no_shrink = false;
  CLI::Option* seed_option = nullptr;
};

MeansRequest finish(const MeansOptions& options, const CommonOptions& common) {
  MeansRequest request = options.request;
  if (!options.relation.empty()) request.relation = parse_relation(options.relation);
  for (const std::string& text : options.bounds) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::kUsage, "cli.means",
                  fmt::format("--bounds has the form COLUMN=LOWER:UPPER, got \"{}\"", text));
    }
    if (!request.bounds.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      throw Error(ErrorKind::kUsage, "cli.means",
                  fmt::format("--bounds of {} are given twice", text.substr(0, equals)));
    }
  }
  request.group_floor = options.groups.floor();
  request.shrink = !options.no_shrink;
  const bool seeded = options.seed_option->count() > 0;
  if (seeded != options.insecure) {
    throw Error(ErrorKind::kUsage, "cli.means",
                "--seed and --insecure-test-rng go together: a reproducible run is NOT PRIVATE and "
                "only for tests");
  }
  if (seeded) request.insecure_seed = options.seed;
  if (request.data_path.empty() && !options.dry_run)
    throw Error(ErrorKind::kUsage, "cli.means", "--data is required, but for --dry-run");
  request.threads = common.threads > 0
                        ? common.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  request.command = common.command_line;
  return request;
}

void print(const nlohmann::ordered_json& json, const std::string& text,
           const CommonOptions& common) {
  fmt::print("{}", common.json ? to_text(json) : text);
}

void check_used(const CLI::App& command, const std::string& method) {
  require_used(command, "--gamma", method, {"laplace", "auto"});
  for (const char* flag : {"--steps", "--beta", "--constants"})
    require_used(command, flag, method, {"coinpress", "coinpress_joint", "auto"});
  require_used(command, "--quantile-cells", method, {"quantile", "auto"});
  require_used(command, "--clipped-share", method, {"bounded", "laplace", "auto"});
}

void run_means(const CLI::App& command, const MeansOptions& options, const CommonOptions& common) {
  const MeansRequest request = finish(options, common);
  check_used(command, request.method);
  if (options.dry_run) {
    const MeansReport report = plan_means_task(request);
    print(means_plan_to_json(report), means_plan_to_text(report), common);
    return;
  }
  ProgressBar progress(common.quiet, isatty(STDERR_FILENO) == 1);
  const MeansReport report = release_means_task(request, progress);
  print(means_to_json(report), means_to_text(report), common);
}

void add_estimation_options(CLI::App& command, MeansOptions& options) {
  constexpr const char* kGroup = "Estimation";
  MeansRequest& request = options.request;
  command
      .add_option(
          "--method", request.method,
          "bounded, laplace, coinpress, coinpress_joint, quantile, or auto: by public facts")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--bounds", options.bounds,
                  "COLUMN=LOWER:UPPER: numbers outside count as the nearest [the schema's]")
      ->allow_extra_args(false)
      ->group(kGroup);
  add_named_numbers(command, "--stddev", request.stddevs,
                    "COLUMN=NUMBER: standard deviation within a stratum, a public figure [that of "
                    "scale = \"standard\" in the schema]")
      ->group(kGroup);
  command.add_option("--steps", request.config.num_steps, "Of coinpress")
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--beta", request.config.beta, "That coinpress may fail with")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--constants", request.config.constants,
                  "Of coinpress: paper or code [one column: paper, coinpress_joint: code]")
      ->group(kGroup);
  command
      .add_option("--gamma", request.config.gamma,
                  "laplace: the bounds are of the mean; clip so far outside that none of all "
                  "records is clipped but with this probability [0: bounds are of the numbers]")
      ->group(kGroup);
  command
      .add_option("--quantile-cells", request.config.num_cells,
                  "Parts of the bounds between which quantiles are chosen")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--clipped-share", request.config.clipped_share,
                  "Share of the budget for a noisy figure of how many records were clipped")
      ->capture_default_str()
      ->group(kGroup);
}

}  // namespace

void add_means_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "means", "Release means of columns, of each stratum and overall, with noise",
      "equinoise ledger init --dataset adult --epsilon 3 --delta 1e-6 --relation replace_one\n"
      "  equinoise means --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --columns hours_per_week,education_num --by sex,race --rho 0.125",
      common);
  auto options = std::make_shared<MeansOptions>();
  MeansRequest& request = options->request;
  add_schema_options(*command, request.schema);
  command->add_flag("--public-data", request.public_data,
                    "The table is public anyway: let an unreviewed schema pass; the result counts "
                    "as NOT PRIVATE");
  command->add_option_function<std::string>(
      "--data", [&request](const std::string& path) { request.data_path = path; },
      "Table of records (CSV, JSON, Parquet; CSV and JSON may be gzip)");
  command->add_option("--columns", request.columns, "Numeric columns whose means are asked for")
      ->required()
      ->delimiter(',');
  command
      ->add_option("--by", request.by,
                   "Columns, or [groups.NAME] of the schema, whose intersections are the strata")
      ->delimiter(',');
  add_group_floor_options(*command, options->groups);
  command->add_option("--rho", request.rho,
                      "Zero-concentrated DP that members of each stratum may pay");
  command->add_option("--epsilon", request.epsilon, "The same as epsilon at --delta, instead");
  command->add_option("--delta", request.delta, "Failure probability, below 1 / num_records")
      ->capture_default_str();
  command->add_option("--relation", options->relation,
                      "replace_one or zero_out [the ledger account's; without one replace_one]");
  add_named_numbers(*command, "--stratum-size", request.stratum_sizes,
                    "STRATUM=NUMBER, e.g. \"Female,White=13027\": public size [the schema's]");
  CLI::Option* private_sizes =
      command->add_flag("--private-sizes", request.private_sizes,
                        "Sizes of strata are not public: pay for noisy ones; needs zero_out");
  command->add_option("--size-share", request.size_share, "Share of the budget for these")
      ->capture_default_str()
      ->needs(private_sizes);
  command
      ->add_option("--overall-share", request.overall_share,
                   "Share of the budget for one sum over all strata, of columns with the method "
                   "bounded: it makes the overall mean much more precise than strata alone do")
      ->capture_default_str();
  add_named_numbers(*command, "--weights", request.weights.given,
                    "STRATUM=NUMBER: public weight in the overall mean [its share of the records]");
  command->add_option_function<std::string>(
      "--weights-file", [&request](const std::string& path) { request.weights.json_path = path; },
      "The same for all strata, a JSON object {\"STRATUM\": NUMBER, ...}");
  command->add_option_function<std::string>(
      "--weights-from", [&request](const std::string& path) { request.weights.table_path = path; },
      "Weights are the shares of strata in this table, which needs the columns of --by alone. They "
      "are exact, and free: nothing protects its records, which must be public or of other people "
      "than those of --data");
  command->add_flag(
      "--no-shrink", options->no_shrink,
      "Tell strata's figures as they came out, instead of moved towards their mean by "
      "as much as noise explains their differences");
  command->add_flag("--explain", request.explain,
                    "Also tell exact figures, errors and parity: NOT PRIVATE");
  add_estimation_options(*command, *options);
  command->add_option("--ledger", request.ledger_path, "Ledger that pays")->capture_default_str();
  command->add_option("--ledger-key", request.ledger_key,
                      "A name for this spend: the ledger takes it once, so a script may try again");
  command->add_option_function<std::string>(
      "--out", [&request](const std::string& path) { request.out_path = path; },
      "File for the released figures (JSON), without anything that is not private");
  command->add_flag("--force", request.force, "Replace an existing --out");
  command->add_flag("--dry-run", options->dry_run,
                    "Only say what the release will cost and how much noise to expect");
  command->add_flag("--insecure-test-rng", options->insecure,
                    "Allow --seed; the result is NOT PRIVATE");
  options->seed_option =
      command->add_option("--seed", options->seed, "Seed of a reproducible run, for tests")
          ->check(check_seed);
  command->callback([command, options, &common] { run_means(*command, *options, common); });
}

}  // namespace equinoise::cli
