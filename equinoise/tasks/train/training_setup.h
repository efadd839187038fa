// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/audit/private_constraint_check.h"
#include "equinoise/data/split.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/model.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/tasks/input/paid_run.h"
#include "equinoise/tasks/train/train.h"
#include "equinoise/train/registry.h"

namespace equinoise {

/// The settled facts of a training run before data is read.
struct TrainingSetup {
  Schema schema;
  const TrainingMethodRow* row = nullptr;
  std::shared_ptr<const TrainingMethod> method;
  std::shared_ptr<const Model> model;
  std::vector<Grouping> groupings;  ///< lists of groups only
  /// The groups of the method, if they are not groupings[0] (SettledPlan::pooled).
  std::optional<Grouping> pooled;
  /// The groups for which the model has parts: those of groupings[0], or the contexts of
  /// constraints.
  std::optional<Grouping> model_groups;
  bool overlapping = false;  ///< the first of them is the intersections of the others
  SplitSizes sizes;          ///< in records, or in units if these are not records
  TrainingPlan plan;         ///< of the training only
  /// The constraints against which the model is evaluated, and under which a method that uses
  /// constraints is trained; nullptr: none.
  std::shared_ptr<const RateProgram> judged_by;
  /// The counts of the private evaluation, if any: for the constraints, if any; then, if figures of
  /// groups were requested, for each grouping or overall.
  std::vector<std::shared_ptr<const RateProgram>> histograms;
  bool evaluates_groups = false;
  std::optional<double> evaluation_noise;  ///< stddev; empty: no private evaluation
  std::string why_not_evaluated;           ///< under constraints without a private evaluation
  std::optional<Guarantee> privacy;        ///< of the whole run; empty: not private
  std::optional<Guarantee> by_rdp;
  std::string constraints;  ///< the constraints to check, as constraint_reader reads JSON; "": none
  std::vector<std::string> notes;  ///< about the constraints; publishable
  std::string outlook;  ///< why their verdicts may be unclear; "": nothing is known of that
  /// Possible effects of noise on the model; publishable.
  std::vector<std::string> noise_warnings;
  bool private_run = false;  ///< has a cost to enter in the ledger

  /// The events charged for the whole run; `split_name` is that of train_and_evaluate().
  std::vector<Event> events(const std::string& split_name = kPlannedSplit) const;

  /// The part of them that members of group `k` of the first grouping pay for.
  std::vector<Event> events_of(size_t k) const;
};

/// The request's configuration with its batch size and number of steps, or the defaults.
TrainingConfig config_for(const TrainRequest& request, int64_t num_train_records);

/// Errors: as plan_training.
TrainingSetup set_up_training(const TrainRequest& request);

/// The purchase of the run, which refers to the request; its parts have no final names yet, see
/// events().
Purchase purchase_of(const TrainingSetup& setup, const TrainRequest& request);

/// Adds to the report the ledger's account and the cost of the private evaluation in it, and to
/// `warnings` one if its delta is not that of the plan. `paid`: the run has already been paid for.
/// Returns the error that reserving the whole run would throw now, if any, which says whether the
/// run would fit without its private evaluation.
std::optional<Error> add_ledger_statement(const Ledger& ledger, const TrainingSetup& setup,
                                          const TrainRequest& request, bool paid,
                                          std::vector<std::string>& warnings,
                                          TrainingReport& report);

}  // namespace equinoise
