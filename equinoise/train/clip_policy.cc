#include "equinoise/train/clip_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr double kLargestStrictBound = 1e150;

void check_strict_bound(double max_grad_norm, double strict_bound) {
  check_positive("train.clip", "max_grad_norm", max_grad_norm);
  check_interval("train.clip", "strict_bound", strict_bound, max_grad_norm, kLargestStrictBound);
}

}  // namespace

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

void ClipPolicy::restore(std::span<const double> state) {
  if (!state.empty()) {
    throw Error(ErrorKind::kRuntime, "train.clip", "the state is not one of this clip policy");
  }
}

GlobalClip::GlobalClip(double max_grad_norm, double strict_bound)
    : max_grad_norm_(max_grad_norm), strict_bound_(strict_bound) {
  check_strict_bound(max_grad_norm, strict_bound);
}

void GlobalClip::weights(std::span<const double> squared_norms, std::span<double> weights) const {
  for (size_t i = 0; i < squared_norms.size(); ++i) {
    const bool is_kept = std::sqrt(squared_norms[i]) <= strict_bound_;
    weights[i] = is_kept ? max_grad_norm_ / strict_bound_ : 0;
  }
}

GlobalAdaptClip::GlobalAdaptClip(double max_grad_norm, const StrictBoundConfig& config)
    : max_grad_norm_(max_grad_norm), config_(config), strict_bound_(config.strict_bound) {
  check_strict_bound(max_grad_norm, config.strict_bound);
  check_positive("train.clip", "threshold", config.threshold);
  check_positive("train.clip", "strict_bound_learning_rate", config.learning_rate);
  check_positive("train.clip", "expected batch size", config.expected_batch_size);
}

void GlobalAdaptClip::weights(std::span<const double> squared_norms,
                              std::span<double> weights) const {
  for (size_t i = 0; i < squared_norms.size(); ++i) {
    const double norm = std::sqrt(squared_norms[i]);
    const double weight = max_grad_norm_ / (norm <= strict_bound_ ? strict_bound_ : norm);
    weights[i] = norm < std::numeric_limits<double>::infinity() ? weight : 0;
  }
}

void GlobalAdaptClip::add_counts(std::span<const double> squared_norms,
                                 std::span<int64_t> counts) const {
  for (const double squared_norm : squared_norms) {
    const double norm = std::sqrt(squared_norm);
    const bool is_long =
        norm > config_.threshold * strict_bound_ && norm < std::numeric_limits<double>::infinity();
    counts[0] += is_long ? 1 : 0;
  }
}

void GlobalAdaptClip::take_counts(std::span<const double> noisy_counts) {
  const double share = noisy_counts[0] / config_.expected_batch_size;
  const double next = strict_bound_ * std::exp(share - config_.learning_rate);
  // Noise may carry it far up where the batch is small.
  strict_bound_ = std::clamp(next, max_grad_norm_, kLargestStrictBound);
}

void GlobalAdaptClip::restore(std::span<const double> state) {
  if (state.size() != 1 || !(state[0] >= max_grad_norm_ && state[0] <= kLargestStrictBound)) {
    throw Error(ErrorKind::kRuntime, "train.clip", "the state is not one of this clip policy");
  }
  strict_bound_ = state[0];
}

double NoClip::bound() const { return std::numeric_limits<double>::infinity(); }

void NoClip::weights(std::span<const double> squared_norms, std::span<double> weights) const {
  for (size_t i = 0; i < squared_norms.size(); ++i)
    weights[i] = std::isfinite(squared_norms[i]) ? 1 : 0;
}

}  // namespace equinoise
