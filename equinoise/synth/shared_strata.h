// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// Models of strata that start from a released model of everybody: a stratum measures its columns
/// one by one, its noisy counts are shrunk towards what the model of everybody expects of the
/// stratum by how much noise they carry, and the model is the nearest one, in relative entropy,
/// that has these counts. Dependences between columns are those of the model of everybody.
///
/// Relation: zero_out. Sensitivity: 1 of each question (measure.h); a record is in one stratum, so
/// that strata compose in parallel, while the model of everybody adds to each. Cost: one discrete
/// Gaussian vector a question; everything else is post-processing of these, of the released model
/// and of public sizes. Source: the counterpart for rows of the shrunk means of paper 002, which do
/// the same to means [RosenblattStoyanovichMusco2024]; ours.

/// A question that a stratum asks of one of its columns: how many of its records have each code or,
/// where `parts` is above 0, are in each of so many parts of neighbouring bins and have each other
/// code. Parts have equal numbers of bins, but for one.
struct StratumQuestion {
  int attribute = 0;
  size_t parts = 0;
  double noise_stddev = 0;  ///< of each count
};

/// (num_codes) in which count of a question each code is. `num_ordered`: so many codes, from the
/// first, are bins of numbers. Pre: parts <= num_ordered.
std::vector<size_t> counts_of_codes(size_t num_codes, size_t num_ordered, size_t parts);

/// The least noise that hides what it is added to: as half the L1 distance of shares.
inline constexpr double kHidingNoise = 1;

/// What a stratum of `size` asks for `rho`: the codes of every column and, where they are bins of
/// numbers, halves, quarters and so on of these, whose counts have less noise than sums of bins. A
/// question of k counts gets a share of k^(2/3), which makes the sum of their mean absolute errors
/// least. Those that noise would hide, the longest first, are left out, and the others share what
/// they would have cost; with `hidden_too` none is. From public facts alone. `num_ordered`:
/// (attributes of `domain`). Errors: kUsage for a budget that is too small for any noise, named by
/// `where`.
std::vector<StratumQuestion> stratum_questions(const Domain& domain,
                                               const std::vector<size_t>& num_ordered, double rho,
                                               int64_t size, bool hidden_too,
                                               std::string_view where);

/// How far noise alone puts a column of a stratum off, as half the L1 distance of shares, if the
/// codes of all columns and nothing else are measured with `rho`: the mean over columns.
double stratum_noise_error(const Domain& domain, double rho, int64_t size);

/// Counts of the codes of each column of the table; empty for one that all members have in common.
using StratumColumns = std::vector<std::vector<double>>;

/// The released answer to a question.
struct StratumAnswer {
  size_t parts = 0;
  double noise_stddev = 0;
  std::vector<double> counts;
};

/// What is known of a stratum.
struct StratumCounts {
  StratumColumns expected;                           ///< by the model of everybody, in records
  std::vector<std::vector<StratumAnswer>> measured;  ///< (columns)
};

/// What strata hold after shrinkage, from coarse to fine: sums over the strata of larger groups
/// before single strata, and within each halves, quarters and so on of the bins before single
/// codes. Every step moves what is expected of all strata in a group, also of those that measure
/// nothing, by the ratio that the group's noisy counts, shrunk (shrunk_counts.h), have to what was
/// expected of them; along bins the ratio changes gradually. Of a part there is its own noisy count
/// and the sums of finer ones: their mean, by precision.
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
