// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/synth/graph/factor.h"

namespace equinoise {

/// Changes the direction in which potentials move. A step along the gradient changes an attribute
/// that k measured cliques hold k times, once in each of them. So the part of a clique's gradient
/// that depends on that attribute alone is made k times smaller, and steps can be longer.
///
/// The part is the mean of the gradient given the attribute, under the model's counts. Parts of
/// several attributes are taken out one after the other and back, which keeps the change symmetric.
/// Steps along it usually lower the loss, but not always: the caller must check.
class SharedAttributes {
 public:
  /// `cliques`: of the gradient's tables, one after the other.
  SharedAttributes(const Domain& domain, std::span<const AttributeSet> cliques);

  /// Changes the gradient; `counts` as long, >= 0.
  void damp(std::span<const double> counts, std::span<double> gradient) const;

 private:
  struct Part {
    Broadcast onto;     // of the clique onto the attribute
    double outer_loss;  // fraction of the part that is taken out, twice
    double inner_loss;  // the same, once
  };
  struct Clique {
    size_t num_cells;
    std::vector<Part> parts;
  };

  std::vector<Clique> cliques_;
};

}  // namespace equinoise
