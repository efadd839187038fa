// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/means/cell_counts.h"

namespace equinoise {

/// Least squares for the noisy entries of a CellTree: every node is the sum of its children, and
/// all entries have noise of one variance. Post-processing. The figures of cells given the total
/// follow from the figures without it, so that any other knowledge of the total can be used.
/// [HayRastogiMiklauSuciu2010]
class TreeFit {
 public:
  /// variance: of each entry, in records. units: that a record adds to an entry.
  TreeFit(CellTree tree, double variance, double units = 1);

  /// The number of all values as the entries tell it, and the variance of its noise.
  double total(std::span<const int64_t> entries) const;
  double total_variance() const { return variances_[0] * static_cast<double>(tree_.num_nodes(1)); }

  /// (num_cells) They add up to `total`. With the least-squares figure of the total they are those
  /// of the cells: unbiased.
  std::vector<double> cells(std::span<const int64_t> entries, double total) const;

  /// A sum of cells by weights: slope times the total, and noise of its own with that variance.
  struct Sum {
    double slope = 0;
    double variance = 0;
  };

  /// weights: (num_cells)
  Sum sum_of(std::span<const double> weights) const;

  const CellTree& tree() const { return tree_; }

 private:
  /// (num_nodes of each level) each node by its own entry and what is below it.
  std::vector<std::vector<double>> collect(std::span<const int64_t> entries) const;

  CellTree tree_;
  double units_;
  std::vector<double> gains_;      ///< (levels) weight of a node's own entry against its children
  std::vector<double> variances_;  ///< (levels) of a node by its own entry and what is below it
};

}  // namespace equinoise
