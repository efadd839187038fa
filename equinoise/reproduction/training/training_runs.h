// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/training/series.h"
#include "equinoise/reproduction/training/stage_one_weights.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// The training of a method.
struct TrainingLine {
  TrainingConfig config;
  std::optional<StageOneChoice> stage_one = {};  ///< that chooses the weights of its groups
};

/// The share of a run's positions at which one series is above another one, or above a number.
struct SeriesShare {
  std::string metric;   ///< its name in the report
  std::string greater;  ///< the name of a column, or a number
  std::string smaller;  ///< the same
};

/// Training by epochs. A table compares accuracies, losses of the last epoch and guarantees; a
/// figure the series that it shows, for runs of a table's methods.
struct ReproductionTraining {
  std::string runs;       ///< the table that defines these runs
  std::string model;      ///< data/models.h
  std::string reference;  ///< of a table: the method that others are compared with, or ""
  int64_t epochs = 0;
  double batch_size = 0;
  std::vector<TrainingLine> lines;  ///< (methods)
  bool is_table = true;
  SeriesChoice series;
  std::vector<SeriesChoice> also;   ///< other series that runs follow, for items of the same runs
  std::vector<SeriesShare> shares;  ///< of a figure
};

/// Training with torch's initial parameters, to the last iterate. Pre: the arguments outlive it.
/// Errors: kInput (files, an item with other groups than its data).
std::unique_ptr<ExperimentRuns> open_training_runs(const ItemHeader& item,
                                                   const ReproductionTraining& training,
                                                   const std::filesystem::path& folder,
                                                   TaskProgress& progress);

}  // namespace equinoise
