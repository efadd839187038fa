// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/tasks/synth/synth_evaluate.h"

namespace equinoise {

/// The figures of `equinoise synth evaluate`, one line each: kind, columns, group, unit, real,
/// synthetic, error, bootstrap, real_records. Names of columns are between commas, as options take
/// them; a group is "sex=Female,race=White", all records are "". What is undefined is empty. NOT
/// PRIVATE.
///
/// Kinds: "workload" (error over all marginals), "single" (error of the marginal of one column),
/// "largest" (largest errors of marginals of several columns), "mean" (of a numeric column), and of
/// the classifier "accuracy", "selection_rate" and "false_negative_rate", which stand under
/// `synthetic`. real_records are those that a figure is of, for means those with a value.
std::string synth_evaluate_to_csv(const SynthEvaluateRequest& request,
                                  const SynthEvaluateReport& report);

}  // namespace equinoise
