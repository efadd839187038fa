// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What the model is for, in neutral words.
std::string intended_use(const TrainingReport& report);

/// What a reader of the model card must not take for granted.
std::vector<std::string> limitations_of(const TrainingReport& report);

/// model_card.md. Publishable facts only: nothing here depends on a record but through the released
/// model.
std::string card_to_markdown(const TrainingReport& report);

}  // namespace equinoise
