// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/page/document.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The report of a run: page, screen and, for the publishable part, card.
Document training_document(const TrainingReport& report);

/// The report of a plan. Publishable.
Document plan_document(const TrainingReport& report);

/// model_card.md. Publishable.
std::string training_card(const TrainingReport& report);

/// The purpose of the model, a sentence without its subject.
std::string intended_use(const TrainingReport& report);

/// The limits of card and guarantee, in sentences.
std::vector<std::string> limitations_of(const TrainingReport& report);

}  // namespace equinoise
