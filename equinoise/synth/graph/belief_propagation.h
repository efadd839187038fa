// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/synth/graph/factor.h"
#include "equinoise/synth/graph/junction_tree.h"
#include "equinoise/synth/graph/subset_sums.h"

namespace equinoise {

/// Sums over all records of products of exponentiated potentials, by messages on a junction tree,
/// in logarithms. Incremental: only messages that a changed potential reaches are recalculated.
///
/// There are two passes: each clique sends the sums of its side of the tree towards a root clique;
/// then messages go away from it. A message is the logarithm of a sum for each cell of the
/// separator.
///
/// Within a clique, tables order its attributes with the one with most codes last, so that
/// innermost loops are long.
class BeliefPropagation {
 public:
  /// Potentials over `sets`, all 0 at first; each set must be contained in a clique of the tree and
  /// is put into the smallest such. Errors: kUsage if one is not.
  /// Large tables are worked on by up to `threads` at once; results do not depend on it.
  BeliefPropagation(const Domain& domain, JunctionTree tree, std::vector<AttributeSet> sets,
                    int threads = 1);

  const JunctionTree& tree() const { return tree_; }

  /// Replaces a potential, (num_cells of its set); not NaN or +inf.
  void set_potential(size_t set, std::span<const double> values);

  /// Updates all results that depend on potentials. Returns the number of messages recalculated.
  int calibrate();

  // The following need calibrate() after the last change.

  /// Logarithm of the sum over all records; kLogZero if none is possible.
  double log_partition() const { return cliques_[order_.front()].up.front(); }
  /// Returns whether some record is possible; otherwise there are no marginals.
  bool possible() const { return log_partition() != kLogZero; }
  /// Probabilities of the cells of a table over `set`, all of it in that clique.
  std::vector<double> marginal_within(size_t clique, const AttributeSet& set) const;
  /// Probabilities of the cells of all potentials' sets: (num_sets) tables, which are overwritten;
  /// empty ones are skipped.
  void set_marginals(std::span<const std::span<double>> marginals);

  /// The largest sum of potentials of any record, for potentials of the same sets given here; does
  /// not touch the others. (num_sets) tables; empty ones count as 0.
  double max_sum(std::span<const std::vector<double>> potentials);

  size_t num_sets() const { return sets_.size(); }
  const AttributeSet& set(size_t index) const { return sets_[index].attributes; }

 private:
  struct Set {
    AttributeSet attributes;
    int clique;
    std::vector<int> order;  // of the attributes in the clique's tables
    std::vector<double> potential;
  };
  struct Clique {
    int parent;  // -1: the root
    std::vector<int> children;
    std::vector<int> sets;
    std::vector<int> order;                // of the attributes in all tables that follow
    Domain own;                            // they, in that order
    Broadcast onto_separator;              // to the parent; for the root onto nothing
    Broadcast parent_separator;            // from the parent onto the same
    std::vector<int> separator_order;      // here
    std::vector<int> separator_at_parent;  // in the parent's order
    SubsetSums sums;                       // of the sets
    std::vector<double> up;                // message to the parent; for the root the log partition
    std::vector<double> up_at_parent;      // the same in the parent's order
    std::vector<double> down;              // message from the parent; for the root 0
    std::vector<double> collected;         // potentials and messages of children
    std::vector<double> marginal;          // between the passes exp(collected - shifts)
    std::vector<Slice> slices;             // the tables in parts, one for a thread
    std::vector<std::vector<double>> shifts = {};  // see shifts_of
    bool changed = true;                           // a potential changed since the last calibration
    int changed_below = 0;                         // such cliques in this subtree
  };

  void build_cliques(const std::vector<std::vector<int>>& sets_of_cliques);
  int smallest_clique(const AttributeSet& set) const;
  std::vector<std::span<const double>> potentials_of(const Clique& clique) const;
  void gather(Clique& clique, std::span<const std::span<const double>> tables);
  int pass_up();
  int pass_down(int num_changed);
  void send_up(Clique& clique);
  void find_marginal(Clique& clique);
  void send_down(Clique& parent, Clique& child);
  std::vector<double>& shifts_of(Clique& clique, size_t slice) const;
  std::span<double> part_of(std::vector<double>& table, const Clique& clique, Slice slice) const;

  Domain domain_;
  JunctionTree tree_;
  std::vector<Set> sets_;
  std::vector<Clique> cliques_;
  std::vector<int> order_;  // parents before children
  int threads_;
};

}  // namespace equinoise
