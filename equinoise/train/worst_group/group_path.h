// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// A point of a run that weighs groups: means over the steps since the point before. They follow
/// from noisy releases.
struct GroupPathPoint {
  int64_t step = 0;             ///< steps done
  std::vector<double> weights;  ///< (groups)
  std::vector<double> losses;   ///< (groups) noisy; empty if none were released
};

/// Keeps at most about 100 points of a run, and can be kept itself.
class GroupPath {
 public:
  /// `kept`: the result of state(); empty: a new path. Errors: kRuntime for a state of no path.
  GroupPath(size_t num_groups, int64_t num_steps, std::span<const double> kept);

  /// losses: (groups), or empty in every step.
  void add(std::span<const double> weights, std::span<const double> losses);

  std::vector<double> state() const;
  /// The largest number of values in a state.
  static size_t max_kept(size_t num_groups);
  const std::vector<GroupPathPoint>& points() const { return points_; }

 private:
  size_t num_groups_;
  int64_t window_;  ///< steps of a point
  int64_t num_steps_done_ = 0;
  bool has_losses_ = false;
  std::vector<double> weights_;  ///< sums since the last point
  std::vector<double> losses_;
  std::vector<GroupPathPoint> points_;
};

}  // namespace equinoise
