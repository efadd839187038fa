// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The answer of `equinoise plan`: publishable facts only.
nlohmann::ordered_json plan_to_json(const TrainingReport& report);

/// The answer of `equinoise train` and report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json training_to_json(const TrainingReport& report);

/// The reverse: what `equinoise report` makes the page from again; what only a card tells stays
/// empty. Errors: kInput, naming file and member.
TrainingReport training_report_from_json(std::string_view text, std::string_view origin);

/// model.json: parameters, what they mean and the schema that encodes records for them.
/// Publishable.
nlohmann::ordered_json model_to_json(const TrainingReport& report);

/// model_card.json. Publishable.
nlohmann::ordered_json card_to_json(const TrainingReport& report);

}  // namespace equinoise
