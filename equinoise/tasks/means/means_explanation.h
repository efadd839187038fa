// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/dataset.h"
#include "equinoise/means/release.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/tasks/means/mean_records.h"
#include "equinoise/tasks/means/means_setup.h"

namespace equinoise {

/// Exact figures to compare with those of the report, and where the records contradict public
/// facts. NOT PRIVATE.
MeansExplanation explain_means(const MeansSetup& setup, const MeansRelease& release,
                               const Dataset& dataset, const MeanRecords& columns,
                               const MeansReport& report);

}  // namespace equinoise
