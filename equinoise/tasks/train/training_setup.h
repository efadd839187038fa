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

/// What is settled about a training run before data is read.
struct TrainingSetup {
  Schema schema;
  const TrainingMethodRow* row = nullptr;
  std::shared_ptr<const TrainingMethod> method;
  std::shared_ptr<const Model> model;
  std::vector<Grouping> groupings;  ///< lists of groups only
  /// The groups that the method sees, where they are not groupings[0] (SettledPlan::pooled).
  std::optional<Grouping> pooled;
  /// The groups that the model has parts for: those of groupings[0], or the contexts of
  /// constraints.
  std::optional<Grouping> model_groups;
  bool overlapping = false;  ///< the first of them is the intersections of the others
  SplitSizes sizes;          ///< of records, or of units where these are not records
  TrainingPlan plan;         ///< of the training alone
  /// What the model is judged by, which a method that obeys constraints is trained under as well;
  /// nullptr: none.
  std::shared_ptr<const RateProgram> judged_by;
  /// What the private evaluation counts, if there is one: for the constraints, if there are any,
  /// then, where figures of groups were asked for, for each grouping or everybody.
  std::vector<std::shared_ptr<const RateProgram>> histograms;
  bool evaluates_groups = false;
  std::optional<double> evaluation_noise;  ///< stddev; empty: no private evaluation
  std::string why_not_evaluated;           ///< under constraints without such an evaluation
  std::optional<Guarantee> privacy;        ///< of the whole run; empty: not private
  std::optional<Guarantee> by_rdp;
  std::string constraints;         ///< that are kept, as constraint_reader reads JSON; "": none
  std::vector<std::string> notes;  ///< on the constraints; publishable
  /// What its noise may do to the model; publishable.
  std::vector<std::string> noise_warnings;
  bool private_run = false;  ///< has a cost that the ledger must carry

  /// What the whole run is charged for; `split_name` is that of train_and_evaluate().
  std::vector<Event> events(const std::string& split_name = kPlannedSplit) const;

  /// Of it what the members of group `k` of the first grouping are charged for.
  std::vector<Event> events_of(size_t k) const;
};

/// The request's configuration with its batch size and number of steps, or the default ones.
TrainingConfig config_for(const TrainRequest& request, int64_t num_train_records);

/// Errors: as plan_training.
TrainingSetup set_up_training(const TrainRequest& request);

/// What the run pays for; its parts have no name of their own yet, see events().
Purchase purchase_of(const TrainingSetup& setup, const TrainRequest& request);

/// Throws what reserving the whole run would throw now; where it would fit without its private
/// evaluation the message says so.
void require_affordable(const Ledger& ledger, const TrainingSetup& setup,
                        const TrainRequest& request);

/// Adds the ledger's side to the report, what the private evaluation adds to the account, and a
/// warning where its delta is not that of the plan.
/// `paid`: the run has been paid for already.
void add_ledger_statement(const Ledger& ledger, const TrainingSetup& setup,
                          const TrainRequest& request, bool paid, TrainingReport& report);

}  // namespace equinoise
