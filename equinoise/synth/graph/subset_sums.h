// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "equinoise/synth/graph/factor.h"

namespace equinoise {

/// Adds tables over subsets of a large table's attributes to it, and sums them from it.
///
/// One by one, each would take a pass over the large table. Instead they are joined, two at a time,
/// to tables over their unions while these are much smaller than the large one; only the remaining
/// tables take a pass.
class SubsetSums {
 public:
  /// Subsets of all attributes of `domain`.
  SubsetSums(const Domain& domain, std::vector<AttributeSet> subsets);

  /// The number of passes over the large table.
  size_t num_passes() const { return passes_.size(); }

  /// Adds up the tables, (num_cells of each subset) or empty for 0, that share pass `pass`. Passes
  /// may be gathered at once.
  void gather(size_t pass, std::span<const std::span<const double>> tables);

  /// large += the tables that were gathered, in the part that the slice falls onto.
  void add_to(std::span<double> large, std::span<const std::span<const double>> tables,
              Slice slice) const;

  /// Takes the sums of the large table for the subset with index `subset`; they are gone when it
  /// returns.
  using Consumer = std::function<void(size_t subset, std::span<const double> sums)>;

  /// Sums up `large` for the subsets that share pass `pass`, and overwrites the tables gathered
  /// there. Passes may be summed at once.
  void sum(size_t pass, std::span<const double> large, const Consumer& consume);

 private:
  /// A subset, or a union of several.
  struct Node {
    AttributeSet attributes;
    int subset;  ///< -1: a union
    std::vector<int> children;
    Broadcast broadcast;         ///< from the parent
    std::vector<double> values;  ///< of a union
  };

  void gather_node(Node& node, std::span<const std::span<const double>> tables);
  void sum_node(Node& node, std::span<const double> parent, const Consumer& consume);
  std::span<const double> values_of(const Node& node,
                                    std::span<const std::span<const double>> tables) const {
    return node.subset >= 0 ? tables[static_cast<size_t>(node.subset)] : node.values;
  }

  std::vector<Node> nodes_;
  std::vector<int> passes_;  ///< the nodes without a parent
};

}  // namespace equinoise
