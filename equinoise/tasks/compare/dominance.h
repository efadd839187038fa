// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// Relative differences between epsilons below this are ignored: the epsilons come from one budget,
/// which noise meets only approximately.
inline constexpr double kSamePrivacy = 1e-4;

/// Sets which rows are dominated, and the number of tests for that.
///
/// A row dominates another one at the same epsilon if
/// - its largest epsilon over groups is at most the other one's;
/// - it leaves no group membership unprotected that the other one protects;
/// - its mean overall error and mean worst-group error are not larger;
/// - one of the two is lower by a paired interval over seeds that excludes 0;
/// - under constraints, its mean violation is not larger, or not above 0.
/// If no group is counted, overall error decides alone. A row with any of these figures undefined
/// is not compared.
///
/// Tests are of overall error and of the worst group for each pair at one epsilon. The intervals of
/// all tests together have significance kCompareSignificance [Dunn1961]. References without a
/// guarantee are not compared. Pre: the runs of all rows have the same seeds.
void mark_dominated(CompareReport& report);

/// Sets the recommendation at each epsilon, if the table is public: the row that dominates all
/// others there, if its overall error is below that of the best constant and it satisfies the
/// constraints on average. Pre: mark_dominated().
void recommend(CompareReport& report);

}  // namespace equinoise
