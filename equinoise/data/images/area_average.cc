// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/area_average.h"

#include <algorithm>

namespace equinoise {

AreaAverage::AreaAverage(const ImageShape& result, int64_t height, int64_t width)
    : result_(result),
      area_(static_cast<uint64_t>(height * width)),
      columns_(shares(width, result.width)),
      rows_(shares(height, result.height)),
      row_sums_(static_cast<size_t>(result.width * result.channels)),
      sums_(result.num_values()) {}

std::vector<AreaAverage::Share> AreaAverage::shares(int64_t original, int64_t result) {
  // Pixels of the original are `result` long and pixels of the result `original`, in units of a
  // share.
  std::vector<Share> list;
  int64_t place = 0;
  while (place < original * result) {
    const int64_t from = place / result;
    const int64_t to = place / original;
    const int64_t end = std::min((from + 1) * result, (to + 1) * original);
    list.push_back(
        {static_cast<size_t>(from), static_cast<size_t>(to), static_cast<uint64_t>(end - place)});
    place = end;
  }
  return list;
}

void AreaAverage::add_row(std::span<const uint8_t> row) {
  const auto channels = static_cast<size_t>(result_.channels);
  std::ranges::fill(row_sums_, 0);
  for (const Share& share : columns_) {
    const uint8_t* from = row.data() + share.from * channels;
    uint64_t* to = row_sums_.data() + share.to * channels;
    for (size_t c = 0; c < channels; ++c) to[c] += share.weight * from[c];
  }
  for (; num_shares_ < rows_.size() && rows_[num_shares_].from == num_rows_; ++num_shares_) {
    const Share& share = rows_[num_shares_];
    uint64_t* to = sums_.data() + share.to * row_sums_.size();
    for (size_t i = 0; i < row_sums_.size(); ++i) to[i] += share.weight * row_sums_[i];
  }
  ++num_rows_;
}

void AreaAverage::write(std::span<uint8_t> pixels) const {
  const auto channels = static_cast<size_t>(result_.channels);
  const size_t num_pixels = sums_.size() / channels;
  for (size_t c = 0; c < channels; ++c) {
    for (size_t i = 0; i < num_pixels; ++i) {
      pixels[c * num_pixels + i] =
          static_cast<uint8_t>((sums_[i * channels + c] + area_ / 2) / area_);
    }
  }
}

}  // namespace equinoise
