#pragma once

#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// 1.1, 1.2 .. 10.9, 11 .. 63, 128, 256, 512, 1024.
const std::vector<double>& default_rdp_orders();

/// Renyi divergence of order `order` > 1 of one step of the Poisson-subsampled Gaussian, rounded
/// up.
///
/// Exact at integer orders (binomial sum of positive terms) and at fractional ones (trapezoid rule
/// on a strip where the integrand is analytic; relative error below 1e-12). The direction ((1-q) Q
/// + q P, Q) is the larger one, so this bounds both, for add_remove and zero_out.
/// [MironovTalwarZhang2019, Sec. 3.3] Deviation: the well-known series for fractional orders adds
/// absolute values and over-reports; see docs/pitfalls.md.
double subsampled_gaussian_rdp(double sample_rate, double noise_multiplier, double order);

/// Accounts for a sequence of events by Renyi DP.
class RdpAccountant {
 public:
  /// Errors: kUsage unless there are orders and all lie in (1, 10^4].
  explicit RdpAccountant(Relation relation, std::vector<double> orders = default_rdp_orders());

  /// Adds `count` runs of `event`. Errors: kUsage for an event that RDP cannot bound under the
  /// relation (a Poisson batch under replace_one, for one); then nothing has changed. Several
  /// events of one Poisson batch are composed first and amplified afterwards.
  void compose(const Event& event, int64_t count = 1);

  /// The smallest epsilon over the orders at `delta`, rounded up; 0 if nothing was composed. Valid
  /// when all events were chosen before the first output was seen.
  ///
  /// epsilon = rdp(a) + log(1 - 1/a) - log(d a) / (a - 1) [CanonneKamathSteinke2020, Prop. 12],
  /// where d is what is left of delta after sampler errors: outputs within eta in total variation,
  /// on both neighbours, add (1 + e^epsilon) eta to delta. Errors: kUsage if the sampler errors
  /// leave nothing of delta.
  Epsilon epsilon(Delta delta) const;

  /// The same when events were chosen in turn, each after seeing the outputs of those before.
  ///
  /// At one fixed order RDP composes fully adaptively [FeldmanZrnic2021]. For the best of m orders
  /// delta is shared: half to `favoured_order`, the rest equally. (Outputs whose path stays within
  /// the bound of order a are also those of a process that stops at that bound, which is
  /// (epsilon, delta_a)-DP; the union over orders adds up the delta_a.)
  Epsilon adaptive_epsilon(Delta delta, double favoured_order) const;

  /// The order at which epsilon(delta) is attained.
  double optimal_order(Delta delta) const;

  const std::vector<double>& orders() const { return orders_; }
  const std::vector<double>& rdp() const { return rdp_; }  ///< (orders)

 private:
  /// The smallest epsilon when order i may use the share shares[i] of delta.
  Epsilon smallest_epsilon(Delta delta, const std::vector<double>& shares) const;

  Relation relation_;
  std::vector<double> orders_;
  std::vector<double> rdp_;
  double sampler_error_ = 0;
};

/// The guarantee of `events` in sequence at `delta`, by RDP with the default orders.
Epsilon rdp_epsilon(Relation relation, const std::vector<Event>& events, Delta delta);

}  // namespace equinoise
