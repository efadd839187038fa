// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// The charge of a run that trains by the events `training` and then releases noisy_cell_counts()
/// of the records that it held out, for each of `num_histograms` programs: one event, training
/// first.
///
/// The split is by position, so it is public, and a record is in one of its parts. A neighbour that
/// differs in a training record has the same held-out records. Then the counts are a
/// post-processing of the model and of records that are the same. A neighbour that differs in a
/// held-out record has the same distribution of the model, and for each model the counts are a
/// release of their own. So a record loses the cost of its own part: the larger of the two costs
/// bounds both, not their sum.
///
/// `split_name`: of the partition. Another run may have its rows in another order, or another
/// split, and thus other people in either part. The name must belong to this run alone
/// (unique_split_name), so that the costs of runs add up. Relation: zero_out; if records can be
/// added or removed, positions move.
Event train_and_evaluate(std::vector<Event> training, double noise_stddev, size_t num_histograms,
                         std::string split_name);

/// The name for a plan, which is not paid for.
inline constexpr const char* kPlannedSplit = "split of this run";

/// A name that no other run has.
std::string unique_split_name(SecureSource& source);

/// The least noise (to a relative 1e-5) with which train_and_evaluate() costs no more than the
/// training by itself, by the accountant of `claimed` and, if `by_rdp` has its figure, by RDP.
/// `claimed`: the cost of the training. Errors: kUsage if there is no such noise.
double min_evaluation_noise(const std::vector<Event>& training, size_t num_histograms,
                            const Guarantee& claimed, const std::optional<Guarantee>& by_rdp);

/// count_cells() with discrete Gaussian noise on each count, for check_counts(). (num_cells)
///
/// Relation: zero_out. Sensitivity: 1 in L1, because one record is in one cell at most. Cost: the
/// permit's event, discrete_gaussian(noise_stddev, 1); the sampler is exact. Errors: kRuntime if
/// the permit is not for this; kUsage for a noise_stddev that the sampler cannot draw; never for
/// the content of records.
std::vector<int64_t> noisy_cell_counts(Permit permit, const RateProgram& program,
                                       const EncodedTable& table, std::span<const GroupId> contexts,
                                       const Predictions& predictions, RandomSource& source);

}  // namespace equinoise
