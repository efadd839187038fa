// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/synth/graph/domain.h"

namespace equinoise {

class Eliminator;

/// Two neighbouring cliques of a junction tree and their shared attributes.
struct TreeEdge {
  int first;
  int second;
  AttributeSet separator;  ///< may be empty
};

/// The maximal cliques of a triangulated graph, connected so that all cliques with a given
/// attribute form a subtree (running intersection).
struct JunctionTree {
  std::vector<AttributeSet> cliques;
  std::vector<TreeEdge> edges;  ///< cliques.size() - 1: always one tree
};

/// A junction tree in which each of `sets` and each single attribute lies in some clique.
///
/// Several greedy elimination orders are tried (smallest clique, least fill, a few orders with ties
/// and near-ties broken at random from a fixed seed); the one with the fewest cells is kept.
/// Cliques are joined by a maximum spanning tree on separator sizes. The result is verified; it is
/// the same for the same input. Errors: kRuntime if the verification fails.
JunctionTree build_junction_tree(const Domain& domain, std::span<const AttributeSet> sets);

/// Returns whether the edges form a tree over the cliques and running intersection holds.
bool is_junction_tree(const JunctionTree& tree, int num_attributes);

/// Cells of all cliques of `tree` together.
double num_cells(const Domain& domain, const JunctionTree& tree);

/// Computes the size of a model over some sets with one more set, for choosing among many. It does
/// not build the tree. The size is that of the smallest-clique order, an upper bound on the size
/// from build_junction_tree(). Keeps a pointer to the domain.
class ModelSizer {
 public:
  ModelSizer(const Domain& domain, std::span<const AttributeSet> sets);

  /// Cells of the model with `extra` added.
  double cells_with(const AttributeSet& extra) const;
  /// cells_with() for many sets, in less time. Errors: kRuntime if interrupted.
  std::vector<double> cells_with(std::span<const AttributeSet> extras,
                                 const TaskProgress& progress = kUnwatched) const;

  /// Cells of the model as it is.
  double cells() const { return cells_; }

 private:
  using Bits = std::vector<uint64_t>;  // a set of attributes

  /// Attributes that no set connects with others: eliminated without regard to these.
  struct Component {
    AttributeSet attributes;
    double cells;
  };

  /// Cells with `extra`, whose attributes are all left in `eliminator`; the cliques so far have
  /// `before`, by component.
  double finish(Eliminator eliminator, const std::vector<double>& before,
                const AttributeSet& extra) const;

  const Domain* domain_;
  std::vector<Bits> neighbours_;   // of each attribute, itself included
  std::vector<int> component_of_;  // of each attribute
  std::vector<Component> components_;
  double cells_ = 0;
};

}  // namespace equinoise
