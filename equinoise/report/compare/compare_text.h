// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// "max_grad_norm=0.5 optimizer=adam"; "" for none.
std::string options_in_words(const std::vector<Setting>& options);

/// What is recommended at each epsilon, or why nothing is, a sentence each.
std::vector<std::string> recommendation_lines(const CompareReport& report);

/// For terminals. NOT PRIVATE.
std::string compare_to_text(const CompareReport& report);

}  // namespace equinoise
