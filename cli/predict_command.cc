// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/document.h"
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
      "These predictions are NOT PRIVATE: they reveal what the records of this table hold;\na "
      "guarantee of the model protects the records it was trained on. Do not publish the "
      "predictions.\nGuarantee of the model: {}\n",
      privacy_line(report.model_status, report.model_privacy));
  return text + to_text(marked(report.files, Fence::kNotPrivate));
}

void run_predict(const CLI::App&, PredictRequest& request, const CommonOptions& common) {
  const bool is_standard_output = takes_standard_output("cli.predict", common, request);
  const auto progress = common.make_progress();
  const PredictReport report = predict(request, *progress);
  if (is_standard_output) return tell_beside_rows(text_of(report), common);
  print_report(report, text_of(report), common);
}

}  // namespace

void add_predict_command(CLI::App& app, CommonOptions& common) {
  add_request_command<PredictRequest>(
      app,
      {"predict", "Predict the target for the records of a table with a trained model",
       "equinoise predict --model model --data data/adult/adult.csv.gz --out predictions.csv"},
      common, run_predict);
}

}  // namespace equinoise::cli
