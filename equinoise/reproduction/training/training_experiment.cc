// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/training_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "equinoise/reproduction/data/models.h"
#include "equinoise/reproduction/training/built_method.h"
#include "equinoise/reproduction/training/training_figures.h"
#include "equinoise/reproduction/training/training_reader.h"
#include "equinoise/reproduction/training/training_runs.h"

namespace equinoise {

namespace {

/// The name of the reference if it has a guarantee, else "".
std::string private_reference(const ReproductionTraining& training, const ItemHeader& item) {
  for (const ReproductionMethod& method : item.methods) {
    if (method.name != training.reference) continue;
    const TrainingMethodRow* row = find_built_method(method.method);
    return row != nullptr && row->status == PrivacyStatus::kPrivate ? method.name : "";
  }
  return "";
}

}  // namespace

std::string TrainingExperiment::position() const {
  return std::string(position_of(training_.series));
}

std::vector<std::string> TrainingExperiment::columns(const ItemHeader& item) const {
  return series_columns(training_.series, item.groups);
}

bool TrainingExperiment::is_built(const ReproductionMethod& method) const {
  return find_built_method(method.method) != nullptr;
}

std::string TrainingExperiment::obstacle() const {
  return is_reproduction_model(training_.model)
             ? ""
             : fmt::format("the model \"{}\" is not built", training_.model);
}

const ReproductionFiles* TrainingExperiment::files(const ItemHeader& item) const {
  return &find_reproduction_data(item.data).files;
}

std::vector<Figures> TrainingExperiment::figures(const ItemHeader& item, size_t,
                                                 const Outcomes& runs,
                                                 const Outcomes* reference) const {
  return training_.is_table
             ? figures_of_table(item.groups, runs, reference, private_reference(training_, item))
             : figures_of_series(training_, item.groups, runs);
}

std::vector<std::string> TrainingExperiment::notes(const ItemHeader&, int64_t num_seeds) const {
  std::vector<std::string> notes = {fmt::format(
      "NOT PRIVATE: {} seeds of an insecure random source, with preprocessing and figures computed "
      "from the records; Poisson batches of {:g} on average, {} epochs, the last iterate",
      num_seeds, training_.batch_size, training_.epochs)};
  const SeriesChoice& series = training_.series;
  if (training_.is_table) {
    notes.push_back(
        "accuracy is measured on the test records; loss on the training batches of the last epoch, "
        "each before its update, as in the published code" +
        (training_.reference.empty()
             ? std::string()
             : fmt::format("; privacy cost and excessive risk compare with {} under the same seed; "
                           "gaps are absolute values of mean differences",
                           training_.reference)));
  } else if (series.every > 0) {
    notes.push_back(fmt::format(
        "every {} steps: the effect of the next step's batch on the groups; gradients and Hessians "
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

std::vector<std::string> TrainingExperiment::closing_notes(const ItemHeader& item) const {
  std::vector<std::string> notes;
  const std::string_view preparation = find_reproduction_data(item.data).files.preparation;
  if (!preparation.empty()) notes.push_back(fmt::format("{}: {}", item.data, preparation));
  notes.emplace_back(
      "the published code samples and shuffles with Python's random numbers, which are not "
      "repeated here: our seeds choose other records");
  return notes;
}

std::string TrainingExperiment::tested() const {
  return training_.series.every > 0 ? "means of absolute risks" : "absolute gaps";
}

nlohmann::ordered_json TrainingExperiment::identity(const ItemHeader& item) const {
  nlohmann::ordered_json identity = Experiment::identity(item);
  identity["item"] = training_.runs;
  identity["epochs"] = training_.epochs;
  return identity;
}

std::vector<std::string> TrainingExperiment::series() const {
  std::vector<std::string> all = {describe(training_.series)};
  for (const SeriesChoice& series : training_.also) all.push_back(describe(series));
  return all;
}

std::shared_ptr<const Experiment> TrainingExperiment::with_efforts(Efforts& asked) const {
  auto other = std::make_shared<TrainingExperiment>(*this);
  ReproductionTraining& training = other->training_;
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

std::shared_ptr<const Experiment> TrainingExperiment::shortened(const ShortForm& form) const {
  ReproductionTraining training = training_;
  training.epochs = std::min(training.epochs, form.num_epochs);
  // With so few steps, each is measured.
  if (training.series.every > 0) training.series.every = 1;
  training.series.num_directions = std::min(training.series.num_directions, form.num_directions);
  return std::make_shared<TrainingExperiment>(std::move(training));
}

std::shared_ptr<const Experiment> TrainingExperiment::following(const Experiment& other) const {
  const auto* figure = dynamic_cast<const TrainingExperiment*>(&other);
  if (figure == nullptr || figure->training_.runs != training_.runs) return nullptr;
  auto both = std::make_shared<TrainingExperiment>(*this);
  both->training_.also.push_back(figure->training_.series);
  return both;
}

std::shared_ptr<const Experiment> TrainingExperiment::read_figure(const TomlSection& root,
                                                                  ItemHeader& item) const {
  return std::make_shared<TrainingExperiment>(read_training_figure(root, training_, item));
}

std::shared_ptr<const Experiment> TrainingExperiment::read_variant(const TomlSection& root,
                                                                   ItemHeader& item) const {
  return std::make_shared<TrainingExperiment>(read_other_model(root, training_, item));
}

std::unique_ptr<ExperimentRuns> TrainingExperiment::open(const ItemHeader& item,
                                                         const std::filesystem::path& folder,
                                                         TaskProgress& progress) const {
  return open_training_runs(item, training_, folder, progress);
}

std::shared_ptr<const Experiment> read_training(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<TrainingExperiment>(read_training_settings(root, item));
}

}  // namespace equinoise
