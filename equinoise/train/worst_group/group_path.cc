// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/group_path.h"

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

constexpr int64_t kMaxPoints = 100;
constexpr size_t kHeader = 2;  // steps done, and whether there are losses

}  // namespace

GroupPath::GroupPath(size_t num_groups, int64_t num_steps, std::span<const double> kept)
    : num_groups_(num_groups),
      window_((num_steps + kMaxPoints - 1) / kMaxPoints),
      weights_(num_groups, 0.0),
      losses_(num_groups, 0.0) {
  if (kept.empty()) return;
  const size_t width = 2 * num_groups;
  if (kept.size() < kHeader + width || (kept.size() - kHeader - width) % (1 + width) != 0)
    throw Error(ErrorKind::kRuntime, "train.worst_group", "the state does not belong to this plan");
  num_steps_done_ = static_cast<int64_t>(kept[0]);
  has_losses_ = kept[1] != 0;
  const auto take = [&](std::vector<double>& weights, std::vector<double>& losses) {
    weights.assign(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(num_groups));
    losses.assign(kept.begin() + static_cast<std::ptrdiff_t>(num_groups),
                  kept.begin() + static_cast<std::ptrdiff_t>(width));
    kept = kept.subspan(width);
  };
  kept = kept.subspan(kHeader);
  take(weights_, losses_);
  while (!kept.empty()) {
    GroupPathPoint& point = points_.emplace_back();
    point.step = static_cast<int64_t>(kept[0]);
    kept = kept.subspan(1);
    take(point.weights, point.losses);
    if (!has_losses_) point.losses.clear();
  }
}

void GroupPath::add(std::span<const double> weights, std::span<const double> losses) {
  ++num_steps_done_;
  has_losses_ = !losses.empty();
  for (size_t k = 0; k < num_groups_; ++k) {
    weights_[k] += weights[k];
    if (has_losses_) losses_[k] += losses[k];
  }
  if (num_steps_done_ % window_ != 0) return;
  GroupPathPoint& point = points_.emplace_back();
  point.step = num_steps_done_;
  for (double& weight : weights_) point.weights.push_back(weight / static_cast<double>(window_));
  for (double& loss : losses_) {
    if (has_losses_) point.losses.push_back(loss / static_cast<double>(window_));
  }
  weights_.assign(num_groups_, 0.0);
  losses_.assign(num_groups_, 0.0);
}

size_t GroupPath::max_kept(size_t num_groups) {
  return kHeader + 2 * num_groups + kMaxPoints * (1 + 2 * num_groups);
}

std::vector<double> GroupPath::state() const {
  std::vector<double> state = {static_cast<double>(num_steps_done_), has_losses_ ? 1.0 : 0.0};
  append(state, weights_);
  append(state, losses_);
  for (const GroupPathPoint& point : points_) {
    state.push_back(static_cast<double>(point.step));
    append(state, point.weights);
    append(state, has_losses_ ? point.losses : std::vector<double>(num_groups_, 0.0));
  }
  return state;
}

}  // namespace equinoise
