// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "equinoise/report/audit_report.h"
#include "equinoise/report/training_report.h"

namespace equinoise {

/// Pretty JSON with a final line end. Bytes that are not UTF-8 (in a path) are replaced, never
/// thrown.
std::string to_text(const nlohmann::ordered_json& json);

nlohmann::ordered_json option_to_json(const OptionValue& value);

/// {"hidden", "activation"}, with convolutions also {"channels", "kernel_size", "pooling"}
nlohmann::ordered_json to_json(const NetworkOptions& network);

/// {"epsilon", "delta", "accountant", "relation"}
nlohmann::ordered_json to_json(const Guarantee& guarantee);

/// {"path", "dataset", "budget", "spent_before", "spent", "remaining"}
nlohmann::ordered_json to_json(const LedgerStatement& ledger);

/// {"sex": "Female", "race": "White"}
nlohmann::ordered_json to_json(const GroupLabel& group);

/// The answer of `equinoise plan`: publishable facts only.
nlohmann::ordered_json plan_to_json(const TrainingReport& report);

/// That of `equinoise plan --per-group` where epsilon is sought: nothing else is planned.
nlohmann::ordered_json outlook_to_json(const TrainingReport& report);

/// The answer of `equinoise train` and report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json training_to_json(const TrainingReport& report);

/// model.json: parameters, what they mean and the schema that encodes records for them.
/// Publishable.
nlohmann::ordered_json model_to_json(const TrainingReport& report);

/// model_card.json. Publishable.
nlohmann::ordered_json card_to_json(const TrainingReport& report);

/// The answer of `equinoise audit` and its report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json audit_to_json(const AuditReport& report);

/// The answer of `equinoise ledger show`.
nlohmann::ordered_json to_json(const LedgerAccount& account);

}  // namespace equinoise
