// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/schema_options.h"
#include "cli/table_option.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/tasks/predict/predict.h"

namespace equinoise::cli {

namespace {

std::string text_of(const PredictReport& report) {
  std::string text =
      fmt::format("{} rows, {} of them without a prediction of {}\n", format_count(report.num_rows),
                  format_count(report.num_not_predicted), report.target);
  if (report.num_clamped > 0) {
    text +=
        fmt::format("{} predictions lay beyond the bounds of {} and were set to the nearer bound\n",
                    format_count(report.num_clamped), report.target);
  }
  for (const std::string& note : report.ingest_notes)
    text += fmt::format("not private: {}\n", note);
  text += fmt::format(
      "These predictions are NOT PRIVATE: they are about the people in this table and reveal what "
      "their records hold;\na guarantee of the model protects the people it was trained on. Do not "
      "publish the predictions.\nGuarantee of the model: {}\n",
      privacy_line(report.model_status, report.model_privacy));
  for (const std::string& file : report.files) text += fmt::format("wrote {}\n", file);
  return text;
}

void run_predict(PredictRequest request, const CommonOptions& common) {
  const bool is_standard_output = request.out_path == "-";
  if (is_standard_output && common.json) {
    throw Error(ErrorKind::kUsage, "cli.predict",
                "--json and --out - both need standard output; name a file with --out");
  }
  if (is_standard_output)
    request.write = [&common](std::string_view lines) { common.host.print(lines); };
  const auto progress = common.make_progress();
  const PredictReport report = predict(request, *progress);
  if (is_standard_output) {
    common.host.flush();
    if (!common.quiet) common.tell(text_of(report));
    return;
  }
  if (common.json) {
    common.print(
        "{}",
        to_text(nlohmann::ordered_json(
            {{"notice", std::string(kDoNotPublish) + "predictions and counts are computed from the "
                                                     "records of this table without noise"},
             {"schema", "equinoise/1"},
             {"status", "not private"},
             {"model_status", to_string(report.model_status)},
             {"target", report.target},
             {"rows", report.num_rows},
             {"not_predicted", report.num_not_predicted},
             {"clamped", report.num_clamped},
             {"not_private_ingest", report.ingest_notes},
             {"seconds", report.seconds},
             {"files", report.files}})));
    return;
  }
  common.print("{}", text_of(report));
}

}  // namespace

void add_predict_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "predict", "Predict the target for the records of a table with a trained model",
      "equinoise predict --model model --data data/adult/adult.csv.gz --out predictions.csv",
      common);
  auto request = std::make_shared<PredictRequest>();
  command
      ->add_option("--model", request->model_path,
                   "Folder written by equinoise train, or the model.json in it")
      ->required();
  add_table(*command, "--data", request->data,
            "Table with the model's feature columns (CSV, ARFF, JSON, Parquet), or images (idx "
            "file, folder of JPEG files); - is standard input, for tables but Parquet",
            common)
      ->required();
  add_table_options(*command, request->table);
  add_labels_option(*command, request->labels_path);
  command
      ->add_option(
          "--out", request->out_path,
          "CSV file for the predictions; predicted numbers lie within the bounds of the target. - "
          "is standard output, to which rows go as they come")
      ->required();
  auto kept = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("--keep", *kept,
                   "Columns of the table to carry along as they are written, e.g. id,visit_date; "
                   "repeatable")
      ->allow_extra_args(false);
  command->add_option_function<double>(
      "--threshold", [request](const double& threshold) { request->threshold = threshold; },
      "Probability of the second of two classes from which on it is predicted [the more probable "
      "class is]");
  command->add_flag("--fail-if-missing", request->fail_if_missing,
                    "Error at the first cell that the model needs and that is missing, no number "
                    "or a category that is not listed: nothing is written to a file, and to "
                    "standard output no further rows");
  command->add_flag("--force", request->force, "Replace an existing --out");
  command->callback([request, kept, &common] {
    for (const std::string& names : *kept)
      for (std::string& name : split_names(names)) request->kept.push_back(std::move(name));
    request->threads = common.threads > 0
                           ? common.threads
                           : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    run_predict(*request, common);
  });
}

}  // namespace equinoise::cli
