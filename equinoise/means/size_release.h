// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// Disjoint groups whose sizes are to be released, and the public facts about these sizes.
struct SizeQuestion {
  /// Groups with sizes that must agree with a public number of records.
  struct Sum {
    std::vector<size_t> groups;  ///< without a public size
    int64_t total = 0;           ///< of their sizes together
    bool is_exact = false;       ///< false: the total is an upper limit
  };

  Grouping grouping;      ///< the list of groups
  std::vector<Sum> sums;  ///< disjoint; every group without a public size is in one
  /// Groups without a declared size that cannot have members; their public size is 0.
  std::vector<size_t> impossible;
};

/// The question for groups by `columns`. Errors: kUsage for columns as list_groups; if all sizes
/// are declared or follow; if some size would be less than 1; and if the schema declares sizes of
/// other groups that noisy sizes might contradict, so that nobody pays for sizes that cannot be
/// declared.
SizeQuestion ask_sizes(const Schema& schema, const std::vector<std::string>& columns);

/// (num_groups) The numbers of records in a grouping by group_by, or of units if the dataset has
/// units: a unit is in the group of most of its rows that are in one (settle_groups). NOT PRIVATE.
/// Errors: kInput for counted rows of units.
std::vector<int64_t> count_groups(const Dataset& dataset, const Schema& schema,
                                  const Grouping& grouping);

/// (num_groups) Sizes that can be declared, from counts with discrete Laplace noise of that decay.
/// Public sizes stay unchanged. Others are raised to at least the noise's scale, then scaled to the
/// sums that they must have, and are at least 1 unless the group is known to be empty.
/// Post-processing.
std::vector<int64_t> fit_sizes(const SizeQuestion& question, std::span<const int64_t> noisy,
                               double decay);

/// The sizes of groups by the discrete Laplace mechanism, fitted.
///
/// Relation: zero_out, under which the number of records is public. Sensitivity: 1 in L1: a record
/// is in one group or in none. Cost: the permit's event, discrete_laplace(decay, 1), which is
/// decay-DP; fit_sizes costs nothing. Source: docs/theory/mechanisms.md. `counts`: from
/// count_groups. Errors: those of add_discrete_laplace_noise.
std::vector<int64_t> release_sizes(const SizeQuestion& question, std::vector<int64_t> counts,
                                   Permit permit, RandomSource& source);

/// The sizes as entries of [[public.groups]], only those that the schema does not declare; not as
/// exact ones.
std::string sizes_to_toml(const Schema& schema, const SizeQuestion& question,
                          std::span<const int64_t> sizes);

}  // namespace equinoise
