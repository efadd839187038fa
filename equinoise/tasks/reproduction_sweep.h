#pragma once

#include <string_view>

namespace equinoise {

/// What can be told of a run under constraints:
///   "error"           of the test records, in percent
///   "value"           the largest of what constraints bound, without slack, of the test records
///   "training value"  the same of the training records
///   "all value"       the same of both together, where groups are small
///   "time"            a step's, in milliseconds: of one thread, disturbed by whatever else runs
bool is_sweep_metric(std::string_view name);

/// The position of runs of methods that obey no constraint.
inline constexpr double kUnconstrained = -1;

}  // namespace equinoise
