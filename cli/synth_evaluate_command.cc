// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands.h"
#include "cli/name_options.h"
#include "cli/schema_options.h"
#include "cli/synth_options.h"
#include "cli/table_option.h"
#include "cli/weight_options.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/synth/synth_evaluate.h"
#include "equinoise/tasks/synth/synth_evaluate_report.h"

namespace equinoise::cli {

namespace {

void run_evaluate(const SynthEvaluateRequest& request, const CommonOptions& common) {
  const auto progress = common.make_progress();
  const SynthEvaluateReport report = evaluate_synthetic(request, *progress);
  common.print("{}", common.json ? to_text(synth_evaluate_to_json(request, report))
                                 : synth_evaluate_to_text(request, report));
}

}  // namespace

void add_synth_evaluate_command(CLI::App& synth, CommonOptions& common) {
  CLI::App* command = add_command(
      synth, "evaluate",
      "Compare synthetic rows with the real ones, overall and for each group; NOT PRIVATE",
      "equinoise synth evaluate --real adult.csv --synthetic synthetic/rows.csv \\\n"
      "    --domain adult-domain.json --degree 3\n"
      "equinoise synth evaluate --real adult.csv --synthetic synthetic/rows.csv \\\n"
      "    --schema schema.toml --by sex,race --target income --positive '>50K' --out evaluation",
      common);
  auto request = std::make_shared<SynthEvaluateRequest>();
  add_domain_options(
      *command, request->schema,
      "Column for a classifier, or a regression if it is numeric, that is trained on the synthetic "
      "rows and tested on the real ones");
  add_bin_options(*command, request->bins, std::to_string(kUsualBins));
  add_missing_option(*command, request->schema, {"keep", "fill"});
  add_table(*command, "--real", request->real, "Table of real records (CSV, ARFF, JSON, Parquet)",
            common)
      ->required();
  add_table(*command, "--synthetic", request->synthetic, "Table of synthetic rows", common)
      ->required();
  command
      ->add_option(
          "--degree", request->degree,
          "Number of columns of each marginal, or the most of which there are not more than a "
          "million; those of fewer columns are compared as well")
      ->capture_default_str();
  CLI::Option* by = add_names(
      *command, "--by", request->by,
      "Columns or group attributes whose groups are compared as well, including the means of "
      "numeric columns");
  by->allow_extra_args(false);
  command
      ->add_option("--parity-omega", request->parity_omega,
                   "Also report the parity error as printed in [RosenblattStoyanovichMusco2024, "
                   "Def. 10], a sum over groups in which everybody has this weight; the paper "
                   "takes one over the number of groups [only the mean over everybody and the "
                   "groups]")
      ->check(CLI::PositiveNumber)
      ->needs(by);
  command->add_option("--positive", request->positive,
                      "Positive class of --target [the second of two]");
  add_weight_option(*command, request->weight_column,
                    ": every figure is weighted; synthetic rows count by theirs if they have the "
                    "column, which is not compared");
  command->add_option_function<std::string>(
      "--out", [request](const std::string& path) { request->out_path = path; },
      "Folder for report.json, report.html and errors.csv");
  command->add_flag("--force", request->force, "Replace files in an existing --out");
  command->callback([request, &common] {
    require_domain(request->schema);
    request->command = common.command_line;
    request->threads = num_threads(common.threads);
    run_evaluate(*request, common);
  });
}

}  // namespace equinoise::cli
