// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/number_options.h"
#include "equinoise/base/error.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/synth/synth_sample.h"

namespace equinoise::cli {

namespace {

std::string text_of(const SynthSampleReport& report) {
  std::string text =
      fmt::format("{} rows from a model of {} ({}); this costs nothing\n",
                  format_count(report.num_rows), report.method, to_string(report.status));
  for (const std::string& note : report.notes) text += note + '\n';
  for (const std::string& file : report.files) text += fmt::format("wrote {}\n", file);
  return text;
}

void run_sample(SynthSampleRequest& request, const CommonOptions& common) {
  const bool is_standard_output = request.out_path == "-";
  if (is_standard_output && common.json) {
    throw Error(ErrorKind::kUsage, "cli.synth_sample",
                "--json and --out - both need standard output; name a file with --out");
  }
  if (is_standard_output)
    request.write = [&common](std::string_view rows) { common.host.print(rows); };
  const auto progress = common.make_progress();
  const SynthSampleReport report = sample_synthetic(request, *progress);
  if (is_standard_output) {
    common.host.flush();
    if (!common.quiet) common.tell(text_of(report));
    return;
  }
  if (common.json) {
    common.print("{}", to_text(nlohmann::ordered_json({{"schema", "equinoise/1"},
                                                       {"method", report.method},
                                                       {"status", to_string(report.status)},
                                                       {"rows", report.num_rows},
                                                       {"seconds", report.seconds},
                                                       {"notes", report.notes},
                                                       {"files", report.files}})));
    return;
  }
  common.print("{}", text_of(report));
}

}  // namespace

void add_synth_sample_command(CLI::App& synth, CommonOptions& common) {
  CLI::App* command = add_command(
      synth, "sample", "Draw rows from a model released by equinoise synth; costs nothing",
      "equinoise synth sample --model synthetic --rows 1000 --given sex=Female \\\n"
      "    --out women.csv",
      common);
  struct Options {
    SynthSampleRequest request;
    std::string rows_method = "round";
  };
  auto options = std::make_shared<Options>();
  SynthSampleRequest& request = options->request;
  command
      ->add_option_function<std::string>(
          "--model", [&request](const std::string& path) { request.model_path = path; },
          "Folder written by equinoise synth, or the model.json in it")
      ->required();
  command->add_option_function<int64_t>(
      "--rows", [&request](const int64_t& rows) { request.num_rows = rows; },
      "Number of rows to draw [as many as the model was released with]");
  command->add_option("--given", request.given,
                      "COLUMN=VALUE: condition on the rows; of a numeric column also a range as "
                      "30..40, 65.. or ..17. With a number all rows have it and are otherwise "
                      "drawn for its bin; a date of a timestamp is that whole day; missing: rows "
                      "without a value");
  command
      ->add_option("--rows-method", options->rows_method,
                   "Way of drawing rows: round, which meets the model's counts to about one row; "
                   "sample, independent draws")
      ->check(CLI::IsMember({"round", "sample"}))
      ->capture_default_str();
  command
      ->add_option_function<uint64_t>(
          "--seed", [&request](const uint64_t& seed) { request.seed = seed; },
          "Seed that gives the same rows again; the model stays as private as it is")
      ->check(check_seed);
  command
      ->add_option_function<std::string>(
          "--out", [&request](const std::string& path) { request.out_path = path; },
          "File for the rows: Parquet if its name ends in .parquet, otherwise CSV; - is standard "
          "output")
      ->required();
  command->add_option_function<std::string>(
      "--card", [&request](const std::string& path) { request.card_path = path; },
      "File for a card that may be published with the rows: JSON if its name ends in .json, "
      "otherwise Markdown");
  command->add_flag("--force", request.force, "Replace an existing --out or --card");
  command->callback([options, &common] {
    options->request.draw = options->rows_method == "round" ? RowDraw::kRound : RowDraw::kSample;
    options->request.format =
        options->request.out_path.extension() == ".parquet" ? RowFormat::kParquet : RowFormat::kCsv;
    run_sample(options->request, common);
  });
}

}  // namespace equinoise::cli
