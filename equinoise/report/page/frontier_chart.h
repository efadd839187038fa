// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// A chart of more points than these is no picture any more.
inline constexpr size_t kMaxFrontierPoints = 30;

/// What is said of a point next to others.
enum class FrontierStanding {
  kRecommended,
  kNotDominated,
  kDominated,
  kNotCompared,  ///< nothing can be said of it
  kReference,    ///< it competes with none
};

/// Something that has two errors, the smaller the better.
struct FrontierPoint {
  std::string name;
  Estimate x;
  Estimate y;
  FrontierStanding standing = FrontierStanding::kNotCompared;
};

/// Points by two errors with their intervals.
struct FrontierChart {
  std::string id;  ///< unique in the page
  std::string title;
  std::string x_label;
  std::string y_label;
  bool is_share = true;  ///< both errors, which are shown in percent
  std::vector<FrontierPoint> points;
};

/// The chart as a `<figure>`: each point is named beside the plot, on a line of its own to which a
/// thin line leads. Points without two finite errors are not drawn. Of more than kMaxFrontierPoints
/// those are drawn that stand best, and of equal ones those with the smaller `x`; the caption says
/// so. "" without any point.
std::string frontier_chart(FrontierChart chart);

}  // namespace equinoise
