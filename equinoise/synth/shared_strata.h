// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// Models of strata that start from a released overall model. A stratum measures its columns one by
/// one. Its noisy counts are shrunk towards the overall model's expected counts for the stratum,
/// the more the noisier they are. The stratum's model is the nearest one, in relative entropy, that
/// has these counts. Dependences between columns are those of the overall model.
///
/// Relation: zero_out. Sensitivity: 1 for each question (measure.h); a record is in one stratum, so
/// that strata compose in parallel, while the overall model adds to each. Cost: one discrete
/// Gaussian vector a question; everything else is post-processing of these, of the released model
/// and of public sizes. Source: ours; the counterpart for rows of the shrunk means of paper 002
/// [RosenblattStoyanovichMusco2024].

/// A question of a stratum about one of its columns: the number of its records with each code. If
/// `parts` is above 0, bins are counted in this many parts of neighbouring bins, and other codes by
/// themselves. Parts have equal numbers of bins to within one.
struct StratumQuestion {
  int attribute = 0;
  size_t parts = 0;
  double noise_stddev = 0;  ///< of each count
};

/// (num_codes) The index of the count of a question for each code. `num_ordered`: the number of
/// leading codes that are bins of numbers. Pre: parts <= num_ordered.
std::vector<size_t> counts_of_codes(size_t num_codes, size_t num_ordered, size_t parts);

/// The least noise that hides a count, as total variation distance of shares.
inline constexpr double kHidingNoise = 1;

/// The questions of a stratum of `size` for `rho`. They are the codes of every column and, for bins
/// of numbers, halves, quarters and so on of these, whose counts have less noise than sums of bins.
/// A question of k counts gets a share of k^(2/3), which minimises the sum of their mean absolute
/// errors. Questions whose answers noise would hide are left out, the longest first, and the others
/// share their cost; with `hidden_too` none is left out. From public facts alone. `num_ordered`:
/// (attributes of `domain`). Errors: kUsage for a budget that is too small for any noise, named by
/// `where`.
std::vector<StratumQuestion> stratum_questions(const Domain& domain,
                                               const std::vector<size_t>& num_ordered, double rho,
                                               int64_t size, bool hidden_too,
                                               std::string_view where);

/// The error by noise alone of a stratum's column, as total variation distance of shares, if the
/// codes of all columns and nothing else are measured with `rho`: the mean over columns.
double stratum_noise_error(const Domain& domain, double rho, int64_t size);

/// A stratum with records, and its stratum_noise_error().
struct StratumNoise {
  std::string name;
  int64_t size = 0;  ///< public
  double error = 0;
};

/// A sentence without its full stop that names the strata whose rows are mostly noise or, where
/// they share a model, follow that of all records instead of their own; the smallest first, "" if
/// there are none. Their error is at least kHidingNoise, and half of it without a shared model
/// (docs/evidence/synthetic-data.md).
std::string hidden_strata(const std::vector<StratumNoise>& strata, bool share_model);

/// Counts of the codes of each column of the table; empty for one that all members have in common.
using StratumColumns = std::vector<std::vector<double>>;

struct StratumCounts {
  StratumColumns expected;                              ///< from the overall model, in records
  std::vector<std::vector<SynthMeasurement>> measured;  ///< (columns) the answers to questions
};

/// The counts of strata after shrinkage, from coarse to fine: sums over the strata of larger groups
/// before single strata, and within each halves, quarters and so on of the bins before single
/// codes. Each step multiplies the expected counts of all strata in a group, also of those that
/// measure nothing, by a ratio: the group's noisy counts, shrunk (shrunk_counts.h), over their
/// expected counts. Along bins the ratio changes gradually. A part has its own noisy count and the
/// sums of finer ones; their mean by precision is used.
///
/// `groupings`: for each, the group that every stratum is in, such as its sex. `num_ordered`:
/// (columns) the number of leading codes that are bins of numbers. Post-processing. The sums of
/// coarse steps come from the same releases as the fine ones and use their noise more than once. So
/// the part of it that shrinkage lets through remains.
std::vector<StratumColumns> shrunk_strata(const std::vector<StratumCounts>& strata,
                                          const std::vector<std::vector<size_t>>& groupings,
                                          const std::vector<size_t>& num_ordered);

/// The nearest model, in relative entropy to `prior`, that has these counts of its attributes, as
/// far as a fit finds it. Errors: kRuntime if interrupted.
GraphicalModel raked(const GraphicalModel& prior, const std::vector<std::vector<double>>& counts,
                     const SynthConfig& config, const TaskProgress& progress);

}  // namespace equinoise
