// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/network/map_shape.h"

namespace equinoise {

/// The sums of a correlation, written out from the definition.
struct CorrelationReference {
  MapShape input;
  size_t num_channels;
  size_t kernel;
  MapShape output() const {
    return {num_channels, input.height - kernel + 1, input.width - kernel + 1};
  }

  /// visit(weight index, input index, output index) for every product.
  template <typename Visit>
  void for_each_product(Visit visit) const {
    const MapShape out = output();
    for (size_t o = 0; o < num_channels; ++o) {
      for (size_t y = 0; y < out.height; ++y) {
        for (size_t x = 0; x < out.width; ++x) {
          for (size_t c = 0; c < input.channels; ++c) {
            for (size_t i = 0; i < kernel; ++i) {
              for (size_t j = 0; j < kernel; ++j) {
                visit(((c * kernel + i) * kernel + j) * num_channels + o,
                      (c * input.height + y + i) * input.width + x + j,
                      (o * out.height + y) * out.width + x);
              }
            }
          }
        }
      }
    }
  }
};

}  // namespace equinoise
