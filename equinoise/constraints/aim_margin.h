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

/// About how much the value of a constraint differs from one table of `num_records` records to
/// another one of the same population, for a given model: its standard deviation if every rate is a
/// half, where it is largest. From public sizes, of groups by the target too; a group whose size is
/// not known is taken to have as many records as each other combination of values, a label as many
/// as each other label, so that it is no bound.
double sampling_stddev(const RateConstraint& constraint, const ConstraintDomain& domain,
                       double num_records, double num_records_of_table,
                       const PublicSizeOf& size_of);

/// Whether a rate of the constraint is among records of whom the public sizes say that there are
/// none.
bool is_about_nobody(const RateConstraint& constraint, const ConstraintDomain& domain,
                     const PublicSizeOf& size_of);

/// How far below its slack training aims: one such standard deviation, so that what holds on
/// training records mostly holds on others, too; at most half of the slack, which leaves a model
/// that predicts well a chance, and 0 for a slack that is not positive.
double aim_margin(double slack, double sampling_stddev);

}  // namespace equinoise
