// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/files/output_folder.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// The names of the files in --out.
const std::vector<std::string>& training_output_files();

/// Writes all of them, and their paths into the report.
void write_files(OutputFolder& folder, const TrainRequest& request, const TrainingSetup& setup,
                 TrainingReport& report);

}  // namespace equinoise
