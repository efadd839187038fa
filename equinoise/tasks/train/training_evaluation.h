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

/// Releases how the held-out records keep the constraints and how often the model is right about
/// groups, with the noise that `charge` pays for.
void evaluate_privately(Charge charge, const EncodedParts& parts, const TrainingSetup& setup,
                        const TrainedModel& trained, RandomSource& source, int threads,
                        TrainingReport& report);

/// Whether the loss has run away from where a model of zeros would be, by what the model gives,
/// within the target's bounds or beyond.
bool has_diverged(const TrainedModel& trained, const EncodedParts& parts, const Model& model);

/// What a model costs beside a reference that is worse says nothing of privacy.
void tell_bad_reference(TrainingReport& report);

/// How far the largest mean loss of any group of training records is above the least possible,
/// where minimax trained the model or the reference and certified that.
void tell_largest_loss(const EncodedParts& parts, const TrainingSetup& setup,
                       const TrainedModel& trained, const std::optional<TrainedModel>& reference,
                       TrainingReport& report);

/// What the run cost each group of the first grouping in the end, where that follows its outputs.
/// The model has been paid for: what cannot be computed is left out.
void tell_realised(const TrainingSetup& setup, const std::vector<RealisedCost>& realised,
                   TrainingReport& report);

/// The bounded rule of worst-group methods at work: how many held-out records have a loss beyond
/// their bound.
void tell_clamped_losses(const EncodedParts& parts, const TrainingSetup& setup,
                         const TrainedModel& trained, int threads, TrainingReport& report);

/// A model that predicts nothing must not look like one. This follows from its parameters, which
/// are released: it is publishable as they are.
void tell_diverged(const EncodedParts& parts, const TrainingSetup& setup,
                   const TrainedModel& trained, TrainingReport& report);

}  // namespace equinoise
