// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/group_id.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

/// The most features of a table that fit_logistic takes: it solves with a full matrix of them.
inline constexpr size_t kMaxDownstreamFeatures = 4096;

/// The class `name`; without a name the second of two classes. Errors: kUsage for a numeric target,
/// which has no classes, an unknown class, or no name if there are not two classes.
size_t positive_class(const std::vector<std::string>& classes, std::string_view positive);

/// Labels of `table` become 1 for its positive_class and 0 for all others.
void make_binary(EncodedTable& table, std::string_view positive);

/// Logistic regression on the contributing records of `table`, labels 0 and 1: the parameters of
/// LogisticModel that minimise the sum of their losses and half the squared norm of all parameters,
/// by Newton's method, to a gradient below 1e-6 per record. If records have weights
/// (EncodedTable::weights), losses count by these, scaled to 1 on average. Without privacy: on
/// released rows it is post-processing, on records NOT PRIVATE. Errors: kUsage for more than
/// kMaxDownstreamFeatures.
std::vector<double> fit_logistic(const EncodedTable& table);

/// The performance of a classifier that was trained on one table, on the records of another, group
/// by group. NOT PRIVATE.
struct DownstreamClassifier {
  Metrics overall;
  std::vector<Metrics> groups;  ///< (groups)
  Disparity selection_rate;     ///< difference and ratio: demographic parity
  Disparity false_negative_rate;
};

/// Predicts the records of `test` with `parameters` of fit_logistic on a table of the same
/// features. Labels are 0 and 1 (see make_binary); group_of: (records of `test`), below num_groups
/// where they contribute.
DownstreamClassifier test_classifier(std::span<const double> parameters, const EncodedTable& test,
                                     std::span<const GroupId> group_of, size_t num_groups);

}  // namespace equinoise
