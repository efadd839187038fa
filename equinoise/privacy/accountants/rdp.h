// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/composition.h"
#include "equinoise/privacy/accountants/rdp_orders.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// Accounts for a sequence of events by Renyi DP and, in parallel, by pure DP. Refused are:
/// - a Poisson batch under replace_one, or of events other than Gaussian and Laplace noise, real or
///   discrete;
/// - a batch of fixed size under add_remove, or of events other than Gaussian noise;
/// - everything that composition.h and private_selection.h refuse.
class RdpAccountant : public Accountant {
 public:
  /// Errors: kUsage unless there are orders and all lie in (1, kLargestRenyiOrder].
  explicit RdpAccountant(Relation relation, std::vector<double> orders = dense_rdp_orders());

  /// Adds `count` runs of `event`. Errors: kUsage, naming the event, for one that RDP cannot bound
  /// under the relation; then nothing has changed.
  void compose(const Event& event, int64_t count = 1);

  /// The smallest epsilon over the orders at `delta`, rounded up, or the pure one if that is
  /// smaller; 0 if nothing was composed. Valid when all events were chosen before the first output
  /// was seen.
  ///
  /// epsilon = rdp(a) + log(1 - 1/a) - log(d a) / (a - 1) [CanonneKamathSteinke2020, Prop. 12],
  /// where d is the part of delta that failures leave. Errors: kUsage if they leave nothing.
  Epsilon epsilon(Delta delta) const override;

  /// The smallest delta from the same bounds.
  double delta(Epsilon epsilon) const override;

  /// epsilon(delta) for events that were chosen in turn, each after the outputs of earlier ones
  /// were seen.
  ///
  /// At one fixed order RDP composes fully adaptively [FeldmanZrnic2021]. The best of m orders
  /// needs a share of delta for each: half goes to `favoured_order`, the rest equally to the
  /// others. The pure bound needs no share. (Outputs whose path stays within the bound of order a
  /// are also those of a process that stops at that bound, which is (epsilon, delta_a)-DP; the
  /// union over orders adds up the delta_a.) Pre: failures were not chosen in turn, because their
  /// part of delta has to be fixed in advance.
  Epsilon adaptive_epsilon(Delta delta, double favoured_order) const;

  /// The order at which epsilon(delta) is attained.
  double optimal_order(Delta delta) const;

  const std::vector<double>& orders() const { return orders_; }
  const std::vector<double>& rdp() const { return total_.divergences; }  ///< (orders)

 private:
  /// The smallest epsilon when order i may use the share shares[i] of delta.
  Epsilon smallest_epsilon(Delta delta, const std::vector<double>& shares) const;

  std::vector<double> orders_;
  Composition composition_;
  PrivacyCost total_;  ///< of composition_
};

/// The guarantee of `events` in sequence at `delta`, by RDP with the dense orders.
Epsilon rdp_epsilon(Relation relation, const std::vector<Event>& events, Delta delta);

}  // namespace equinoise
