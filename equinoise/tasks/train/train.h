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
/// Guarantee: every record of the table, also a held-out one, is protected as the plan says in
/// everything publishable (model.json, model_card.*). report.* and the returned metrics are not
/// private; what private_evaluation releases is part of the plan and of the model card. Nothing is
/// spent before everything that can be checked has been: data, configuration, output folder, disk.
/// After that the cost stays spent, whatever happens; with a checkpoint the run can go on without
/// being paid for again. Errors: as plan_training; kRuntime when the progress says that the run was
/// interrupted.
TrainingReport train(const TrainRequest& request, TrainProgress& progress);

struct TrainingSetup;

/// The same of a request that is set up (set_up_training), on a table in memory.
TrainingReport train(const TrainRequest& request, TrainingSetup setup, const Dataset& table,
                     TrainProgress& progress);

}  // namespace equinoise
