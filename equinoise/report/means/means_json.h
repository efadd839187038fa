// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "equinoise/report/means/means_report.h"

namespace equinoise {

/// Says that nothing protects them.
nlohmann::ordered_json to_json(const HeldOutRecords& held_out);

/// What records count for; null: 1 each.
nlohmann::ordered_json record_weights_to_json(const std::optional<RecordWeights>& weights);

/// The answer of `equinoise means --dry-run`. Publishable.
nlohmann::ordered_json means_plan_to_json(const MeansReport& report);

/// The answer of `equinoise means`. Publishable, except for "not_private", which is present if the
/// report has an explanation.
nlohmann::ordered_json means_to_json(const MeansReport& report);

}  // namespace equinoise
