// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// "max_grad_norm=0.5 optimizer=adam"; "" without options.
std::string options_in_words(const std::vector<Setting>& options);

/// The recommendation at each epsilon, or the reason why there is none, a sentence each.
std::vector<std::string> recommendation_lines(const CompareReport& report);

/// The cells of a figure of all rows, or of an error of a group, with decimals that suit all of
/// them.
std::vector<std::string> compare_cells(const CompareReport& report,
                                       const std::vector<Estimate>& estimates);

/// A single figure: "23.4 %", or "1.04" for a multiple.
std::string compare_figure(const CompareReport& report, double value);

/// "dominated by mgr_w", "reference, not private"
std::string standing_of(const CompareReport& report, const CompareRow& row);

/// A line for each row.
TextTable compare_rows_table(const CompareReport& report);

/// The notes under that table, a sentence or two each: the definition of an error, groups that are
/// not counted, the coverage of intervals, the meaning of dominated, groups that are not protected.
std::vector<std::string> compare_notes(const CompareReport& report);

/// The rows that failed, with the reasons.
std::vector<std::string> compare_failures(const CompareReport& report);

/// The methods that were not run, with the reasons: one line for each reason, with all of its
/// methods.
std::vector<std::string> compare_skips(const CompareReport& report);

}  // namespace equinoise
