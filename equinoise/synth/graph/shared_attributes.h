// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/synth/graph/factor.h"

namespace equinoise {

/// A change of the direction in which potentials move. An attribute that k measured cliques hold is
/// moved k times by a step along the gradient, once in each of them; the part of a clique's
/// gradient that depends on that attribute alone is therefore made k times smaller, and steps can
/// be longer.
///
/// The part is the mean of the gradient given the attribute, under the model's counts; parts of
/// several attributes are taken out one after the other and back, which keeps the change symmetric.
/// Steps along it lower a loss most of the time and not always: whoever takes them must check.
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
