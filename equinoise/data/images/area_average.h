// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Brings an image to another height and width: each pixel of the result is the mean of the area
/// that it covers in the original, whose pixels at the border of that area count by their share in
/// it. Integer arithmetic; only the mean is rounded, to the nearest byte (a half upwards). An image
/// that has the right size already stays as it is.
class AreaAverage {
 public:
  /// `height` and `width` are those of the original; height * width <= 2^32.
  AreaAverage(const ImageShape& result, int64_t height, int64_t width);

  /// The next row of the original: (width, channels). Exactly `height` of them.
  void add_row(std::span<const uint8_t> row);

  /// pixels: (channels, height, width) of the result.
  void write(std::span<uint8_t> pixels) const;

 private:
  /// So much of pixel `from` of the original lies in pixel `to` of the result, in a unit of which a
  /// pixel of the result covers as many as the original has pixels.
  struct Share {
    size_t from;
    size_t to;
    uint64_t weight;
  };
  static std::vector<Share> shares(int64_t original, int64_t result);

  ImageShape result_;
  uint64_t area_;  ///< height * width of the original: the weights of a pixel add up to it
  std::vector<Share> columns_;
  std::vector<Share> rows_;
  size_t num_rows_ = 0;             ///< of the original that were added
  size_t num_shares_ = 0;           ///< of rows_ that they took
  std::vector<uint64_t> row_sums_;  ///< (width, channels) of the result
  std::vector<uint64_t> sums_;      ///< (height, width, channels) of the result
};

}  // namespace equinoise
