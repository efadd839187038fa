#include <fmt/format.h>

#include "cli/commands.h"
#include "equinoise/means/registry.h"
#include "equinoise/models/registry.h"
#include "equinoise/report/json.h"
#include "equinoise/report/text.h"
#include "equinoise/synth/registry.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

void run_methods(const CommonOptions& common) {
  if (common.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const TrainingMethodRow& row : training_methods()) {
      rows.push_back({{"name", row.name},
                      {"task", "train"},
                      {"status", to_string(row.status)},
                      {"maturity", to_string(row.maturity)},
                      {"source", row.source},
                      {"summary", row.summary}});
    }
    for (const MeanEstimatorRow& row : mean_estimators()) {
      rows.push_back({{"name", row.name},
                      {"task", "means"},
                      {"status", row.status},
                      {"maturity", row.maturity},
                      {"source", row.source},
                      {"summary", row.summary}});
    }
    for (const SynthesizerRow& row : synthesizers()) {
      rows.push_back({{"name", row.name},
                      {"task", "synth"},
                      {"status", to_string(row.status)},
                      {"maturity", to_string(row.maturity)},
                      {"source", row.source},
                      {"summary", row.summary}});
    }
    nlohmann::ordered_json models = nlohmann::ordered_json::array();
    for (const ModelRow& row : model_kinds())
      models.push_back({{"name", row.name}, {"summary", row.summary}});
    fmt::print("{}", to_text(nlohmann::ordered_json(
                         {{"schema", "equinoise/1"}, {"rows", rows}, {"models", models}})));
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const TrainingMethodRow& row : training_methods()) {
    rows.push_back({std::string(row.name), "train", std::string(to_string(row.status)),
                    std::string(to_string(row.maturity)), std::string(row.source),
                    std::string(row.summary)});
  }
  for (const MeanEstimatorRow& row : mean_estimators()) {
    rows.push_back({std::string(row.name), "means", std::string(row.status),
                    std::string(row.maturity), std::string(row.source), std::string(row.summary)});
  }
  for (const SynthesizerRow& row : synthesizers()) {
    rows.push_back({std::string(row.name), "synth", std::string(to_string(row.status)),
                    std::string(to_string(row.maturity)), std::string(row.source),
                    std::string(row.summary)});
  }
  fmt::print("{}", format_table({"name", "task", "status", "maturity", "source", "what it does"},
                                rows, 6));
  std::vector<std::vector<std::string>> models;
  for (const ModelRow& row : model_kinds())
    models.push_back({std::string(row.name), std::string(row.summary)});
  fmt::print("\n{}", format_table({"model", "what it learns"}, models, 2));
}

}  // namespace

void add_methods_command(CLI::App& app, CommonOptions& common) {
  add_command(app, "methods", "List the methods with their privacy status, and the models",
              "equinoise methods --json", common)
      ->callback([&common] { run_methods(common); });
}

}  // namespace equinoise::cli
