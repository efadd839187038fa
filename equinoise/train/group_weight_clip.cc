// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/group_weight_clip.h"

#include <algorithm>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"

namespace equinoise {

GroupWeightClip::GroupWeightClip(std::vector<double> weights, const std::vector<double>& clips)
    : weights_(std::move(weights)) {
  constexpr const char* kWhere = "train.clip";
  check_positive(kWhere, "number of groups", static_cast<double>(weights_.size()));
  if (clips.size() != weights_.size())
    throw Error(ErrorKind::kUsage, kWhere, "every group needs a weight and a clip");
  for (size_t k = 0; k < weights_.size(); ++k) {
    check_positive(kWhere, "group weight", weights_[k]);
    check_positive(kWhere, "group clip", clips[k]);
    bounds_.push_back(weights_[k] * clips[k]);
    check_interval(kWhere, "group weight * group clip", bounds_[k], 1e-30, 1e30);
  }
}

double GroupWeightClip::bound() const { return *std::ranges::max_element(bounds_); }

double GroupWeightClip::weight(double norm, GroupId group, double) const {
  return std::min(weights_[index_of(group)], bounds_[index_of(group)] / norm);
}

}  // namespace equinoise
