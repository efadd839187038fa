// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/layer.h"

#include <cmath>

#include "equinoise/models/network/kernels.h"

namespace equinoise {

void initialise_uniformly(std::mt19937_64& generator, size_t num_inputs,
                          std::span<double> parameters) {
  const double bound = 1 / std::sqrt(static_cast<double>(num_inputs));
  for (double& parameter : parameters) {
    parameter = bound * (static_cast<double>(generator() >> 11) * 0x1p-52 - 1);
  }
}

double squared_norm_of(const float* values, size_t size) {
  return widest_kernels().squared_norm(values, size);
}

}  // namespace equinoise
