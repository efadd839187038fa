// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// The report as far as public facts go; its groups stand in the order of setup.groupings.
TrainingReport begin_report(const TrainingSetup& setup, const TrainRequest& request);

}  // namespace equinoise
