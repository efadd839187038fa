// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "equinoise/privacy/accountants/loss_distribution.h"

namespace equinoise {

/// The sum of independent privacy losses, `count` times that of each component.
///
/// Composes by the fast Fourier transform of the exponentially tilted distributions. The tilt
/// centres the sum on the losses that decide the answer, so that round-off is small relative to
/// delta, even for a tiny delta. Truncation, wrapping and round-off are bounded and added.
/// docs/theory/accountants.md has the bounds.
class ComposedLoss {
 public:
  struct Component {
    LossDistribution distribution;
    double count = 1;
  };

  /// All grids must be equal.
  explicit ComposedLoss(std::vector<Component> components);

  /// Chernoff's upper bound of delta(epsilon), which may be far above it; at most 1.
  double rough_delta(double epsilon) const;

  /// An upper bound of delta(epsilon); at most 1, and 1 if the grid is too fine. `known` is a bound
  /// from another grid, near which the search begins.
  double delta(double epsilon, double known = 1) const;

  /// The smallest epsilon >= 0 found whose delta is at most `delta` > 0; infinity if there is none
  /// or the grid is too fine.
  double epsilon(double delta) const;

 private:
  struct Bin {
    double loss;
    double log_mass;
  };
  struct Cumulants {
    double value;
    double mean;
    double variance;
  };
  class Tilted;

  /// An upper bound of log E[e^(tilt loss)] over all components, finite losses only, with its first
  /// two derivatives.
  Cumulants cumulants(double tilt) const;
  /// A bound on the mass of losses above `loss`: the least over tilts from `tilt` on.
  double mass_above(double loss, double tilt) const;
  double first_step(double tilt) const;
  /// Empty if the window would be too large.
  std::optional<Tilted> around(double epsilon, double log_delta) const;

  std::vector<Component> components_;
  /// (components) The same masses on a coarser grid. Masses of an interval of losses are moved to
  /// its two ends with their mean kept, which raises the mean of every convex function.
  std::vector<std::vector<Bin>> bins_;
  double count_ = 0;
  double lowest_ = 0;  ///< loss that the sum can have
  double highest_ = 0;
  double infinite_mass_ = 0;  ///< of the sum
};

}  // namespace equinoise
