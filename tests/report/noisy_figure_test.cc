// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/noisy_figure.h"

#include <gtest/gtest.h>

namespace equinoise {
namespace {

TEST(NoisyFigure, HasTwoDigitsOfItsNoise) {
  EXPECT_EQ(figure_text(38.7041, 0.52, Interval{36.4951, 40.9132}), "38.70 [36.49, 40.92]");
  EXPECT_EQ(figure_text(14715.2, 520, Interval{12752.1, 16678.3}), "14,715 [12,752, 16,679]");
}

TEST(NoisyFigure, WithoutNoiseWholeNumbersHaveNoDecimals) {
  EXPECT_EQ(figure_text(37, 0, Interval{37, 37}), "37 [37, 37]");
  EXPECT_EQ(figure_text(-3, 0, Interval{-3, -3}), "-3 [-3, -3]");
  EXPECT_EQ(figure_text(0.5, 0, Interval{0.5, 0.5}), "0.500000 [0.500000, 0.500000]");
}

}  // namespace
}  // namespace equinoise
