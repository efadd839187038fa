// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/name_options.h"
#include "cli/number_options.h"
#include "cli/progress_bar.h"
#include "cli/run_file_options.h"
#include "cli/synth_options.h"
#include "equinoise/base/error.h"
#include "equinoise/report/json.h"
#include "equinoise/synth/private_law.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_report.h"

namespace equinoise::cli {

namespace {

struct SynthOptions {
  SynthRequest request;
  std::string relation = "zero_out";
  std::string rows_method = "round";
  std::string format = "csv";
  bool dry_run = false;
  bool insecure = false;
  CLI::Option* seed_option = nullptr;
  uint64_t seed = 0;
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, "cli.synth", message);
}

void check_required(const CLI::App& command, bool dry_run) {
  if (command.get_option("--epsilon")->count() == 0) refuse("--epsilon is required");
  for (const char* name : {"--data", "--out"}) {
    if (!dry_run && command.get_option(name)->count() == 0)
      refuse(fmt::format("{} is required, except with --dry-run", name));
  }
}

void run_synth(const CLI::App& command, const SynthOptions& options, const CommonOptions& common) {
  SynthRequest request = options.request;
  require_domain(request.schema);
  check_required(command, options.dry_run);
  require_used(command, {"--method", request.method}, synthesizers());
  if (options.insecure != (options.seed_option->count() > 0)) {
    refuse(options.insecure ? "--insecure-test-rng needs --seed"
                            : "--seed makes a run that is NOT PRIVATE; add --insecure-test-rng");
  }
  if (options.insecure) request.insecure_seed = options.seed;
  request.relation = parse_relation(options.relation);
  request.draw = options.rows_method == "round" ? RowDraw::kRound : RowDraw::kSample;
  request.format = options.format == "csv" ? RowFormat::kCsv : RowFormat::kParquet;
  request.config.threads = num_threads(common.threads);
  request.command = common.command_line;
  request.asked = asked_settings(command);
  if (options.dry_run) {
    const SynthReport report = plan_synth(request);
    fmt::print("{}",
               common.json ? to_text(synth_plan_to_json(report)) : synth_plan_to_text(report));
    return;
  }
  ProgressBar progress(common.quiet, isatty(STDERR_FILENO) == 1);
  const SynthReport report = synthesize(request, progress);
  fmt::print("{}", common.json ? to_text(synth_to_json(report)) : synth_to_text(report));
}

void add_privacy_options(CLI::App& command, SynthOptions& options) {
  constexpr const char* kGroup = "Privacy";
  SynthRequest& request = options.request;
  command.add_option("--epsilon", request.epsilon, "Privacy loss of the whole run")->group(kGroup);
  command.add_option("--delta", request.delta, "Failure probability, below 1 / num_records")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--relation", options.relation,
                  "Neighbouring relation: zero_out, where the number of rows is public; "
                  "add_remove, where it is private and measured")
      ->check(CLI::IsMember({"zero_out", "add_remove"}))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--ledger", [&request](const std::string& path) { request.ledger_path = path; },
          "Ledger that pays for the run [equinoise.ledger]")
      ->group(kGroup);
  command
      .add_option("--ledger-key", request.ledger_key,
                  "Name of this spend, which the ledger accepts only once, so that a script that "
                  "is run again cannot pay twice")
      ->group(kGroup);
  command
      .add_flag("--public-data", request.public_data,
                "Accept a schema that was drafted from the data; NOT PRIVATE")
      ->group(kGroup);
  command
      .add_flag("--insecure-test-rng", options.insecure, "Allow --seed; the result is NOT PRIVATE")
      ->group(kGroup);
  options.seed_option =
      command.add_option("--seed", options.seed, "Seed of a reproducible run, for tests")
          ->check(check_seed)
          ->group(kGroup);
}

void add_model_options(CLI::App& command, SynthOptions& options) {
  constexpr const char* kGroup = "Model";
  SynthRequest& request = options.request;
  command.add_option("--method", request.method, "Method (see equinoise methods)")
      ->check(KnownWords(names_of(synthesizers())))
      ->capture_default_str()
      ->group(kGroup);
  add_method_options<SynthConfig>(command, synth_options(), request.config, kGroup,
                                  [](std::string_view) { return true; });
  command
      .add_option("--max-model-size", request.max_model_megabytes,
                  "Largest size of a model, in MB [80; of aim and swift 32 bytes for each public "
                  "record, from 5 to 80, and 20 where the number of records is private]")
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--structural-zeros", [&request](const std::string& path) { request.zeros_path = path; },
          "JSON list of combinations that no record can have: [{\"columns\": [...], "
          "\"impossible\": [[...], ...]}, ...]")
      ->group(kGroup);
}

void add_stratum_options(CLI::App& command, SynthRequest& request) {
  constexpr const char* kGroup = "Strata";
  add_names(command, "--stratify", request.stratify,
            "Columns or group attributes of the schema whose combinations each get a model of "
            "their own")
      ->group(kGroup);
  command
      .add_option("--min-stratum", request.min_stratum,
                  "Public size below which strata measure nothing of their own [the size at which "
                  "noise would hide it]; with --strata independent, share one model [0]")
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--strata",
          [&request](const std::string& word) { request.strata = value_of(kStrataForms, word); },
          "Form of the models of strata: shared, which start from one model of the whole table and "
          "differ from it by what the stratum's own columns show beyond noise; independent, each "
          "from its own records alone [shared; independent with gem or without declared sizes]")
      ->check(CLI::IsMember({"shared", "independent"}))
      ->group(kGroup);
  command
      .add_option(
          "--shared-share", request.shared_share,
          "Share of rho for the shared model, of what --number-share leaves; the rest is for the "
          "columns of strata")
      ->capture_default_str()
      ->group(kGroup);
  add_named_numbers(
      command, "--stratum-weight", request.stratum_weights,
      "STRATUM=NUMBER: rows go to strata in proportion to these public numbers; for all "
      "strata or none [public sizes, or the released totals]")
      ->group(kGroup);
}

}  // namespace

void add_synth_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "synth", "Release synthetic rows under differential privacy",
      "equinoise synth --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --method aim --epsilon 1 --delta 1e-9 --out synthetic",
      common);
  command->require_subcommand(0, 1);
  auto options = std::make_shared<SynthOptions>();
  SynthRequest& request = options->request;
  add_config_option(*command);
  add_domain_options(*command, request.schema);
  command->add_option_function<std::string>(
      "--data", [&request](const std::string& path) { request.data_path = path; },
      "Table of records (CSV, ARFF, JSON, Parquet; all but Parquet may be gzip, zip or zstd)");
  command->add_option_function<std::string>(
      "--out", [&request](const std::string& path) { request.out_path = path; },
      "Folder for rows, model and report");
  command->add_flag("--force", request.force, "Replace files in an existing --out");
  command->add_option_function<int64_t>(
      "--rows", [&request](const int64_t& rows) { request.num_rows = rows; },
      "Number of rows to draw [the public number of the table; under add_remove the measured "
      "number]");
  command
      ->add_option("--rows-method", options->rows_method,
                   "Way of drawing rows: round, which meets the model's counts to about one row; "
                   "sample, independent draws")
      ->check(CLI::IsMember({"round", "sample"}))
      ->capture_default_str();
  command
      ->add_option("--format", options->format,
                   "Format of the rows: csv (rows.csv) or parquet (rows.parquet)")
      ->check(CLI::IsMember({"csv", "parquet"}))
      ->capture_default_str();
  command->add_flag("--dry-run", options->dry_run,
                    "Only print what the run will cost and how large its model is");
  add_bin_options(*command, request.bins,
                  fmt::format("8 to {}, by records and rho; {} with --number-share 0", kMostLawBins,
                              kUsualBins));
  command->add_option_function<double>(
      "--number-share", [&request](const double& share) { request.number_share = share; },
      "Share of rho, at most 0.9, for how numbers are spread between their bounds; 0 spreads them "
      "evenly within bins of equal width [0.02 for each column with several numbers in a bin, at "
      "most 0.1]");
  add_names(
      *command, "--quantile-bins", request.quantile_columns,
      "Numeric columns whose bins hold about equal numbers of people, also where bins of equal "
      "width would spread them nearly as well");
  command->add_flag("--fill-gaps", request.fill_gaps,
                    "Put what the schema fills missing cells with into rows, which else keep them "
                    "missing");
  add_privacy_options(*command, *options);
  add_model_options(*command, *options);
  add_stratum_options(*command, request);
  keep_out_of_run_files(*command);
  add_synth_estimate_command(*command, common);
  add_synth_evaluate_command(*command, common);
  add_synth_sample_command(*command, common);
  command->callback([command, options, &common] {
    if (command->get_subcommands().empty()) run_synth(*command, *options, common);
  });
}

}  // namespace equinoise::cli
