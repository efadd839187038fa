// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/audit/limit_verdict.h"
#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// The check of a constraint on some records. It is as private as the counts that it is made of.
struct ConstraintCheck {
  /// Sum of coefficient * rate, of predicted classes, with a 95 % interval. NaN if one of the rates
  /// has no records to count, or so few that noise hides them.
  Estimate value;
  double slack = 0;  ///< the constraint holds if the value is at most this

  LimitVerdict verdict() const { return verdict_of(value.interval, slack, LimitSide::kAtMost); }
};

/// The number of contributing records with a prediction in each cell of `program`, by their
/// context, (num_records), and predicted class: (num_cells). Not private: a record is counted once
/// or not at all, so zeroing one lowers at most one count, by 1.
std::vector<int64_t> count_cells(const RateProgram& program, const EncodedTable& table,
                                 std::span<const GroupId> contexts, const Predictions& predictions);

/// Checks every constraint of `program` from the counts of its cells, (num_cells). Independent
/// noise of standard deviation `noise_stddev` was added to each; 0: none. Post-processing.
///
/// A rate is a quotient of counts, clipped to [0, 1]. Its interval is the score interval
/// [Wilson1927] with the variance of the noise added [Fieller1954]. Intervals are combined by their
/// distances from the rates and by the correlations of rates over the same records [ZouDonner2008].
/// For some tens of records and rates near 0 or 1 the intervals of such sums cover somewhat less
/// than stated.
///
/// A denominator within 4 standard deviations of its noise gives no figure. A figure whose interval
/// misses is given in at most 5 % of releases. For groups that noise nearly hides, with
/// denominators of 4 to 8 standard deviations, few figures are given, and more than 5 % of these
/// are misses.
std::vector<ConstraintCheck> check_counts(const RateProgram& program,
                                          std::span<const int64_t> counts, double noise_stddev);

/// Checks every constraint from exact counts of the records, or from their weights if the table has
/// some, with the variances of weighted rates (weight_that_counts()). Not private. No constraint is
/// answerable if a contributing record has no prediction (Predictions::has_prediction).
std::vector<ConstraintCheck> check_constraints(const RateProgram& program,
                                               const EncodedTable& table,
                                               std::span<const GroupId> contexts,
                                               const Predictions& predictions);

}  // namespace equinoise
