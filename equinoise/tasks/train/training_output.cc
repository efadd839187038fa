// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_output.h"

#include "equinoise/report/json.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/input/run_file.h"
#include "equinoise/tasks/train/run_settings.h"

namespace equinoise {

const std::vector<std::string>& training_output_files() {
  static const std::vector<std::string> names = {"model.json",  "model_card.md", "model_card.json",
                                                 "report.json", "report.html",   kRunFileName};
  return names;
}

void write_files(OutputFolder& folder, const TrainRequest& request, const TrainingSetup& setup,
                 TrainingReport& report) {
  for (const std::string& name : training_output_files())
    report.files.push_back(folder.final_path(name));
  if (!request.insecure_seed && report.ledger) report.files.push_back(report.ledger->path);
  report.run_file = run_file_text("train", request.asked, settled_settings(request, setup));
  folder.write("model.json", to_text(model_to_json(report)));
  folder.write("model_card.md", training_card(report));
  folder.write("model_card.json", to_text(card_to_json(report)));
  folder.write("report.json", to_text(training_to_json(report)), Audience::kOwner);
  folder.write("report.html", to_page(training_document(report)), Audience::kOwner);
  folder.write(kRunFileName, report.run_file);
  folder.commit();
}

}  // namespace equinoise
