// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/constraints/rate_program.h"
#include "equinoise/groups/grouping.h"

namespace equinoise {

/// The rates of a model on some records, from noisy counts. NaN if no records were counted, or so
/// few that noise hides them; of more than two classes all but the accuracy.
struct PrivateRates {
  Estimate accuracy;
  Estimate selection_rate;  ///< predicted positive, which is the second of two classes
  Estimate false_positive_rate;
  Estimate false_negative_rate;
  Estimate precision;  ///< of the positive class among the predicted positive
};

/// A rate by its name in reports.
struct PrivateRate {
  std::string_view metric;
  Estimate PrivateRates::*value;
};

/// The rates of a model of so many classes, in their order in reports.
std::span<const PrivateRate> private_rates(size_t num_classes);

/// The figures that follow from these rates; no others. `has_records`: whether there may be any.
Metrics metrics_of(const PrivateRates& rates, bool has_records);

/// The histogram for the rates overall and of each group, as a program for noisy_cell_counts().
/// A record's context is its group in the grouping. Its cell shows whether the model is right about
/// it, and for two classes also its label.
///
/// Relation: zero_out. Sensitivity: 1 in L1, because groups of a grouping are disjoint, so that a
/// record is in one cell at most. Each of several groupings is a separate histogram and a separate
/// release with its own noise: a record pays for each. `groups`: of the grouping; without any, all
/// records are one group. `read`: the groups whose rates are read, each the union of those of
/// `groups` that have its values; nullptr: these themselves.
RateProgram group_rate_program(const std::vector<GroupLabel>& groups, size_t num_classes,
                               const std::vector<GroupLabel>* read = nullptr);

/// The rates of each group that is read, then overall, from the counts of the program's cells with
/// noise of that standard deviation: (num_read + 1), without groups (1). Intervals are those of
/// check_counts(): at 95 %, each by itself, for the choice of records and the noise on the counts.
/// Post-processing.
std::vector<PrivateRates> read_group_rates(const RateProgram& program,
                                           std::span<const int64_t> counts, double noise_stddev);

}  // namespace equinoise
