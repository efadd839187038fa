// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The output of `equinoise plan`: publishable facts only.
nlohmann::ordered_json plan_to_json(const TrainingReport& report);

/// The output of `equinoise train` and report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json training_to_json(const TrainingReport& report);

/// The reverse, from which `equinoise report` rebuilds the page; fields that only a card has stay
/// empty. Errors: kInput, naming file and member.
TrainingReport training_report_from_json(std::string_view text, std::string_view origin);

/// model.json: parameters, their meaning and the schema that encodes records for them. Publishable.
nlohmann::ordered_json model_to_json(const TrainingReport& report);

/// model_card.json. Publishable.
nlohmann::ordered_json card_to_json(const TrainingReport& report);

}  // namespace equinoise
