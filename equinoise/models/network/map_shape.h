// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace equinoise {

/// The shape of a layer's maps. Values are in (channel, row, column) order.
struct MapShape {
  size_t channels = 0;
  size_t height = 0;
  size_t width = 0;

  size_t num_values() const { return channels * height * width; }
};

}  // namespace equinoise
