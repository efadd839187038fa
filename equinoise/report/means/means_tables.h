// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/report/means/means_report.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The rounding of a column's numbers, as a part of a sentence.
std::string rounding_text(const NumberRounding& rounding);

/// What records count for, what that costs and by what noise is predicted; none where each counts
/// as 1.
std::vector<std::string> record_weights_items(const std::optional<RecordWeights>& weights);

/// That records whose shares are weights are not protected; "" where there are none.
std::string held_out_line(const std::optional<HeldOutRecords>& held_out);

/// "Means of age, pay by sex"
std::string means_name(const MeansReport& report);

/// "38.70 [36.49, 40.91]", whose ends are rounded outwards; "-" without a figure.
std::string figure_text(double mean, double noise, const std::optional<Interval>& interval);

/// How each column is estimated.
std::vector<std::string> column_items(const MeansReport& report);

/// The released figures: a row for each stratum and column, then the overall means.
TextTable means_table(const MeansReport& report);

/// The noise that a release would have.
TextTable means_plan_table(const MeansReport& report);

/// The first half of a sentence that each of interval_items() ends.
std::string interval_line(const MeansReport& report);

/// What intervals hold, and what is taken for granted.
std::vector<std::string> interval_items(const MeansReport& report);

/// What is wrong with figures: a line for each remark, with so many of the strata that it is about.
std::vector<std::string> figure_notes(const MeansReport& report, size_t max_names);

/// That numbers were clipped to what noise chose; "" where they were not.
std::string clip_line(const MeansReport& report);

/// The exact figures next to the released ones; no rows without an explanation. NOT PRIVATE.
TextTable exact_table(const MeansReport& report);

/// Errors of the released figures, and what happened to records. NOT PRIVATE.
std::vector<std::string> exact_items(const MeansReport& report);

}  // namespace equinoise
