// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_measurement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::synth_measurement_test {
namespace {

TEST(KeepMeasurement, TheSameCountsBecomeAMeanByPrecision) {
  std::vector<SynthMeasurement> kept;
  keep_measurement({{0, 1}, 2, {10, 20}}, kept);
  keep_measurement({{1}, 2, {5, 6}}, kept);
  keep_measurement({{0, 1}, 1, {15, 20}}, kept);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_DOUBLE_EQ(kept[0].counts[0], (10.0 / 4 + 15) / (1.0 / 4 + 1));
  EXPECT_DOUBLE_EQ(kept[0].counts[1], 20);
  EXPECT_DOUBLE_EQ(kept[0].noise_stddev, std::sqrt(1 / (1.0 / 4 + 1)));
  EXPECT_EQ(kept[1].counts, (std::vector<double>{5, 6}));
}

TEST(KeepMeasurement, SingleCountsStayApart) {
  std::vector<SynthMeasurement> kept;
  keep_measurement({{0, 1}, 2, {10}, true}, kept);
  keep_measurement({{0, 1}, 2, {12}, true}, kept);
  EXPECT_EQ(kept.size(), 2U);
}

}  // namespace
}  // namespace equinoise::synth_measurement_test
