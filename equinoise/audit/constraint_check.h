#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/constraints/rate_program.h"

namespace equinoise {

/// Whether a model keeps a constraint on some records. Not private.
struct ConstraintCheck {
  Estimate value;    ///< sum of coefficient * rate, of predicted classes, with a 95 % interval
  double slack = 0;  ///< the constraint holds where the value is at most that

  bool holds() const { return value.value <= slack; }
  /// Whether the interval lies on one side of the slack.
  bool is_clear() const { return value.interval.high <= slack || value.interval.low > slack; }
};

/// "holds", "holds, unclear", "fails, unclear" or "fails".
std::string verdict_of(const ConstraintCheck& check);

/// Every constraint of `program` on the contributing records whose context, (num_records), it
/// knows. Intervals of rates are score intervals, combined by their distances from the rates and by
/// how rates that look at the same records are correlated [ZouDonner2008]; of some tens of records
/// and rates near 0 or 1 the intervals of such sums cover somewhat less than they say. A rate of
/// nobody is 0, with the interval [0, 1].
std::vector<ConstraintCheck> check_constraints(const RateProgram& program,
                                               const EncodedTable& table,
                                               std::span<const GroupId> contexts,
                                               const Predictions& predictions);

}  // namespace equinoise
