// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/means/release.h"
#include "equinoise/means/stratified_records.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/tasks/means/means_setup.h"

namespace equinoise {

/// The columns that are asked for, and who is in which stratum. A record for whose stratum a cell
/// is missing, or of a stratum of size 0, is in none.
struct MeanRecords {
  std::vector<uint32_t> strata;
  std::vector<std::vector<uint32_t>> strata_of_values;  ///< (columns), see StratifiedRecords
  std::vector<double> weights;  ///< (num_records) as shares of the largest, or none: 1 each
  StratifiedRecords records;
};

/// Exact figures to compare with those of the report, and where the records contradict public
/// facts. NOT PRIVATE.
MeansExplanation explain_means(const MeansSetup& setup, const MeansRelease& release,
                               const Dataset& dataset, const MeanRecords& columns,
                               const MeansReport& report);

}  // namespace equinoise
