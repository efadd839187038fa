// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "equinoise/synth/graph/belief_propagation.h"

namespace equinoise {

/// Answers for any sets of attributes: probabilities of the cells of a table, exact.
///
/// If a clique holds the set, it is summed out of the clique. Otherwise the table is composed from
/// the cliques of the smallest part of the tree that holds the set. Each clique is conditioned on
/// the attributes it shares with the next one, and attributes are summed out as soon as they are
/// not needed. The contribution of one side of the tree to its part of the set is kept for the next
/// questions, up to a limit. Thread-safe; answers do not depend on earlier questions.
class TreeQueries {
 public:
  /// Keeps references; `beliefs` must be calibrated. Time: that of reading the tree.
  TreeQueries(const Domain& domain, const BeliefPropagation& beliefs);

  /// Errors: kUsage if a table gets too large.
  std::vector<double> answer(const AttributeSet& set) const;

 private:
  struct Neighbour {
    int clique;
    const AttributeSet* separator;
  };
  /// The part of a set that lies beyond a neighbour.
  struct Side {
    const Neighbour* neighbour;
    AttributeSet set;
  };
  /// The contribution of the side of clique `from` that is away from `to` to a set.
  struct Question {
    int from;
    int to;
    AttributeSet set;
    auto operator<=>(const Question&) const = default;
  };
  using Message = std::shared_ptr<const Factor>;
  /// Part of the table of a clique, as `contract` takes it.
  struct Slab {
    int from;
    int to;
    AttributeSet needed;
    AttributeSet keep;    ///< of `needed`
    AttributeSet shared;  ///< with the other factor
    auto operator<=>(const Slab&) const = default;
  };

  const AttributeSet& clique(int c) const { return beliefs_.tree().cliques[c]; }
  const Neighbour& towards(int c, int attribute) const;
  std::vector<Side> sides_of(int c, const AttributeSet& set) const;
  int root_for(const AttributeSet& set) const;
  Factor collect(int from, int to, const AttributeSet& separator, const AttributeSet& set) const;
  Message message(int to, const Side& side) const;
  Factor part_of(int from, int to, const AttributeSet& separator, const AttributeSet& needed) const;
  std::shared_ptr<const Eigen::VectorXd> slab(const Slab& slab,
                                              const AttributeSet& separator) const;

  const Domain& domain_;
  const BeliefPropagation& beliefs_;
  std::vector<std::vector<Neighbour>> neighbours_;  ///< of each clique, by their places
  std::vector<int> places_;                         ///< of cliques, in preorder
  std::vector<int> ends_;                           ///< first place after each clique's subtree
  std::vector<std::vector<int>> cliques_with_;      ///< of each attribute, ascending
  std::vector<int> tops_;                           ///< of each attribute, its first place
  mutable std::mutex mutex_;
  mutable std::map<Question, Message> messages_;
  mutable size_t cells_kept_ = 0;
  mutable std::map<Slab, std::shared_ptr<const Eigen::VectorXd>> slabs_;
  mutable size_t slab_cells_ = 0;
};

}  // namespace equinoise
