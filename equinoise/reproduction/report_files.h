// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "equinoise/reproduction/report.h"

namespace equinoise {

/// The answer of `equinoise reproduce`. NOT PRIVATE, as everything here.
nlohmann::ordered_json reproduction_to_json(const ReproductionReport& report);

/// Text for terminals: figures, tests, reasons, the rule of the verdicts.
std::string reproduction_to_text(const ReproductionReport& report);

/// A page with a drawing for each metric, and the same tables.
std::string reproduction_to_html(const ReproductionReport& report);

/// One line for each epoch of each run: method, seed, epoch, a loss for each group, gradient norm.
std::string reproduction_curves_to_csv(const ReproductionReport& report);

}  // namespace equinoise
