// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/mechanisms/prefix_tree.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// All prefix sums of a sequence of integer vectors, by a binary tree with Gaussian noise at each
/// node: stddev = the permit's noise multiplier * sensitivity, rounded up.
///
/// Relation: that of `item`, which must be the permit's. Sensitivity: L2, in grid units, of one
/// item as handed over; a record is in at most one item, and which one must not depend on the
/// records (the caller proves both), while items may depend on earlier releases. Cost: the permit's
/// event, tree_aggregation(noise_multiplier, steps): a record is in at most one node of each of the
/// floor(log2 steps) + 1 levels. Guarantee: post-processing of real Gaussians, up to
/// kGaussianDrawError per entry of a node, which the charge must hold as a sampler_error event.
/// Source: [DworkEtAl2010, KairouzEtAl2021]. Errors: kRuntime if the permit is not for this, or for
/// more items than it has steps; kUsage for another norm or a stddev beyond kMaxGaussianStddev.
class TreeAggregation {
 public:
  /// Pre: source outlives this.
  TreeAggregation(Permit permit, const Sensitivity& item, size_t num_entries, RandomSource& source);

  /// Takes the next item; returns the noisy sum of all so far.
  std::vector<int64_t> add(std::span<const int64_t> item);

  /// Adds noise to sums over records that are in no item and in no other such call. The multiplier
  /// is divided by the root of the number of levels, so these records pay as much as those of an
  /// item.
  void add_noise_beside(const Sensitivity& sensitivity, std::span<int64_t> units);

 private:
  void add_noise(double stddev, std::span<int64_t> units);

  Permit permit_;
  double node_stddev_;
  int64_t num_items_ = 0;
  PrefixTree<int64_t> tree_;
  RandomSource& source_;
};

}  // namespace equinoise
