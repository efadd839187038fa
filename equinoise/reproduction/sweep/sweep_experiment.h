#pragma once

#include <string_view>

#include "equinoise/reproduction/item.h"

namespace equinoise {

/// What can be told of a run under constraints:
///   "error"           of the test records, in percent
///   "value"           the largest of what constraints bound, without slack, of the test records;
///                     constraints with a rate of nobody do not count
///   "training value"  the same of the training records
///   "all value"       the same of both together, where groups are small
///   "time"            a step's, in milliseconds: of one thread, disturbed by whatever else runs
bool is_sweep_metric(std::string_view name);

/// Whether runs of the method follow the parameter of a sweep: whether it obeys constraints, as
/// methods that are not built are taken to.
bool follows_sweep(const ReproductionMethod& method);

}  // namespace equinoise
