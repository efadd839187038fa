// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// Epsilons that differ by less than this part count as the same: they come from one budget, which
/// no noise meets exactly.
inline constexpr double kSamePrivacy = 1e-4;

/// Sets which rows are dominated, and how many differences were tested for that.
///
/// A row dominates another one at the same epsilon if its weakest privacy is no weaker, it takes no
/// groups as public that the other one protects, it is no worse on average in overall error and in
/// the worst group, and better in one of the two by a paired interval over seeds that excludes 0.
/// Under constraints it must also be over their slack by no more on average, or keep them. Where no
/// group is counted, overall error decides alone. A row of which any of these figures is undefined
/// is not compared.
///
/// Tested are overall error and the worst group of each pair at one epsilon; the intervals of all
/// of these together have significance kCompareSignificance [Dunn1961]. References without a
/// guarantee are not compared. Pre: the runs of all rows have the same seeds.
void mark_dominated(CompareReport& report);

/// Sets what is recommended at each epsilon, where the table is public: the row that dominates
/// every other one there, if its overall error is below that of the best constant and it keeps the
/// constraints on average. Pre: mark_dominated().
void recommend(CompareReport& report);

}  // namespace equinoise
