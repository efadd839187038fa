// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// weight_k min(1, clip_k / norm) for a record of group k. The weight is the factor on the group's
/// loss. A member moves the sum by at most weight_k clip_k, and pays for that. [AlabiWiggins2024,
/// Eq. 3]
///
/// Deviation: the paper splits a budget among groups, releases their gradients separately and adds
/// them up. The model then receives the sum of all noises, so a single release with one noise is
/// better for every group. Weights and costs can still be chosen per group.
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
