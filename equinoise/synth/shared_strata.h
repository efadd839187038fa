// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// Models of strata that start from a released model of everybody: a stratum's columns are measured
/// one by one, its noisy counts are shrunk towards what the model of everybody expects of the
/// stratum by how much noise they carry, and the model is the nearest one, in relative entropy,
/// that has these counts. Dependences between columns are those of the model of everybody.
///
/// Relation: zero_out. Sensitivity: 1 of each marginal (measure.h); a record is in one stratum, so
/// that strata compose in parallel, while the model of everybody adds to each. Cost: one discrete
/// Gaussian vector a column; everything else is post-processing of these, of the released model and
/// of public sizes. Source: the counterpart for rows of the shrunk means of paper 002, which do the
/// same to means [RosenblattStoyanovichMusco2024]; ours.

/// The noise of a stratum's columns for `rho`: a column of k codes gets a share of k^(2/3), which
/// makes the sum of their mean absolute errors least. (attributes of `domain`). Errors: kUsage for
/// a budget that is too small for any noise, named by `where`.
std::vector<double> stratum_noise(const Domain& domain, double rho, std::string_view where);

/// How far noise alone puts a column of a stratum off, as half the L1 distance of shares: the mean
/// over columns. From 1 on it hides whatever the stratum could say.
double stratum_noise_error(const Domain& domain, std::span<const double> noise, int64_t size);

/// Counts of the codes of each column of the table; empty for one that all members have in common.
using StratumColumns = std::vector<std::vector<double>>;

/// What is known of a stratum.
struct StratumCounts {
  StratumColumns expected;              ///< by the model of everybody, in records
  std::vector<NoisyMarginal> measured;  ///< (columns); empty: it measures nothing
};

/// What strata hold after shrinkage, from coarse to fine: sums over the strata of larger groups
/// before single strata, and within each blocks of neighbouring bins before single codes. Every
/// step moves what is expected of all strata in a group, also of those that measure nothing, by the
/// ratio that the group's noisy sums, shrunk (shrunk_counts.h), have to what was expected of them.
///
/// `groupings`: of each the group that every stratum is in, such as its sex. `num_ordered`:
/// (columns) how many codes from the first are bins of numbers. Post-processing. The sums of coarse
/// steps are of the same releases as the fine ones, which uses their noise more than once: part of
/// it, what shrinkage lets pass, stays in.
std::vector<StratumColumns> shrunk_strata(const std::vector<StratumCounts>& strata,
                                          const std::vector<std::vector<size_t>>& groupings,
                                          const std::vector<size_t>& num_ordered);

/// The nearest model, in relative entropy to `prior`, that has these counts of its attributes, as
/// far as a fit finds it.
/// Errors: kRuntime if the observer says that the run was interrupted.
GraphicalModel raked(const GraphicalModel& prior, const std::vector<std::vector<double>>& counts,
                     const SynthConfig& config, const SynthObserver& observer);

}  // namespace equinoise
