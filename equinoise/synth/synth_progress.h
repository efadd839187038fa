// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/base/progress.h"

namespace equinoise {

struct SynthPlan;
struct SynthRound;

/// Errors: kRuntime if a run of synthetic rows was interrupted. Called from any thread.
void check_interrupted(const TaskProgress& progress);

/// Reports a stage of a method, after the name of the plan's stratum.
void report_stage(const SynthPlan& plan, const std::string& text, TaskProgress& progress);

/// Reports the last of the rounds.
void report_round(const SynthPlan& plan, const std::vector<SynthRound>& rounds,
                  TaskProgress& progress);

}  // namespace equinoise
