// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/synth/graph/belief_propagation.h"
#include "equinoise/synth/graph/measurement.h"

namespace equinoise {

/// The misfit of marginals to noisy measurements: the sum over measurements of
/// |(weights * marginal - values) / stddev|^2 / 2.
///
/// Measurements of one clique are first merged: a parabola for each cell. Vectors here are the
/// tables of all cliques, one after the other.
class MarginalLoss {
 public:
  MarginalLoss(const Domain& domain, const std::vector<NoisyMarginal>& measurements);

  /// The distinct cliques.
  const std::vector<AttributeSet>& cliques() const { return cliques_; }
  /// The part of a vector that belongs to a clique.
  template <typename Vector>
  auto part(Vector& vector, size_t clique) const {
    return std::span(vector).subspan(begins_[clique], begins_[clique + 1] - begins_[clique]);
  }
  size_t size() const { return centres_.size(); }

  /// The loss of some counts, and its gradient.
  double evaluate(std::span<const double> counts, std::vector<double>& gradient) const;

  /// A lower bound on the loss of any distribution with this total: the sum of each clique's least
  /// loss, fitted alone by counts that are not negative and sum to the total.
  double separate_bound(double total) const;

  /// A lower bound from the gradient at any counts, consistent or not: the dual objective at the
  /// best multiple of the gradient. `tree` holds the cliques as its first sets.
  double lower_bound(std::span<const double> gradient, double total, BeliefPropagation& tree) const;

 private:
  double separate_bound_of(size_t clique, double total) const;

  std::vector<AttributeSet> cliques_;
  std::vector<size_t> begins_ = {0};
  std::vector<double> precisions_;  // loss = sum of precision (count - centre)^2 / 2, and offset_
  std::vector<double> centres_;
  double offset_ = 0;
};

}  // namespace equinoise
