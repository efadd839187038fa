// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/comparison.h"
#include "equinoise/tasks/means/means.h"

namespace equinoise {

struct CompareMeansRequest : CompareRequest {
  /// What all runs share: schema, data, columns, strata, and in its configuration the options that
  /// were given. Method, budget, seed, threads and ledger are not used.
  MeansRequest means;
};

/// Releases the means by every method and compares their errors: see compare(). A run is what
/// release_means_task() does under a test seed. An error is the distance of a released mean from
/// that of all records, in standard deviations of the column among all who have a value, averaged
/// over columns; overall that of the overall mean, in a group that of its stratum.
CompareReport compare_means(const CompareMeansRequest& request, TrainProgress& progress);

}  // namespace equinoise
