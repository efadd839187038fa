// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/clip_policy.h"
#include "equinoise/train/rate_lagrangian.h"

namespace equinoise {

/// Gradients under rate constraints, clipped to max_grad_norm plus `allowance` times
/// RateLagrangian::typical_gradient, the constraints' gradient for a typical record. The latter
/// follows from noisy histograms only and is public. With allowance 0 and no widening, the
/// published rule, large multipliers are clipped away with the rest, and tight constraints are not
/// met.
///
/// Deviation: the mean over the histogram instead of the largest push of any cell. The largest push
/// is that of the smallest group, and its noise would be added for all records. Constraints between
/// groups get the largest within a factor, unless one group is very small
/// (RateLagrangian::widened): if the push on the smaller group is clipped, the opposite push on the
/// others remains and all predictions drift.
class RateClip final : public ClipPolicy {
 public:
  /// max_grad_norm may be infinite: no clipping. Errors: kUsage unless max_grad_norm > 0 and
  /// allowance >= 0.
  RateClip(double max_grad_norm, double allowance, RateLagrangian rates);

  double bound() const override;
  RateLagrangian* term() override { return &rates_; }
  const RateLagrangian* term() const override { return &rates_; }
  std::vector<double> state() const override { return rates_.state(); }
  void restore(std::span<const double> state) override { rates_.restore(state); }

 private:
  double max_grad_norm_;
  double allowance_;
  RateLagrangian rates_;
};

}  // namespace equinoise
