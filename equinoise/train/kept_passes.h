// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The most single-precision numbers of a batch that are kept between the first look at it and the
/// sum: 16 MiB or, if that is more, half as many numbers as the records have. Memory then stays
/// near that of training without privacy. At least one tile per thread is kept; tiles beyond the
/// limit are computed twice.
inline size_t max_kept(const EncodedTable& table) {
  constexpr size_t kAll = size_t{1} << 22;
  return std::max(kAll, (table.dense.size() + table.active.size()) / 2);
}

/// The number of single-precision numbers kept of a tile. Parameters, which all tiles share, are
/// not kept.
inline size_t kept_size(const PerSample& samples) {
  size_t size = 2 * (samples.output_gradient.size() + samples.squared_norm.size());
  for (const auto* layers : {&samples.outputs, &samples.gradients, &samples.kept})
    for (const std::vector<float>& layer : *layers) size += layer.size();
  return size;
}

}  // namespace equinoise
