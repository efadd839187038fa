// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/kept_passes.h"

#include <algorithm>

namespace equinoise {

size_t max_kept(const EncodedTable& table) {
  constexpr size_t kAll = size_t{1} << 22;
  return std::max(kAll, (table.dense.size() + table.active.size()) / 2);
}

size_t kept_size(const PerSample& samples) {
  size_t size = 2 * (samples.output_gradient.size() + samples.squared_norm.size());
  for (const auto* layers : {&samples.outputs, &samples.gradients, &samples.kept})
    for (const std::vector<float>& layer : *layers) size += layer.size();
  return size;
}

}  // namespace equinoise
