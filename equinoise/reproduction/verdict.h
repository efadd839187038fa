// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "equinoise/reproduction/figures.h"
#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/report.h"

namespace equinoise {

/// The figures of every method that was run, by its name.
using AllFigures = std::map<std::string, std::vector<Figures>>;

/// The rows of a method that was run. `is_shortened`: its runs are not those of the item, so that
/// nothing is compared; nor is it with fewer seeds than the item asks, `num_asked`.
std::vector<ReproductionRow> rows_of(const ReproductionMethod& method,
                                     const std::vector<Figures>& figures, bool is_shortened,
                                     int64_t num_asked);

/// The rows of a method that could not be run, from figures without values. `only_published` leaves
/// out rows without a published number.
std::vector<ReproductionRow> skipped_rows(const ReproductionMethod& method,
                                          const std::vector<Figures>& figures,
                                          const std::string& reason, bool only_published);

/// The claims of the item, each metric tested by itself. `why_none` is the reason why nothing was
/// run, or "".
std::vector<ReproductionTest> tests_of(const ItemHeader& item, const AllFigures& all,
                                       bool is_shortened, const std::string& why_none);

/// The rules of verdicts and tests. `tested` names the values of each seed that tests compare,
/// `target` the source of targets.
std::vector<std::string> rules_of(const ItemHeader& item, const std::string& tested,
                                  const std::string& target);

/// "reproduces" or "differs": whether ours is within two standard errors, the published one and
/// ours together, and half a unit of the last printed digit; or not beyond a bound by more than two
/// of our standard errors. Ours needs a standard error.
Verdict compare_with_published(const PrintedValue& published, double ours, double standard_error);

/// The standard error of a printed value. If only its number of runs is known, it is that of
/// as many runs with the variation of ours; `standard_error` is that of num_seeds runs.
double error_of_printed(const PrintedValue& printed, double standard_error, int64_t num_seeds);

/// Returns whether our figure is within three standard errors, the target's and ours together, and
/// half a unit of its last digit; or not beyond a bound by more than three of ours.
bool meets_target(const PrintedValue& target, double ours, double standard_error);

}  // namespace equinoise
