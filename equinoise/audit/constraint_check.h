// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/audit/limit_verdict.h"
#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// Whether a model keeps a constraint on some records. As private as the counts that it is made of.
struct ConstraintCheck {
  /// Sum of coefficient * rate, of predicted classes, with a 95 % interval. NaN if one of the rates
  /// has no records to count, or so few that they are lost in the noise.
  Estimate value;
  double slack = 0;  ///< the constraint holds where the value is at most that

  LimitVerdict verdict() const { return verdict_of(value.interval, slack, LimitSide::kAtMost); }
};

/// The number of contributing records with a prediction in each cell of `program`, by their
/// context, (num_records), and predicted class: (num_cells). Not private: a record is counted once
/// or not at all, so zeroing one lowers at most one count, by 1.
std::vector<int64_t> count_cells(const RateProgram& program, const EncodedTable& table,
                                 std::span<const GroupId> contexts, const Predictions& predictions);

/// Every constraint of `program` by the counts of its cells, (num_cells), to each of which
/// independent noise of standard deviation `noise_stddev` was added; 0: none. Post-processing.
///
/// A rate is a quotient of counts, held within 0 to 1. The limits of its interval are the rates for
/// which that quotient would be as far off as chance and noise allow: the score interval
/// [Wilson1927] with the variance of the noise added [Fieller1954]. Intervals are combined by their
/// distances from the rates and by how rates that look at the same records are correlated
/// [ZouDonner2008]; of some tens of records and rates near 0 or 1 the intervals of such sums cover
/// somewhat less than they say.
///
/// A denominator within 4 standard deviations of its noise gives no figure. A figure whose interval
/// misses is given in at most 5 % of releases; for groups that noise nearly hides, with
/// denominators of 4 to 8 standard deviations, few figures are given, and more than 5 % of these
/// are misses.
std::vector<ConstraintCheck> check_counts(const RateProgram& program,
                                          std::span<const int64_t> counts, double noise_stddev);

/// The same by exact counts of the records, or by their weights where the table has some, with the
/// variances of weighted rates (weight_that_counts()). Not private. Nothing is answerable where a
/// record that counts has no prediction (Predictions::has_prediction).
std::vector<ConstraintCheck> check_constraints(const RateProgram& program,
                                               const EncodedTable& table,
                                               std::span<const GroupId> contexts,
                                               const Predictions& predictions);

}  // namespace equinoise
