// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// The report from public facts only; its groups are in the order of setup.groupings.
TrainingReport begin_report(const TrainingSetup& setup, const TrainRequest& request);

}  // namespace equinoise
