// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/reproduction/kinds.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/training/training_figures.h"
#include "equinoise/reproduction/training/training_runs.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"

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
        const auto found = std::ranges::find(item.methods, name, &ReproductionMethod::name);
        if (found == item.methods.end()) methods.fail(name, "the table has no such method");
        read_printed(section, chosen.emplace_back(*found));
        lines.push_back(training.lines[static_cast<size_t>(found - item.methods.begin())]);
      });
  item.methods = std::move(chosen);
  training.lines = std::move(lines);
}

ReproductionTraining read_training_figure(const TomlSection& root, ReproductionTraining table,
                                          ItemHeader& item) {
  root.check_keys({"schema", "summary", "runs", "series", "every", "directions", "seeds", "methods",
                   "shares", "claims"});
  if (!table.is_table) root.fail("runs", "runs must name a table");
  ReproductionTraining training = std::move(table);
  training.is_table = false;
  training.series = {};
  training.series.names = texts_of(root, "series");
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
  root.check_keys({"schema", "summary", "like", "model", "seeds"});
  if (!table.is_table) root.fail("like", "like must name a table");
  table.runs = item.name();
  table.model = required_text(root, "model");
  return table;
}

/// The name of the reference if it has a guarantee, else "".
std::string private_reference(const ReproductionTraining& training, const ItemHeader& item) {
  for (const ReproductionMethod& method : item.methods) {
    if (method.name == training.reference &&
        find_training_method(method.method).status == PrivacyStatus::kPrivate)
      return method.name;
  }
  return "";
}

class TrainingExperiment final : public ExperimentOf<ReproductionTraining> {
 public:
  using ExperimentOf::ExperimentOf;

  std::string position() const override { return std::string(position_of(settings_.series)); }
  std::vector<std::string> columns(const ItemHeader& item) const override {
    return series_columns(settings_.series, item.groups);
  }
  bool has_curves() const override { return !settings_.is_table; }
  const ReproductionFiles* files(const ItemHeader& item) const override {
    return &find_reproduction_data(item.data).files;
  }

  std::vector<Figures> figures(const ItemHeader& item, size_t, const Outcomes& runs,
                               const Outcomes* reference) const override {
    return settings_.is_table
               ? figures_of_table(item.groups, runs, reference, private_reference(settings_, item))
               : figures_of_series(settings_, item.groups, runs);
  }
  std::vector<std::string> notes(const ItemHeader&, int64_t num_seeds) const override {
    std::vector<std::string> notes = {fmt::format(
        "NOT PRIVATE: {} seeds of an insecure random source, with preprocessing and figures "
        "computed "
        "from the records; Poisson batches of {:g} on average, {} epochs, the last iterate",
        num_seeds, settings_.batch_size, settings_.epochs)};
    const SeriesChoice& series = settings_.series;
    if (settings_.is_table) {
      notes.push_back(
          "accuracy is measured on the test records; loss on the training batches of the last "
          "epoch, "
          "each before its update, as in the published code" +
          (settings_.reference.empty()
               ? std::string()
               : fmt::format(
                     "; privacy cost and excessive risk compare with {} under the same seed; "
                     "gaps are absolute values of mean differences",
                     settings_.reference)));
    } else if (series.every > 0) {
      notes.push_back(fmt::format(
          "every {} steps: the effect of the next step's batch on the groups; gradients and "
          "Hessians "
          "of groups are those of all their training records{}; figures are means over these steps",
          series.every,
          series.num_directions > 0
              ? fmt::format(", with traces from {} random directions", series.num_directions)
              : ""));
    } else {
      notes.emplace_back(
          "curves are means over the batches of each epoch, before each update; a batch without a "
          "record of the group counts as 0; figures are means over epochs, and gaps are means of "
          "absolute differences");
    }
    return notes;
  }
  std::vector<std::string> closing_notes(const ItemHeader& item) const override {
    std::vector<std::string> notes;
    const std::string_view preparation = find_reproduction_data(item.data).files.preparation;
    if (!preparation.empty()) notes.push_back(fmt::format("{}: {}", item.data, preparation));
    notes.emplace_back(
        "the published code samples and shuffles with Python's random numbers, which are not "
        "repeated here: our seeds choose other records");
    return notes;
  }
  std::string tested() const override {
    return settings_.series.every > 0 ? "means of absolute risks" : "absolute gaps";
  }
  int64_t revision() const override { return 1; }
  nlohmann::ordered_json identity(const ItemHeader& item) const override {
    nlohmann::ordered_json identity = Experiment::identity(item);
    identity["item"] = settings_.runs;
    identity["epochs"] = settings_.epochs;
    return identity;
  }
  std::vector<std::string> series() const override {
    std::vector<std::string> all = {describe(settings_.series)};
    for (const SeriesChoice& series : settings_.also) all.push_back(describe(series));
    return all;
  }
  bool is_shortened() const override { return is_shortened_; }
  std::shared_ptr<const Experiment> with_efforts(Efforts& asked) const override {
    auto other = std::make_shared<TrainingExperiment>(*this);
    ReproductionTraining& training = other->settings_;
    if (asked.epochs) {
      const int64_t epochs = *std::exchange(asked.epochs, std::nullopt);
      if (training.epochs != epochs) other->is_shortened_ = true;
      training.epochs = epochs;
    }
    // An effort applies to the series that depend on it.
    const auto take = [&](std::optional<int64_t>& effort, auto SeriesChoice::*own) {
      if (!effort) return;
      bool is_taken = false;
      const auto change = [&](SeriesChoice& series) {
        if (series.*own == 0) return;
        const auto value = static_cast<std::decay_t<decltype(series.*own)>>(*effort);
        if (series.*own != value) other->is_shortened_ = true;
        series.*own = value;
        is_taken = true;
      };
      change(training.series);
      for (SeriesChoice& series : training.also) change(series);
      if (is_taken) effort.reset();
    };
    take(asked.every, &SeriesChoice::every);
    take(asked.directions, &SeriesChoice::num_directions);
    return other;
  }
  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionTraining training = settings_;
    training.epochs = std::min(training.epochs, form.num_epochs);
    // Each of so few steps is measured.
    if (training.series.every > 0) training.series.every = 1;
    training.series.num_directions = std::min(training.series.num_directions, form.num_directions);
    return std::make_shared<TrainingExperiment>(std::move(training));
  }
  std::shared_ptr<const Experiment> following(const Experiment& other) const override {
    const auto* figure = dynamic_cast<const TrainingExperiment*>(&other);
    if (figure == nullptr || figure->settings_.runs != settings_.runs) return nullptr;
    auto both = std::make_shared<TrainingExperiment>(*this);
    both->settings_.also.push_back(figure->settings_.series);
    return both;
  }

  std::shared_ptr<const Experiment> read_figure(const TomlSection& root,
                                                ItemHeader& item) const override {
    return std::make_shared<TrainingExperiment>(read_training_figure(root, settings_, item));
  }

  std::shared_ptr<const Experiment> read_variant(const TomlSection& root,
                                                 ItemHeader& item) const override {
    return std::make_shared<TrainingExperiment>(read_other_model(root, settings_, item));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress& progress) const override {
    return open_training_runs(item, settings_, folder, progress);
  }

 private:
  bool is_shortened_ = false;
};

}  // namespace

std::shared_ptr<const Experiment> read_training(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "model", "groups", "seeds", "epochs", "batch_size",
                   "delta", "reference", "methods", "claims"});
  ReproductionTraining training;
  training.runs = item.name();
  item.data = required_text(root, "data");
  training.model = required_text(root, "model");
  item.groups = texts_of(root, "groups");
  if (item.groups.size() != 2) root.fail("groups", "groups must be the two that are compared");
  training.reference = root.text("reference").value_or("");
  training.epochs = required_count(root, "epochs");
  training.batch_size = required_number(root, "batch_size");
  training.series.names = {"loss"};
  training.series.last_epoch_only = true;
  const double delta = required_number(root, "delta");
  const auto read = [&](const TomlSection& section, const std::string& name) {
    training.lines.push_back(read_line(section, delta));
    add_method(section, name, section.text("method").value_or(name), item).epsilon_reason =
        section.text("epsilon_reason").value_or("");
  };
  for_each_section(root, "methods", kMethodsExample, read);
  compare_with(training.reference, item.methods);
  return std::make_shared<TrainingExperiment>(std::move(training));
}

}  // namespace equinoise
