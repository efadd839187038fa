// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/area_average.h"

#include <algorithm>

#include "tests/matchers.h"

namespace equinoise::area_average_test {

/// image: (height, width, channels)
std::vector<uint8_t> scaled(const ImageShape& result, int64_t height, int64_t width,
                            const std::vector<uint8_t>& image) {
  AreaAverage average(result, height, width);
  const auto row_size = static_cast<size_t>(width * result.channels);
  for (int64_t y = 0; y < height; ++y) {
    average.add_row(std::span(image).subspan(static_cast<size_t>(y) * row_size, row_size));
  }
  std::vector<uint8_t> pixels(result.num_values());
  average.write(pixels);
  return pixels;
}

std::vector<uint8_t> noise(size_t size) {
  std::vector<uint8_t> values;
  uint32_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    values.push_back(static_cast<uint8_t>(state >> 24));
  }
  return values;
}

/// The mean over a fine grid of points, by its definition.
double mean_at(const std::vector<uint8_t>& image, const ImageShape& result, int64_t height,
               int64_t width, int64_t c, int64_t y, int64_t x) {
  double sum = 0;
  double area = 0;
  for (int64_t from_y = 0; from_y < height; ++from_y) {
    for (int64_t from_x = 0; from_x < width; ++from_x) {
      const auto overlap = [](int64_t from, int64_t original, int64_t to, int64_t target) {
        const double scale = static_cast<double>(original) / static_cast<double>(target);
        const double begin = std::max(static_cast<double>(from), static_cast<double>(to) * scale);
        const double end =
            std::min(static_cast<double>(from + 1), static_cast<double>(to + 1) * scale);
        return std::max(0.0, end - begin);
      };
      const double share =
          overlap(from_y, height, y, result.height) * overlap(from_x, width, x, result.width);
      sum += share * image[static_cast<size_t>((from_y * width + from_x) * result.channels + c)];
      area += share;
    }
  }
  return sum / area;
}

TEST(AreaAverageTest, AnImageOfTheRightSizeStaysAsItIsButForTheOrder) {
  EXPECT_THAT(scaled({1, 2, 3}, 2, 3, {1, 2, 3, 250, 254, 255}),
              ElementsAre(1, 2, 3, 250, 254, 255));
  EXPECT_THAT(scaled({3, 1, 2}, 1, 2, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(AreaAverageTest, WholePixelsAreAveragedAndHalvesRoundUp) {
  EXPECT_THAT(scaled({1, 1, 2}, 2, 4, {0, 1, 10, 20, 2, 3, 30, 40}), ElementsAre(2, 25));
  EXPECT_THAT(scaled({1, 1, 1}, 1, 2, {0, 1}), ElementsAre(1));
  EXPECT_THAT(scaled({1, 1, 1}, 1, 4, {0, 0, 0, 1}), ElementsAre(0));
}

TEST(AreaAverageTest, PixelsAtABorderCountByTheirShare) {
  // Of three pixels the middle one belongs to both halves.
  EXPECT_THAT(scaled({1, 1, 2}, 1, 3, {0, 90, 240}), ElementsAre(30, 190));
  EXPECT_THAT(scaled({1, 2, 1}, 3, 1, {0, 90, 240}), ElementsAre(30, 190));
}

TEST(AreaAverageTest, EnlargingRepeatsAndBlends) {
  EXPECT_THAT(scaled({1, 2, 4}, 1, 2, {7, 9}), ElementsAre(7, 7, 9, 9, 7, 7, 9, 9));
  EXPECT_THAT(scaled({1, 1, 3}, 1, 2, {0, 100}), ElementsAre(0, 50, 100));
}

TEST(AreaAverageTest, AWhiteImageStaysWhiteAtAnySize) {
  for (const int64_t side : {1, 2, 3, 7, 64, 129}) {
    EXPECT_THAT(scaled({1, 13, 5}, side, side + 1,
                       std::vector<uint8_t>(static_cast<size_t>(side * (side + 1)), 255)),
                Each(255));
  }
}

TEST(AreaAverageTest, EveryPixelIsTheMeanOfItsArea) {
  const struct {
    ImageShape result;
    int64_t height;
    int64_t width;
  } cases[] = {{{1, 5, 7}, 23, 16}, {{3, 4, 4}, 9, 31}, {{3, 11, 3}, 5, 8}, {{1, 6, 6}, 6, 12}};
  for (const auto& [result, height, width] : cases) {
    const std::vector<uint8_t> image = noise(static_cast<size_t>(height * width * result.channels));
    const std::vector<uint8_t> pixels = scaled(result, height, width, image);
    size_t i = 0;
    for (int64_t c = 0; c < result.channels; ++c) {
      for (int64_t y = 0; y < result.height; ++y) {
        for (int64_t x = 0; x < result.width; ++x, ++i) {
          EXPECT_NEAR(pixels[i], mean_at(image, result, height, width, c, y, x), 0.5 + 1e-9);
        }
      }
    }
  }
}

}  // namespace equinoise::area_average_test
