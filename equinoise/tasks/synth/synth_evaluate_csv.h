// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/tasks/synth/synth_evaluate.h"

namespace equinoise {

/// The figures of `equinoise synth evaluate`, one line each: kind, columns, group, unit, real,
/// synthetic, error, bootstrap, second_half, real_records. Names of columns are between commas, as
/// options take them; a group is "sex=Female,race=White", all records are "". What is undefined is
/// empty. NOT PRIVATE.
///
/// Kinds: "workload" (error over all marginals), "single" (error of the marginal of one column),
/// "largest" (largest errors of marginals of several columns), "mean" (of a numeric column; the
/// unit names what its error is divided by), "correlation_mean" and "correlation_largest", and of
/// what is learnt the figures, which stand under `synthetic`. real_records are those that a figure
/// is of: for means those with a value, for correlations those with both numbers (of the pair of
/// which fewest have, or of the farthest), for what is learnt those with a value of the target.
std::string synth_evaluate_to_csv(const SynthEvaluateReport& report);

}  // namespace equinoise
