#include "equinoise/models/network/layer.h"

#include <Eigen/Core>
#include <cmath>

namespace equinoise {

void initialise_uniformly(std::mt19937_64& generator, size_t num_inputs,
                          std::span<double> parameters) {
  const double bound = 1 / std::sqrt(static_cast<double>(num_inputs));
  for (double& parameter : parameters) {
    parameter = bound * (static_cast<double>(generator() >> 11) * 0x1p-52 - 1);
  }
}

double squared_norm_of(const float* values, size_t size) {
  return Eigen::Map<const Eigen::ArrayXf>(values, static_cast<Eigen::Index>(size))
      .cast<double>()
      .square()
      .sum();
}

}  // namespace equinoise
