// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Resizes an image: each pixel of the result is the mean of the area that it covers in the
/// original. Pixels of the original at the border of that area are weighted by their share in it.
/// Integer arithmetic; only the mean is rounded, to the nearest byte (a half upwards). An image of
/// the right size is unchanged.
class AreaAverage {
 public:
  /// `height` and `width` are those of the original; height * width <= 2^32.
  AreaAverage(const ImageShape& result, int64_t height, int64_t width);

  /// The next row of the original: (width, channels). Called exactly `height` times.
  void add_row(std::span<const uint8_t> row);

  /// pixels: (channels, height, width) of the result.
  void write(std::span<uint8_t> pixels) const;

 private:
  /// The length of pixel `from` of the original inside pixel `to` of the result. The unit is a
  /// pixel of the result divided by the number of pixels of the original.
  struct Share {
    size_t from;
    size_t to;
    uint64_t weight;
  };
  static std::vector<Share> shares(int64_t original, int64_t result);

  ImageShape result_;
  uint64_t area_;  ///< height * width of the original: the sum of a pixel's weights
  std::vector<Share> columns_;
  std::vector<Share> rows_;
  size_t num_rows_ = 0;             ///< added rows of the original
  size_t num_shares_ = 0;           ///< entries of rows_ used for them
  std::vector<uint64_t> row_sums_;  ///< (width, channels) of the result
  std::vector<uint64_t> sums_;      ///< (height, width, channels) of the result
};

}  // namespace equinoise
