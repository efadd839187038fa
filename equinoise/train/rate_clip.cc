// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/rate_clip.h"

#include "equinoise/base/check.h"

namespace equinoise {

RateClip::RateClip(double max_grad_norm, double allowance, RateLagrangian rates)
    : max_grad_norm_(max_grad_norm), allowance_(allowance), rates_(std::move(rates)) {
  if (!(max_grad_norm > 0)) check_positive("train.clip", "max_grad_norm", max_grad_norm);
  check_non_negative("train.clip", "clip_allowance", allowance);
}

double RateClip::bound() const {
  return rates_.widened(max_grad_norm_ + allowance_ * rates_.typical_gradient());
}

}  // namespace equinoise
