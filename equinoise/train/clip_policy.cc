#include "equinoise/train/clip_policy.h"

#include <cmath>
#include <limits>

#include "equinoise/base/check.h"

namespace equinoise {

FlatClip::FlatClip(double max_grad_norm) : max_grad_norm_(max_grad_norm) {
  check_positive("train.clip", "max_grad_norm", max_grad_norm);
}

void FlatClip::weights(std::span<const double> squared_norms, std::span<double> weights) const {
  for (size_t i = 0; i < squared_norms.size(); ++i) {
    const double norm = std::sqrt(squared_norms[i]);
    const double weight = norm <= max_grad_norm_ ? 1 : max_grad_norm_ / norm;
    weights[i] = norm < std::numeric_limits<double>::infinity() ? weight : 0;
  }
}

double NoClip::bound() const { return std::numeric_limits<double>::infinity(); }

void NoClip::weights(std::span<const double> squared_norms, std::span<double> weights) const {
  for (size_t i = 0; i < squared_norms.size(); ++i)
    weights[i] = std::isfinite(squared_norms[i]) ? 1 : 0;
}

}  // namespace equinoise
