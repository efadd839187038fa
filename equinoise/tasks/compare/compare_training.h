// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/comparison.h"
#include "equinoise/tasks/compare/training_outcome.h"
#include "equinoise/tasks/train/train.h"

namespace equinoise {

struct CompareTrainingRequest : CompareRequest {
  /// Shared by all runs: schema, data, groups, constraints, model, and in its configuration the
  /// options that were given. Method, epsilon, seeds, threads and ledger are not used.
  TrainRequest training;
  CompareMetric metric = CompareMetric::kError;
};

inline RequestOptions options_of(CompareTrainingRequest& request) {
  RequestOptions options = without(
      without_run(options_of(request.training)),
      {"method", "epsilon", "noise_multiplier", "overlapping", "objective", "private_evaluation",
       "no_private_evaluation", "evaluation_noise", "split_seed", "ledger", "ledger_key"});
  for (RequestOption& option : options)
    if (has_option<TrainingConfig>(training_options(), option.facts.name))
      option.facts.is_hidden = true;
  facts_in(options, "public_data").help = kPublicDataHelp;
  facts_in(options, "data").help = "Table of records, as for equinoise train, best a public one";
  facts_in(options, "model").help =
      "Kind of model of all methods (see equinoise methods); auto lets each method choose by the "
      "target";
  return joined({options,
                 {{{.name = "metric",
                    .is_common = true,
                    .help = "Error of models: error (wrong classes, relative squared error), loss, "
                            "or auc (1 - AUC)",
                    .choices = words_of(kCompareMetrics)},
                   word_field<kCompareMetrics>(request.metric)}},
                 comparison_options(request, "Training methods")});
}

/// Trains every method and compares errors on held-out records: see compare(). A run is train()
/// under a test seed, which determines both split and noise.
CompareReport compare_training(const CompareTrainingRequest& request, TrainProgress& progress);

}  // namespace equinoise
