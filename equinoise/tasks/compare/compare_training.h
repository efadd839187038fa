// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/comparison.h"
#include "equinoise/tasks/compare/training_outcome.h"
#include "equinoise/tasks/train/train.h"

namespace equinoise {

struct CompareTrainingRequest : CompareRequest {
  /// What all runs share: schema, data, groups, constraints, model, and in its configuration the
  /// options that were given. Method, epsilon, seeds, threads and ledger are not used.
  TrainRequest training;
  CompareMetric metric = CompareMetric::kError;
};

/// Trains every method and compares errors on held-out records: see compare(). A run is what
/// train() does under a test seed, which decides both split and noise.
CompareReport compare_training(const CompareTrainingRequest& request, TrainProgress& progress);

}  // namespace equinoise
