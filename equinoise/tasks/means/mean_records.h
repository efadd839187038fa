// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/means/stratified_records.h"
#include "equinoise/tasks/means/means_setup.h"

namespace equinoise {

/// The columns that are asked for, then those whose values are counted, and who is in which
/// stratum. A record for whose stratum a cell is missing, or of a stratum of size 0, is in none.
struct MeanRecords {
  std::vector<uint32_t> strata;
  std::vector<std::vector<uint32_t>> strata_of_values;  ///< (columns), see StratifiedRecords
  std::vector<std::vector<double>> codes;               ///< (categorical columns) (num_records)
  std::vector<double> weights;  ///< (num_records) as shares of the largest, or none: 1 each
  StratifiedRecords records;    ///< spans of these, and of the dataset's columns
};

/// A record is in a stratum if the columns that make strata say in which; it counts for a column if
/// it has a value there, its own or what fills a missing cell, whatever other columns hold. The
/// dataset must outlive the result.
MeanRecords read_mean_records(const Dataset& dataset, const MeansSetup& setup,
                              const MeansRequest& request);

/// The means of a column without noise, of records by what they count for. NOT PRIVATE.
struct ExactMeans {
  double overall = 0;               ///< of all records in strata
  std::vector<double> strata;       ///< (num_strata); NaN if no record has a value
  std::vector<double> sizes;        ///< (num_strata) sums of what records count for
  std::vector<int64_t> num_values;  ///< (num_strata) that these are means of, filled ones too
};

ExactMeans exact_means(const MeanRecords& columns, size_t column);

}  // namespace equinoise
