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

/// Accounts for a sequence of events by Renyi DP. Sampler errors add to delta.
class RdpAccountant {
 public:
  explicit RdpAccountant(std::vector<double> orders = default_rdp_orders());

  /// Adds `count` runs of `event`. Errors: kUsage for an event that RDP cannot bound; then nothing
  /// has changed. Several events of one Poisson batch are composed first and amplified afterwards.
  void compose(const Event& event, int64_t count = 1);

  /// The smallest epsilon over the orders at `delta`, rounded up; 0 if nothing was composed.
  /// epsilon = rdp(a) + log(1 - 1/a) - log(delta a) / (a - 1). [CanonneKamathSteinke2020, Prop. 12]
  /// Errors: kUsage if delta is not above the accumulated sampler error.
  Epsilon epsilon(Delta delta) const;

  /// The order at which epsilon(delta) is attained.
  double optimal_order(Delta delta) const;

  const std::vector<double>& orders() const { return orders_; }
  const std::vector<double>& rdp() const { return rdp_; }  ///< (orders)

 private:
  size_t best_order(double delta) const;

  std::vector<double> orders_;
  std::vector<double> rdp_;
  double sampler_error_ = 0;
};

/// The guarantee of `events` in sequence at `delta`, by RDP with the default orders.
Epsilon rdp_epsilon(const std::vector<Event>& events, Delta delta);

}  // namespace equinoise
