// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/tasks/synth/synth_evaluate.h"

namespace equinoise {

/// Finds before the work what is wrong with the folder. Errors: kUsage if it exists without force
/// or one of its files is a table that is compared; kRuntime if it cannot be written.
void check_synth_evaluate_output(const SynthEvaluateRequest& request);

/// Writes report.json, report.html and errors.csv, all or none, and lists them in the report. Only
/// their owner may read them. Errors: as above; kRuntime also if the disk is full.
void write_synth_evaluate_output(const SynthEvaluateRequest& request, SynthEvaluateReport& report);

}  // namespace equinoise
