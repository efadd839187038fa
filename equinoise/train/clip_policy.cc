// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/clip_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

/// An upper limit on weights: times an entry of a gradient it is far below the largest double.
constexpr double kLargestWeight = 1e100;

void check_strict_bound(double max_grad_norm, double strict_bound) {
  check_positive("train.clip", "max_grad_norm", max_grad_norm);
  check_interval("train.clip", "strict_bound (at least max_grad_norm)", strict_bound, max_grad_norm,
                 kLargestStrictBound);
}

}  // namespace

int64_t ClipPolicy::weights(const GradientNorms& norms, std::span<double> weights) const {
  constexpr double kRounding = 1 + 1e-12;  // for weights meant to reach the bound
  const double of_all = bound();
  const std::span<const double> of_groups = group_bounds();
  int64_t num_cut = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double norm = std::sqrt(norms.squared[i]);
    if (!(norm < std::numeric_limits<double>::infinity())) {
      weights[i] = 0;
      continue;
    }
    const GroupId group = norms.groups.empty() ? GroupId(0) : norms.groups[i];
    const double most = of_groups.empty() ? of_all : std::min(of_all, of_groups[index_of(group)]);
    double& given = weights[i] = weight(norm, group, most);
    const double size = std::fabs(given);
    if (size * norm < most && size < kLargestWeight) continue;
    const double limit = std::min(most / norm, kLargestWeight);
    if (size <= limit) continue;
    if (!(size <= limit * kRounding)) num_cut += norms.count(i);
    given = std::isfinite(given) ? std::copysign(limit, given) : 0;
  }
  return num_cut;
}

void ClipPolicy::add_counts(const GradientNorms& norms, std::span<int64_t> counts) const {
  for (size_t i = 0; i < norms.squared.size(); ++i) {
    const double norm = std::sqrt(norms.squared[i]);
    if (!(norm < std::numeric_limits<double>::infinity())) continue;
    const auto count = count_of(norm, norms.groups.empty() ? GroupId(0) : norms.groups[i]);
    if (count && *count < counts.size()) counts[*count] += norms.count(i);
  }
}

FlatClip::FlatClip(double max_grad_norm) : max_grad_norm_(max_grad_norm) {
  check_positive("train.clip", "max_grad_norm", max_grad_norm);
}

void ClipPolicy::restore(std::span<const double> state) {
  if (!state.empty()) {
    throw Error(ErrorKind::kRuntime, "train.clip", "the state does not belong to this clip policy");
  }
}

GlobalClip::GlobalClip(double max_grad_norm, double strict_bound)
    : max_grad_norm_(max_grad_norm), strict_bound_(strict_bound) {
  check_strict_bound(max_grad_norm, strict_bound);
}

double GlobalClip::weight(double norm, GroupId, double bound) const {
  return norm <= strict_bound_ ? bound / strict_bound_ : 0;
}

GlobalAdaptClip::GlobalAdaptClip(double max_grad_norm, const StrictBoundConfig& config)
    : max_grad_norm_(max_grad_norm), config_(config), strict_bound_(config.strict_bound) {
  check_strict_bound(max_grad_norm, config.strict_bound);
  check_positive("train.clip", "threshold", config.threshold);
  check_positive("train.clip", "strict_bound_learning_rate", config.learning_rate);
  check_positive("train.clip", "expected batch size", config.expected_batch_size);
}

double GlobalAdaptClip::weight(double norm, GroupId, double bound) const {
  return bound / std::max(norm, strict_bound_);
}

std::optional<size_t> GlobalAdaptClip::count_of(double norm, GroupId) const {
  if (norm > config_.threshold * strict_bound_) return 0;
  return std::nullopt;
}

void GlobalAdaptClip::take_counts(std::span<const double> noisy_counts) {
  const double share = noisy_counts[0] / config_.expected_batch_size;
  const double next = strict_bound_ * std::exp(share - config_.learning_rate);
  // Noise may raise the bound far with a small batch.
  strict_bound_ = std::clamp(next, max_grad_norm_, kLargestStrictBound);
}

void GlobalAdaptClip::restore(std::span<const double> state) {
  if (state.size() != 1 || !(state[0] >= max_grad_norm_ && state[0] <= kLargestStrictBound)) {
    throw Error(ErrorKind::kRuntime, "train.clip", "the state does not belong to this clip policy");
  }
  strict_bound_ = state[0];
}

GroupClip::GroupClip(double max_grad_norm, size_t num_groups, ThresholdRule rule,
                     double max_threshold)
    : max_grad_norm_(max_grad_norm),
      rule_(rule),
      max_threshold_(max_threshold),
      thresholds_(num_groups, std::min(2 * max_grad_norm, max_threshold)) {
  check_positive("train.clip", "max_grad_norm", max_grad_norm);
  check_positive("train.clip", "number of groups", static_cast<double>(num_groups));
  if (!(max_threshold >= max_grad_norm)) {
    throw Error(ErrorKind::kUsage, "train.clip",
                "max_threshold must be at least max_grad_norm, {}, got {}", max_grad_norm,
                max_threshold);
  }
}

double GroupClip::bound() const { return *std::ranges::max_element(thresholds_); }

double GroupClip::weight(double norm, GroupId group, double) const {
  return std::min(1.0, thresholds_[index_of(group)] / norm);
}

std::optional<size_t> GroupClip::count_of(double norm, GroupId group) const {
  return (norm > max_grad_norm_ ? 0 : thresholds_.size()) + index_of(group);
}

void GroupClip::take_counts(std::span<const double> noisy_counts) {
  const size_t num_groups = thresholds_.size();
  const auto count = [&](size_t i) { return std::max(std::floor(noisy_counts[i]), 0.0); };
  std::vector<double> above(num_groups);
  std::vector<double> all(num_groups);
  for (size_t k = 0; k < num_groups; ++k) {
    above[k] = count(k);
    all[k] = above[k] + count(num_groups + k);
  }
  const auto quotient = [](double a, double b) { return b == 0 ? 1 : a / b; };
  const double sum_above = std::accumulate(above.begin(), above.end(), 0.0);
  const double sum_all = std::accumulate(all.begin(), all.end(), 0.0);
  double mean_share = 0;
  for (size_t k = 0; k < num_groups; ++k) {
    mean_share += quotient(above[k], all[k]) / static_cast<double>(num_groups);
  }
  for (size_t k = 0; k < num_groups; ++k) {
    const double excess = rule_ == ThresholdRule::kPaper
                              ? quotient(above[k] * sum_all, all[k] * sum_above)
                              : quotient(above[k], all[k]) / (mean_share + 1e-8);
    thresholds_[k] = std::min(max_grad_norm_ * (1 + excess), max_threshold_);
  }
}

double NoClip::bound() const { return std::numeric_limits<double>::infinity(); }

}  // namespace equinoise
