// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/request_options.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_estimate.h"
#include "equinoise/tasks/synth/synth_evaluate.h"
#include "equinoise/tasks/synth/synth_sample.h"

namespace equinoise::cli {

namespace {

void run_estimate(const CLI::App&, const SynthEstimateRequest& request,
                  const CommonOptions& common) {
  const auto progress = common.make_progress();
  const SynthEstimateReport report = estimate_from_synthetic(request, *progress);
  print_report(report, synth_estimate_to_json, synth_estimate_document, common);
}

void run_evaluate(const CLI::App&, const SynthEvaluateRequest& request,
                  const CommonOptions& common) {
  const auto progress = common.make_progress();
  const SynthEvaluateReport report = evaluate_synthetic(request, *progress);
  print_report(report, evaluation_to_json, evaluation_document, common, request.verbose);
}

void run_sample(const CLI::App&, SynthSampleRequest& request, const CommonOptions& common) {
  request.format =
      request.out_path.extension() == ".parquet" ? RowFormat::kParquet : RowFormat::kCsv;
  const bool is_standard_output = takes_standard_output("cli.synth_sample", common, request);
  const auto progress = common.make_progress();
  const SynthSampleReport report = sample_synthetic(request, *progress);
  if (is_standard_output) return tell_beside_rows(to_screen(synth_sample_document(report)), common);
  print_report(report, synth_sample_to_json, synth_sample_document, common);
}

void run_synth(const CLI::App& command, SynthRequest& request, const CommonOptions& common) {
  require_used(command, {"--method", request.method}, synthesizers());
  request.config.threads = num_threads(common);
  if (request.dry_run) {
    const SynthReport report = plan_synth(request);
    print_report(report, synth_plan_to_json, synth_plan_document, common, request.verbose);
    return;
  }
  const auto progress = common.make_progress();
  const SynthReport report = synthesize(request, *progress);
  print_report(report, synth_to_json, synth_document, common, request.verbose);
}

void add_synth_estimate_command(CLI::App& synth, CommonOptions& common) {
  add_request_command<SynthEstimateRequest>(
      synth,
      {"estimate",
       "Intervals for counts, shares and means of the records behind a model released by equinoise "
       "synth; costs nothing",
       "equinoise synth estimate --model synthetic --table sex,race\n"
       "equinoise synth estimate --model synthetic --share income='>50K',age=30..40 --by sex\n"
       "equinoise synth estimate --model synthetic --mean age --by sex --out ages.csv"},
      common, run_estimate);
}

void add_synth_evaluate_command(CLI::App& synth, CommonOptions& common) {
  add_request_command<SynthEvaluateRequest>(
      synth,
      {"evaluate",
       "Compare synthetic rows with the real ones, overall and for each group; NOT PRIVATE",
       "equinoise synth evaluate --real adult.csv --synthetic synthetic/rows.csv \\\n"
       "    --domain adult-domain.json --degree 3 --target income --positive '>50K'\n"
       "equinoise synth evaluate --real adult.csv --synthetic synthetic/rows.csv \\\n"
       "    --schema schema.toml --by sex,race --out evaluation"},
      common, run_evaluate);
}

void add_synth_sample_command(CLI::App& synth, CommonOptions& common) {
  add_request_command<SynthSampleRequest>(
      synth,
      {"sample", "Draw rows from a model released by equinoise synth; costs nothing",
       "equinoise synth sample --model synthetic --rows 1000 --given sex=Female \\\n"
       "    --out women.csv"},
      common, run_sample);
}

}  // namespace

void add_synth_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_request_command<SynthRequest>(
      app,
      {"synth", "Release synthetic rows under differential privacy",
       "equinoise synth --schema data/adult/schema.toml --data data/adult/adult.csv.gz \\\n"
       "    --epsilon 1 --delta 1e-9 --out synthetic",
       true},
      common, run_synth);
  allow_commands_below(*command);
  add_synth_estimate_command(*command, common);
  add_synth_evaluate_command(*command, common);
  add_synth_sample_command(*command, common);
}

}  // namespace equinoise::cli
