// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// The mean of a figure of several runs that differ in nothing but their seed, with the two-sided
/// interval of Student's t [Student1908] at `confidence`. It covers the mean over all seeds, of
/// splits and of noise alike, on the table at hand; it says nothing of other tables. NaN without
/// values, or where one is NaN: what is undefined in some runs has no mean. No interval (NaN) of
/// one value, nor of values that do not vary by more than rounding, which do not say how far off
/// their mean is. Errors: kUsage unless 0 < confidence < 1.
Estimate mean_over_seeds(std::span<const double> values, double confidence = 0.95);

}  // namespace equinoise
