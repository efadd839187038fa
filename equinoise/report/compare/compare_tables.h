// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// "max_grad_norm=0.5 optimizer=adam"; "" for none.
std::string options_in_words(const std::vector<Setting>& options);

/// What is recommended at each epsilon, or why nothing is, a sentence each.
std::vector<std::string> recommendation_lines(const CompareReport& report);

/// How a figure of all rows, or an error of a group, is written: with digits that suit them all.
std::vector<std::string> compare_cells(const CompareReport& report,
                                       const std::vector<Estimate>& estimates);

/// A figure by itself: "23.4 %", or "1.04" of a multiple.
std::string compare_figure(const CompareReport& report, double value);

/// "dominated by mgr_w", "reference, not private"
std::string standing_of(const CompareReport& report, const CompareRow& row);

/// A line for each row.
TextTable compare_rows_table(const CompareReport& report);

/// What stands under that table, a sentence or two each: what an error is, who is not counted, what
/// intervals cover, what dominated means, who is not protected.
std::vector<std::string> compare_notes(const CompareReport& report);

/// Which rows failed and why.
std::vector<std::string> compare_failures(const CompareReport& report);

/// Which methods were not run and why: one for each reason, with all methods that have it.
std::vector<std::string> compare_skips(const CompareReport& report);

}  // namespace equinoise
