// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// The names of the files in --out.
const std::vector<std::string>& training_output_files();

/// Writes all of them, and their paths into the report.
void write_files(OutputFolder& folder, const TrainRequest& request, const TrainingSetup& setup,
                 TrainingReport& report);

/// The options of the method, as the run uses them; those of groups by the names that the user
/// gave.
std::vector<Setting> method_settings(const TrainRequest& request, const TrainingSetup& setup);

/// The settings in a run file in addition to the user's: method, model, budget and the options of
/// both.
std::vector<Setting> settled_settings(const TrainRequest& request, const TrainingSetup& setup);

}  // namespace equinoise
