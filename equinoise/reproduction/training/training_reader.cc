// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/training_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/reproduction/reader.h"
#include "equinoise/train/methods/dpsgd_f.h"

namespace equinoise {

namespace {

constexpr const char* kMethodsExample = "[methods.dpsgd]";

TrainingLine read_line(const TomlSection& section, double delta) {
  TrainingLine line;
  TrainingConfig& config = line.config;
  config.tail_average = 0;
  config.delta = delta;
  config.own.of<DpSgdFOptions>().max_threshold = kNoThreshold;  // as published
  read_training_options(
      section,
      {"method", "stage_one_epsilon", "split", "reason", "epsilon_reason", "published", "target"},
      config);
  config.learning_rate = config.final_learning_rate = required_number(section, "learning_rate");
  if (const std::optional<double> epsilon = section.number("stage_one_epsilon"))
    line.stage_one = {*epsilon, parse_split_rule(section.text("split").value_or("error"))};
  return line;
}

/// Without a section of methods, all methods of the table belong to the figure, without the table's
/// published figures.
void read_methods_of_figure(const TomlSection& root, ReproductionTraining& training,
                            ItemHeader& item) {
  for (ReproductionMethod& method : item.methods) {
    method.published.clear();
    method.target.clear();
    method.reason.clear();
    method.reference.clear();  // nothing that a figure shows is compared with it
  }
  if (!root.has("methods")) return;
  const TomlSection methods = root.section("methods", kMethodsExample);
  std::vector<ReproductionMethod> chosen;
  std::vector<TrainingLine> lines;
  for_each_section(
      methods, kMethodsExample, [&](const TomlSection& section, const std::string& name) {
        section.check_keys({"reason", "published"});
        const auto found =
            std::find_if(item.methods.begin(), item.methods.end(),
                         [&](const ReproductionMethod& method) { return method.name == name; });
        if (found == item.methods.end()) methods.fail(name, "the table has no such method");
        read_printed(section, chosen.emplace_back(*found));
        lines.push_back(training.lines[static_cast<size_t>(found - item.methods.begin())]);
      });
  item.methods = std::move(chosen);
  training.lines = std::move(lines);
}

}  // namespace

ReproductionTraining read_training_settings(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "model", "groups", "seeds", "epochs", "batch_size",
                   "delta", "reference", "methods", "claims"});
  ReproductionTraining training;
  training.runs = item.name();
  item.data = required_text(root, "data");
  training.model = required_text(root, "model");
  item.groups = root.texts("groups").value_or(std::vector<std::string>());
  if (item.groups.size() != 2) root.fail("groups", "groups must be the two that are compared");
  training.reference = root.text("reference").value_or("");
  item.seeds = required_count(root, "seeds");
  training.epochs = required_count(root, "epochs");
  training.batch_size = required_number(root, "batch_size");
  training.series.names = {"loss"};
  training.series.last_epoch_only = true;
  const double delta = required_number(root, "delta");
  const auto read = [&](const TomlSection& section, const std::string& name) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = section.text("method").value_or(name);
    training.lines.push_back(read_line(section, delta));
    read_printed(section, method);
    method.epsilon_reason = section.text("epsilon_reason").value_or("");
  };
  for_each_section(root, "methods", kMethodsExample, read);
  compare_with(training.reference, item.methods);
  return training;
}

ReproductionTraining read_training_figure(const TomlSection& root, ReproductionTraining table,
                                          ItemHeader& item) {
  root.check_keys({"schema", "summary", "runs", "series", "every", "directions", "seeds", "methods",
                   "shares", "claims"});
  if (!table.is_table) root.fail("runs", "runs must name a table");
  ReproductionTraining training = std::move(table);
  training.is_table = false;
  item.seeds = root.integer("seeds").value_or(item.seeds);
  training.series = {};
  training.series.names = root.texts("series").value_or(std::vector<std::string>());
  if (root.has("directions"))
    training.series.num_directions = static_cast<size_t>(required_count(root, "directions"));
  if (position_of(training.series) == "step") training.series.every = required_count(root, "every");
  read_methods_of_figure(root, training, item);
  for_each_table(root, "shares", [&](const TomlSection& section) {
    section.check_keys({"metric", "greater", "smaller"});
    training.shares.push_back({required_text(section, "metric"), required_text(section, "greater"),
                               required_text(section, "smaller")});
  });
  return training;
}

ReproductionTraining read_other_model(const TomlSection& root, ReproductionTraining table,
                                      const ItemHeader& item) {
  root.check_keys({"schema", "summary", "like", "model"});
  if (!table.is_table) root.fail("like", "like must name a table");
  table.runs = item.name();
  table.model = required_text(root, "model");
  return table;
}

}  // namespace equinoise
