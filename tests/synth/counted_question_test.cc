// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/counted_question.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/test_support.h"

namespace equinoise::counted_question_test {

const Domain kDomain({{"a", 2}, {"b", 4}, {"c", 3}});

/// Of the codes of b, 1 and 3 are counted together, last.
SynthMeasurement pooled_measurement() {
  SynthMeasurement measurement{{0, 1, 2}, 5, {}, {{}, {1, 3}, {}}};
  for (int i = 0; i < 2 * 3 * 3; ++i) measurement.counts.push_back(i * i);
  return measurement;
}

TEST(CountedQuestion, SumsAreThoseOfTheCells) {
  const SynthMeasurement measurement = pooled_measurement();
  const std::optional<CountTable> table = summed_onto(measurement, kDomain, {1, 2});
  ASSERT_TRUE(table);
  for (size_t b = 0; b < 3; ++b)
    for (size_t c = 0; c < 3; ++c)
      EXPECT_EQ(table->counts[b * 3 + c],
                measurement.counts[b * 3 + c] + measurement.counts[9 + b * 3 + c]);
  EXPECT_DOUBLE_EQ(table->noise_stddev, 5 * std::sqrt(2));
  EXPECT_EQ(table->values[0].kept, (std::vector<uint16_t>{0, 2}));
  double all = 0;
  for (const double count : measurement.counts) all += count;
  const std::optional<CountTable> total = summed_onto(measurement, kDomain, {});
  EXPECT_EQ(total->counts, std::vector<double>{all});
  EXPECT_DOUBLE_EQ(total->noise_stddev, 5 * std::sqrt(18));
}

TEST(CountedQuestion, WhatAMeasurementDoesNotHoldIsNotSummed) {
  EXPECT_FALSE(summed_onto({{0, 2}, 5, {1, 2, 3, 4, 5, 6}}, kDomain, {1}));
  EXPECT_FALSE(summed_onto({{0, 2}, 5, {7}, {}, {1, 2}}, kDomain, {0, 2})) << "one cell alone";
}

TEST(CountedQuestion, WeightsAreProductsAndPooledCodesWeighWithinTheirLimits) {
  const std::optional<CountTable> table = summed_onto(pooled_measurement(), kDomain, {1, 2});
  // b is 0 or 1, of which the second is counted with 3; c is a number in a bin.
  const ColumnFactor b = {{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 1}};
  const ColumnFactor c = {{-3, 0, 5}, {-2, 1, 6}, {-1, 2, 7}, {1, 1, 0}};
  const std::optional<CountedPart> part = counted_part(*table, std::vector{&b, &c});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->low, (std::vector<double>{-3, 0, 5, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(part->high, (std::vector<double>{-1, 2, 7, 0, 0, 0, -1, 2, 7}));
  EXPECT_EQ(part->middle, (std::vector<double>{-2, 1, 6, 0, 0, 0, -1, 0.5, 3}));
  EXPECT_EQ(part->base, (std::vector<double>{1, 1, 0, 1, 1, 0, 1, 1, 0}));
  // What is divided by must be exact.
  const ColumnFactor within = {{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}};
  EXPECT_FALSE(counted_part(*table, std::vector{&within, &c}));
}

TEST(CountedQuestion, DamagedCountsAreRefused) {
  for (const SynthMeasurement& damaged :
       std::vector<SynthMeasurement>{{{0, 1}, 5, {1, 2, 3}},
                                     {{1, 0}, 5, {1, 2, 3, 4, 5, 6, 7, 8}},
                                     {{0, 0}, 5, {1, 2, 3, 4}},
                                     {{0, 9}, 5, {1, 2}},
                                     {{0}, 0, {1, 2}},
                                     {{0}, std::nan(""), {1, 2}},
                                     {{0}, 5, {1, 2}, {{}, {}}},
                                     {{0, 2}, 5, {1, 2}, {}, {1, 1}},
                                     {{0, 2}, 5, {1}, {}, {1}}})
    error_of(ErrorKind::kInput, [&] { summed_onto(damaged, kDomain, {0}); });
  error_of(ErrorKind::kUsage, [&] { summed_onto({{0}, 5, {1, 2}, {{7}}}, kDomain, {0}); });
}

}  // namespace equinoise::counted_question_test
