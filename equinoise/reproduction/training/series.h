// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/models/model.h"
#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/report.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// The series that an item follows over its runs, all of one kind: means over the batches of each
/// epoch, or values of a step every `every` steps.
struct SeriesChoice {
  std::vector<std::string> names;
  int64_t every = 0;          ///< steps between two values; 0 for means over epochs
  size_t num_directions = 0;  ///< of estimates of traces
  bool last_epoch_only = false;
};

/// "epoch" or "step". Errors: kUsage for no names, an unknown one, or names of both kinds.
std::string_view position_of(const SeriesChoice& choice);

/// The choice in words: runs with the same words have the same points.
std::string describe(const SeriesChoice& choice);

/// One name for each series and group, or for each series of the gap between both groups.
std::vector<std::string> series_columns(const SeriesChoice& choice,
                                        const std::vector<std::string>& groups);

/// A run, for its recorders.
struct FollowedRun {
  const EncodedTable& train;
  size_t num_groups = 0;            ///< of the table
  std::span<const GroupId> groups;  ///< the two that are compared
  const Model& model;
  const TrainingPlan& plan;
  int64_t epoch_steps = 1;
  std::function<void()> check_interruption = {};  ///< as of RiskEffort
};

/// Follows a run. NOT PRIVATE.
class RunRecorder : public StepObserver {
 public:
  /// The points, with one value for each of series_columns().
  virtual std::vector<ReproductionPoint> points() const = 0;
};

/// Errors: as position_of(). Pre: everything that `run` refers to outlives the recorder.
///
/// "loss" and "gradient norm" are means over the batches of an epoch, before each update: of the
/// mean loss of a group's records in the batch, and of the length of their mean gradient; a batch
/// without a record of the group adds 0. The others are those of ExcessiveRisk for the step's
/// batch; Hessians and gradients of groups are over all their training records.
std::unique_ptr<RunRecorder> make_run_recorder(const SeriesChoice& choice, const FollowedRun& run);

}  // namespace equinoise
