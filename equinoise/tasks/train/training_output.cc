// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_output.h"

#include "equinoise/base/lists.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/json.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/input/run_file.h"

namespace equinoise {

namespace {

/// The user's choices, with defaults derived from the number of records and the noise.
TrainingConfig config_of(const TrainRequest& request, const TrainingSetup& setup) {
  TrainingConfig config = request.config;
  config.batch_size = setup.plan.config.batch_size;
  config.num_steps = setup.plan.config.num_steps;
  config.learning_rate = setup.plan.config.learning_rate;
  config.final_learning_rate = setup.plan.config.final_learning_rate;
  config.max_grad_norm = setup.plan.config.max_grad_norm;
  if (!setup.overlapping) config.own = setup.plan.config.own;
  return config;
}

void add(std::vector<Setting>& all, std::vector<Setting> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

const std::vector<std::string>& training_output_files() {
  static const std::vector<std::string> names = {
      "model.json",  "model_card.html", "model_card.md", "model_card.json",
      "report.json", "report.html",     kRunFileName};
  return names;
}

void write_files(OutputFolder& folder, const TrainRequest& request, const TrainingSetup& setup,
                 TrainingReport& report) {
  for (const std::string& name : training_output_files())
    report.files.push_back(folder.final_path(name));
  report.run_file = run_file_text("train", request.asked, settled_settings(request, setup));
  folder.write("model.json", to_text(model_to_json(report)));
  const Document card = training_card(report);
  folder.write("model_card.html", to_page(card));
  folder.write("model_card.md", to_card(card));
  folder.write("model_card.json", to_text(card_to_json(report)));
  folder.write("report.json", to_text(training_to_json(report)));
  folder.write("report.html", to_page(training_document(report)));
  folder.write(kRunFileName, report.run_file);
  folder.commit();
}

std::vector<Setting> method_settings(const TrainRequest& request, const TrainingSetup& setup) {
  const TrainingConfig config = config_of(request, setup);
  const TrainingOptions& options = setup.row->options();
  std::vector<Setting> settings;
  std::vector<std::string_view> excluded;
  for (const TrainingOption& option : options) {
    if (unused_by<TrainingConfig>(option, options, config)) continue;
    const std::vector<Setting> value = settings_of<TrainingConfig>({&option, 1}, config);
    if (!value.empty()) append(excluded, option.facts.excludes);
    add(settings, value);
  }
  std::erase_if(settings, [&](const Setting& setting) { return contains(excluded, setting.name); });
  return settings;
}

std::vector<Setting> settled_settings(const TrainRequest& request, const TrainingSetup& setup) {
  std::vector<Setting> settings = {{"method", std::string(setup.row->name)}};
  for (const ModelRow& row : model_kinds()) {
    if (row.name != setup.model->name()) continue;
    settings.push_back({"model", std::string(row.name)});
    const NetworkOptions network =
        settled_options(row.name, request.network).value_or(NetworkOptions());
    for (const NetworkOption& option : network_options()) {
      if (row.follows(option.facts.name))
        add(settings, settings_of<NetworkOptions>({&option, 1}, network));
    }
  }
  add(settings, settings_of<TrainingConfig>(shared_options(), config_of(request, setup)));
  add(settings, method_settings(request, setup));
  return settings;
}

}  // namespace equinoise
