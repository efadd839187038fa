// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What a run will cost: items, guarantee, per-group noise, the ledger before and after. For
/// terminals.
std::string plan_to_text(const TrainingReport& report);

/// The result of a run for terminals: guarantee, per-group table, what is not private, files. NOT
/// PUBLISHABLE.
std::string training_to_text(const TrainingReport& report);

}  // namespace equinoise
