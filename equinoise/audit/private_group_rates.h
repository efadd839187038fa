// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/constraints/rate_program.h"
#include "equinoise/groups/grouping.h"

namespace equinoise {

/// How often a model is right about some records, by counts with noise. NaN where nothing can be
/// said: no records were counted, or so few that they are lost in the noise.
struct PrivateRates {
  Estimate accuracy;
  Estimate false_positive_rate;  ///< of two classes, the second one positive; else NaN
  Estimate false_negative_rate;
};

/// The histogram from which the accuracy overall and of each group is computed, as a program for
/// noisy_cell_counts(): a record's context is its group in the grouping, and its cell says whether
/// the model is right about it; of two classes also what its label is.
///
/// Relation: zero_out. Sensitivity: 1 in L1, because groups of a grouping are disjoint, so that a
/// record is in one cell at most. Several groupings are as many histograms, each a release of its
/// own with its own noise: a record pays for each. `groups`: of the grouping; without any, all
/// records are one group.
RateProgram group_rate_program(const std::vector<GroupLabel>& groups, size_t num_classes);

/// The rates of each group, then overall, by the counts of the program's cells with noise of that
/// standard deviation: (num_groups + 1), without groups (1). Intervals are those of check_counts():
/// at 95 %, each by itself, for the choice of records and the noise on the counts. Post-processing.
std::vector<PrivateRates> read_group_rates(const RateProgram& program,
                                           std::span<const int64_t> counts, double noise_stddev);

}  // namespace equinoise
