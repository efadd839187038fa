// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "equinoise/constraints/rate_constraint.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The public number of records with these values, if it is known.
using PublicSizeOf = std::function<std::optional<int64_t>(const GroupLabel& group)>;

/// The approximate difference of a constraint's value between two tables of `num_records` records
/// from the same population, for a given model. It is the standard deviation if every rate is a
/// half, the worst case. It uses public sizes, also of groups by target. A group of unknown size
/// counts as an equal share of the combinations of values, and a label as an equal share of the
/// labels, so the result is no bound.
double sampling_stddev(const RateConstraint& constraint, const ConstraintDomain& domain,
                       double num_records, double num_records_of_table,
                       const PublicSizeOf& size_of);

/// Returns whether a rate of the constraint concerns only records that do not exist according to
/// the public sizes.
bool is_about_nobody(const RateConstraint& constraint, const ConstraintDomain& domain,
                     const PublicSizeOf& size_of);

/// The distance below its slack that training aims for: one sampling standard deviation, so that a
/// constraint that holds on training records mostly holds on others too. At most half of the slack,
/// so that a model that predicts well remains possible; 0 for a slack that is not positive.
double aim_margin(double slack, double sampling_stddev);

}  // namespace equinoise
