// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands.h"
#include "cli/name_options.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/synth/synth_estimate.h"
#include "equinoise/tasks/synth/synth_estimate_report.h"

namespace equinoise::cli {

namespace {

void run_estimate(const SynthEstimateRequest& request, const CommonOptions& common) {
  const auto progress = common.make_progress();
  const SynthEstimateReport report = estimate_from_synthetic(request, *progress);
  common.print(
      "{}", common.json ? to_text(synth_estimate_to_json(report)) : synth_estimate_to_text(report));
}

}  // namespace

void add_synth_estimate_command(CLI::App& synth, CommonOptions& common) {
  CLI::App* command = add_command(
      synth, "estimate",
      "Intervals for counts, shares and means of the records behind a model released by equinoise "
      "synth; costs nothing",
      "equinoise synth estimate --model synthetic --table sex,race\n"
      "equinoise synth estimate --model synthetic --share income='>50K',age=30..40 --by sex\n"
      "equinoise synth estimate --model synthetic --mean age --by sex --out ages.csv",
      common);
  auto request = std::make_shared<SynthEstimateRequest>();
  command
      ->add_option_function<std::string>(
          "--model", [request](const std::string& path) { request->model_path = path; },
          "Folder written by equinoise synth, or the model.json in it")
      ->required();
  add_names(*command, "--table", request->table,
            "Columns of a cross-table: counts and shares of its cells, of numbers in the model's "
            "bins")
      ->allow_extra_args(false);
  add_names(*command, "--share", request->share,
            "COLUMN=VALUE,...: records with all of these; of a numeric column also a range as "
            "30..40, 65.. or ..17; missing: records without a value")
      ->allow_extra_args(false);
  command->add_option("--mean", request->mean, "Numeric column whose mean is estimated");
  add_names(*command, "--by", request->by,
            "Columns for whose groups --share or --mean is estimated, each of its own records")
      ->allow_extra_args(false);
  command
      ->add_option("--level", request->level,
                   "Probability with which an interval holds the figure, from 0.7")
      ->capture_default_str();
  command->add_flag("--at-once", request->at_once,
                    "Make the level hold for all intervals together, not for each by itself");
  command->add_option_function<std::string>(
      "--out", [request](const std::string& path) { request->out_path = path; },
      "File for the figures: CSV if its name ends in .csv, otherwise JSON");
  command->add_flag("--force", request->force, "Replace an existing --out");
  command->callback([request, &common] { run_estimate(*request, common); });
}

}  // namespace equinoise::cli
