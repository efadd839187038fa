// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/data/dataset.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/train_request.h"

namespace equinoise {

/// The cost of a run, from the schema alone: nothing is read, nothing is spent.
/// Errors: kInput (schema), kUsage (configuration), kLedger (a ledger that exists and is broken).
TrainingReport plan_training(const TrainRequest& request);

/// Reads, splits, plans, reserves the whole cost in the ledger, trains, evaluates on the held-out
/// records, writes.
///
/// Guarantee: everything publishable (model.json, model_card.*) protects every record of the table,
/// including held-out ones, as the plan states. report.* and the returned metrics are not private;
/// releases of private_evaluation are part of the plan and of the model card. Nothing is spent
/// before all possible checks: data, configuration, output folder, disk. After that the cost stays
/// spent, whatever happens; with a checkpoint the run can be resumed without paying again. Errors:
/// as plan_training; kRuntime if the progress reports an interruption.
TrainingReport train(const TrainRequest& request, TrainProgress& progress);

struct TrainingSetup;

/// The same for a request after set_up_training, on a table in memory.
TrainingReport train(const TrainRequest& request, TrainingSetup setup, const Dataset& table,
                     TrainProgress& progress);

}  // namespace equinoise
