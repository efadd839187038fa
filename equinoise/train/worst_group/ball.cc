// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/ball.h"

#include <Eigen/Core>
#include <limits>

namespace equinoise {

double euclidean_norm(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()))
      .stableNorm();
}

void project_on_ball(double radius, std::span<double> point) {
  if (radius == std::numeric_limits<double>::infinity()) return;
  const double norm = euclidean_norm(point);
  if (!(norm > radius)) return;
  for (double& value : point) value *= radius / norm;
}

}  // namespace equinoise
