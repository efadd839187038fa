// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/means/means_text.h"

#include <gmock/gmock.h>

namespace equinoise::means_text_test {
namespace {

using ::testing::HasSubstr;

/// The text of one mean with that noise.
std::string text_of(double mean, double noise, const MeanInterval& interval) {
  MeansReport report;
  MeanColumnReport column;
  column.name = "x";
  column.interval_of = kMeanWithinBounds;
  report.columns = {column};
  StratumMeanReport row;
  row.column = "x";
  report.rows = {row};
  OverallMeanReport overall;
  overall.column = "x";
  overall.mean = mean;
  overall.noise_stddev = noise;
  overall.interval = interval;
  report.overall = {overall};
  return means_to_text(report);
}

/// Two digits of the noise, and ends that are rounded outwards.
TEST(MeansText, NumbersOfAnySizeCanBeRead) {
  EXPECT_THAT(text_of(41.2345, 0.123, {41.0012, 41.4678}), HasSubstr("41.23  [41.00, 41.47] "));
  EXPECT_THAT(text_of(36632.4, 1200, {34232.4, 39032.4}), HasSubstr("36,632  [34,232, 39,033] "));
  EXPECT_THAT(text_of(-0.001, 0.1, {-0.2, 0.2}), HasSubstr("0.00  [-0.20, 0.20] "));
  EXPECT_THAT(text_of(6.02038462e23, 3.1e21, {5.95123e23, 6.0845e23}),
              HasSubstr("6.02e+23  [5.951e+23, 6.085e+23] "));
  EXPECT_THAT(text_of(5e22, 3.1e21, {0, 6.0845e23}), HasSubstr("5e+22  [0, 6.085e+23] "));
  EXPECT_THAT(text_of(1.2345e-20, 3e-22, {1.10001e-20, 1.40001e-20}),
              HasSubstr("1.234e-20  [1.1e-20, 1.401e-20] "));
}

}  // namespace
}  // namespace equinoise::means_text_test
