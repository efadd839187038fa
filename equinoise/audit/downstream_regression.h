// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/group_id.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

/// Linear regression on the contributing records of `table`, which has a numeric target: the
/// parameters of LinearModel that minimise the sum of squared errors and the squared norm of all
/// parameters except the intercept, on the scale of the encoded target. If records have weights
/// (EncodedTable::weights), errors count by these, scaled to 1 on average. Without records all
/// parameters are 0. Without privacy: on released rows it is post-processing, on records NOT
/// PRIVATE. Errors: kUsage for more than kMaxDownstreamFeatures.
std::vector<double> fit_linear(const EncodedTable& table);

/// The performance of a regression that was trained on one table, on the records of another. NOT
/// PRIVATE.
struct DownstreamRegression {
  Metrics overall;
  std::vector<Metrics> groups;  ///< (groups)
};

/// Predicts the records of `test` with `parameters` of fit_linear on a table of the same features,
/// within the bounds of the target. group_of: (records of `test`), below num_groups where they
/// contribute.
DownstreamRegression test_regression(std::span<const double> parameters, const EncodedTable& test,
                                     std::span<const GroupId> group_of, size_t num_groups);

}  // namespace equinoise
