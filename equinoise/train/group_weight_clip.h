// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// weight_k min(1, clip_k / norm) for a record of group k: the loss of a group counts as much as
/// its weight says, and its members pay for weight_k clip_k, the most that one of them moves the
/// sum. [AlabiWiggins2024, Eq. 3]
///
/// Deviation: the paper splits a budget among groups whose gradients are released apart and then
/// added up. The model receives the sum of all noises, so a single release with one noise is better
/// for every group; what can be chosen for a group is its weight and what it pays.
class GroupWeightClip final : public ClipPolicy {
 public:
  /// weights, clips: (num_groups). Errors: kUsage unless there is a group, as many of both, and all
  /// are finite and > 0.
  GroupWeightClip(std::vector<double> weights, const std::vector<double>& clips);
  double bound() const override;
  size_t num_groups() const override { return weights_.size(); }
  std::span<const double> group_bounds() const override { return bounds_; }
  std::span<const double> group_weights() const override { return weights_; }
  double weight(double norm, GroupId group, double bound) const override;

 private:
  std::vector<double> weights_;
  std::vector<double> bounds_;
};

}  // namespace equinoise
