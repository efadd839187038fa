// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// The methods that a plan names and does not rank: lines, each with its end; "" for none.
std::string other_methods_text(const TrainingReport& report);

}  // namespace equinoise
