// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// The mean of a figure over several runs that differ only in their seed, with the two-sided
/// interval of Student's t [Student1908] at `confidence`. It covers the mean over all seeds, of
/// splits and of noise alike, on this table; it does not extend to other tables. NaN without
/// values, or if one is NaN: a figure that is undefined in some runs has no mean. There is no
/// interval (NaN) for one value, nor for values that vary by no more than rounding, whose spread
/// does not show the error of their mean. Errors: kUsage unless 0 < confidence < 1.
Estimate mean_over_seeds(std::span<const double> values, double confidence = 0.95);

}  // namespace equinoise
