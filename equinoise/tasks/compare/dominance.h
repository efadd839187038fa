// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// Whether `row` dominates `other` at the same epsilon: its weakest privacy is no weaker, it is no
/// worse on average in overall error and in the worst group, and better in one of the two by a
/// paired interval over seeds that excludes 0 at `confidence`. False where a figure of either is
/// undefined; without counted groups there is none of the worst, and overall error decides alone.
/// Guarantees that differ by less than kSamePrivacy count as the same: they come from one budget,
/// which no noise meets exactly. Pre: their runs have the same seeds.
bool dominates(const CompareRow& row, const CompareRow& other, double confidence);

/// Relative difference of two epsilons.
inline constexpr double kSamePrivacy = 1e-4;

/// Sets which rows are dominated, and how many differences were tested for that: overall error and
/// the worst group of each pair at one epsilon. All of these together have significance
/// kCompareSignificance [Dunn1961]. References without a guarantee are not compared.
void mark_dominated(CompareReport& report);

/// Sets what is recommended at each epsilon, where the table is public: the row that dominates
/// every other one there, if its overall error is below that of the best constant. Pre:
/// mark_dominated().
void recommend(CompareReport& report);

}  // namespace equinoise
