// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "equinoise/privacy/accountants/partitions.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The cost of events; all parts of it add up under composition.
struct PrivacyCost {
  std::vector<double> divergences;  ///< one number per order, or rho alone
  double pure = 0;                  ///< the divergence of infinite order; infinite if unbounded
  double delta = 0;                 ///< probability of a failure that voids all of the above
  double sampler_error = 0;         ///< total variation between real and stated outputs
};

/// Adds up the costs of events, rounded up: repeats, lists, groups in parallel, rows of units,
/// sampler errors. An accountant gives the cost of any other event.
class Composition {
 public:
  using CostOf = std::function<PrivacyCost(const Event&)>;

  /// `where` names the accountant in errors. `cost_of` is called for every other event and throws
  /// if it cannot bound it.
  Composition(std::string_view where, Relation relation, size_t num_divergences, CostOf cost_of);

  /// Adds `count` runs of `event`. Errors: kUsage for an event that cannot be bounded, for nested
  /// counts whose product exceeds 2^53, and for a partition that had another list of groups before;
  /// then nothing has changed.
  void add(const Event& event, int64_t count = 1);

  /// Costs of one group of a partition add up, and the largest over groups counts, entry by entry:
  /// a neighbouring change is within one group. Costs of different partitions add up.
  PrivacyCost total() const;

 private:
  void add_runs(const Event& event, double count);
  PrivacyCost cost_of_unit(const Event& event) const;
  PrivacyCost nothing() const { return {std::vector<double>(num_divergences_, 0.0), 0, 0, 0}; }

  std::string_view where_;
  Relation relation_;
  size_t num_divergences_;
  CostOf cost_of_;
  PrivacyCost sequential_;
  Partitions partitions_;
  std::map<std::string, std::map<std::string, PrivacyCost>>
      groups_;  ///< partition -> group -> cost
};

/// The reason why failures alone take more than all of `delta`, at any noise; "" if they do not.
std::string failures_exceed(double own_delta, double sampler_error, double delta);

/// The smallest epsilon at `delta` for outputs with cost `cost`. `epsilon_at(d)` is an epsilon that
/// holds with probability 1 - d if nothing fails, or infinity.
///
/// Failures take cost.delta of delta, and outputs within eta in total variation, on both
/// neighbours, take (1 + e^epsilon) eta. Errors: kUsage if nothing of delta is left or no epsilon
/// is finite.
Epsilon epsilon_beside_failures(std::string_view where, const PrivacyCost& cost, Delta delta,
                                const std::function<double(double)>& epsilon_at);

/// The delta at `epsilon` when `ideal` is that of the stated mechanisms unless they fail; at
/// most 1.
double delta_beside_failures(const PrivacyCost& cost, Epsilon epsilon, double ideal);

}  // namespace equinoise
