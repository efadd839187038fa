// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/number_options.h"
#include "cli/run_file_options.h"
#include "cli/synth_options.h"
#include "cli/synthesis_options.h"
#include "cli/table_option.h"
#include "equinoise/base/error.h"
#include "equinoise/report/json.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_report.h"

namespace equinoise::cli {

namespace {

struct SynthOptions {
  SynthesisOptions synthesis;
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
  SynthRequest request = finish_synthesis(options.synthesis);
  require_domain(request.schema);
  check_required(command, options.dry_run);
  require_used(command, {"--method", request.method}, synthesizers());
  if (options.insecure != (options.seed_option->count() > 0)) {
    refuse(options.insecure ? "--insecure-test-rng needs --seed"
                            : "--seed makes a run that is NOT PRIVATE; add --insecure-test-rng");
  }
  if (options.insecure) request.insecure_seed = options.seed;
  request.format = options.format == "csv" ? RowFormat::kCsv : RowFormat::kParquet;
  request.config.threads = num_threads(common.threads);
  request.command = common.command_line;
  request.asked = asked_settings(command);
  if (options.dry_run) {
    const SynthReport report = plan_synth(request);
    common.print("{}",
                 common.json ? to_text(synth_plan_to_json(report)) : synth_plan_to_text(report));
    return;
  }
  const auto progress = common.make_progress();
  const SynthReport report = synthesize(request, *progress);
  common.print("{}", common.json ? to_text(synth_to_json(report)) : synth_to_text(report));
}

void add_privacy_options(CLI::App& command, SynthOptions& options) {
  constexpr const char* kGroup = "Privacy";
  SynthRequest& request = options.synthesis.request;
  command.add_option("--epsilon", request.epsilon, "Privacy loss of the whole run")->group(kGroup);
  command
      .add_option_function<std::string>(
          "--ledger", [&request](const std::string& path) { request.ledger_path = path; },
          "Ledger that pays for the run [equinoise.ledger]")
      ->group(kGroup);
  command
      .add_option("--max-table-size", request.max_table_megabytes,
                  "Memory for records, in MB: a larger table is read block by block, and only "
                  "counts of marginals are kept, where these fit; rows are the same")
      ->capture_default_str()
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

}  // namespace

void add_synth_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "synth", "Release synthetic rows under differential privacy",
      "equinoise synth --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
      "    --epsilon 1 --delta 1e-9 --out synthetic",
      common);
  command->require_subcommand(0, 1);
  auto options = std::make_shared<SynthOptions>();
  SynthRequest& request = options->synthesis.request;
  add_config_option(*command);
  add_domain_options(*command, request.schema);
  add_table(*command, "--data", request.data, kTableHelp, common);
  command->add_option_function<std::string>(
      "--out", [&request](const std::string& path) { request.out_path = path; },
      "Folder for rows, model and report");
  command->add_flag("--force", request.force, "Replace files in an existing --out");
  command
      ->add_option("--format", options->format,
                   "Format of the rows: csv (rows.csv) or parquet (rows.parquet)")
      ->check(CLI::IsMember({"csv", "parquet"}))
      ->capture_default_str();
  command->add_flag("--dry-run", options->dry_run,
                    "Only print what the run will cost and how large its model is");
  add_synthesis_options(*command, options->synthesis);
  add_privacy_options(*command, *options);
  command->add_option("--method", request.method, "Method (see equinoise methods)")
      ->check(KnownWords(names_of(synthesizers())))
      ->capture_default_str()
      ->group("Model");
  keep_out_of_run_files(*command);
  add_synth_estimate_command(*command, common);
  add_synth_evaluate_command(*command, common);
  add_synth_sample_command(*command, common);
  command->callback([command, options, &common] {
    if (command->get_subcommands().empty()) run_synth(*command, *options, common);
  });
}

}  // namespace equinoise::cli
