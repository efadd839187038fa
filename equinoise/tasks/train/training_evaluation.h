// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_parts.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/method.h"

namespace equinoise {

/// Fills the metrics of the report from the held-out records.
void evaluate(const EncodedParts& parts, const TrainingSetup& setup, const TrainedModel& trained,
              const std::optional<TrainedModel>& reference, int threads, TrainingReport& report);

/// Releases constraint values on held-out records and accuracy by group, with the noise that
/// `charge` pays for.
void evaluate_privately(Charge charge, const EncodedParts& parts, const TrainingSetup& setup,
                        const TrainedModel& trained, RandomSource& source, int threads,
                        TrainingReport& report);

/// Whether the loss is far above that of a model of zeros, for predictions as given, inside the
/// target's bounds or outside.
bool has_diverged(const TrainedModel& trained, const EncodedParts& parts, const Model& of_run);

/// Adds a warning if the reference is worse than the model: the difference between them is then
/// uninformative about the cost of privacy.
void tell_bad_reference(TrainingReport& report);

/// The excess of the largest mean loss of any group of training records over the smallest possible
/// one, if minimax trained the model or the reference and certified that.
void tell_largest_loss(const EncodedParts& parts, const TrainingSetup& setup,
                       const TrainedModel& trained, const std::optional<TrainedModel>& reference,
                       TrainingReport& report);

/// The final cost of the run for each group of the first grouping, if the cost depends on outputs.
/// The model has been paid for, so figures that cannot be computed are left out.
void tell_realised(const TrainingSetup& setup, const std::vector<RealisedCost>& realised,
                   TrainingReport& report);

/// The number of held-out records whose loss exceeds the bound of a worst-group method.
void tell_clamped_losses(const EncodedParts& parts, const TrainingSetup& setup,
                         const TrainedModel& trained, int threads, TrainingReport& report);

/// Warns of a model that predicts nothing. The warning follows from released parameters, so it is
/// publishable.
void tell_diverged(const EncodedParts& parts, const TrainingSetup& setup,
                   const TrainedModel& trained, TrainingReport& report);

}  // namespace equinoise
