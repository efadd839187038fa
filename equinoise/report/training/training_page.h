// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/page/document.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What a run tells its owner: the page, the screen and, of what is publishable, the card.
Document training_document(const TrainingReport& report);

/// What a plan tells. Publishable.
Document plan_document(const TrainingReport& report);

/// model_card.md. Publishable.
std::string training_card(const TrainingReport& report);

/// What the model is for, a sentence without its subject.
std::string intended_use(const TrainingReport& report);

/// What the card does not say and the guarantee does not cover, in sentences.
std::vector<std::string> limitations_of(const TrainingReport& report);

}  // namespace equinoise
