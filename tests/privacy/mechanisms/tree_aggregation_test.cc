// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/tree_aggregation.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"
#include "equinoise/privacy/mechanisms/disjoint_gaussian.h"
#include "tests/privacy/mechanisms/permits.h"

namespace equinoise::tree_aggregation_test {

Sensitivity reach(double value, Norm norm = Norm::kL2) {
  return {value, norm, Relation::kReplaceOne};
}

double mean_square(const std::vector<int64_t>& values) {
  double sum = 0;
  for (const int64_t value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

/// With 20,000 entries a mean square is within 5 % with overwhelming probability.
constexpr size_t kEntries = 20'000;

TEST(TreeAggregation, SumsHaveTheNoiseOfTheNodesOfTheirDigits) {
  SeededSource source(3);
  TreeAggregation tree(permit_for(Event::tree_aggregation(2, 7)), reach(1e6), kEntries, source);
  const std::vector<int64_t> item(kEntries, 5'000'000'000);
  for (int64_t t = 1; t <= 7; ++t) {
    std::vector<int64_t> noise = tree.add(item);
    for (int64_t& value : noise) value -= t * item[0];
    const double expected = 4e12 * std::popcount(static_cast<uint64_t>(t));
    EXPECT_NEAR(mean_square(noise) / expected, 1, 0.05) << t;
  }
  EXPECT_THROW(tree.add(item), Error) << "the charge is for 7 items";
}

TEST(TreeAggregation, NumbersBesideItHaveTheNoiseOfTheSamePrecision) {
  SeededSource source(4);
  TreeAggregation tree(permit_for(Event::tree_aggregation(2, 7)), reach(1e6), 1, source);
  std::vector<int64_t> noise(kEntries);
  tree.add_noise_beside(reach(3e6), noise);
  // 7 steps have 3 levels.
  EXPECT_NEAR(mean_square(noise) / (36e12 / 3), 1, 0.05);
}

TEST(TreeAggregation, TakesItsOwnPermitsAlone) {
  SeededSource source(1);
  EXPECT_THROW(TreeAggregation(permit_for(Event::gaussian(1)), reach(1), 1, source), Error);
  EXPECT_THROW(
      TreeAggregation(permit_for(Event::tree_aggregation(1, 2)), reach(1, Norm::kL1), 1, source),
      Error);
  EXPECT_THROW(TreeAggregation(permit_for(Event::tree_aggregation(1, 2), Relation::kZeroOut),
                               reach(1), 1, source),
               Error);
}

TEST(DisjointGaussian, EveryVectorHasTheNoiseOfOneRelease) {
  SeededSource source(5);
  DisjointGaussian releases(permit_for(Event::gaussian(2)));
  for (const double size : {1e6, 3e6}) {
    std::vector<int64_t> noise(kEntries);
    releases.add_noise(reach(size), noise, source);
    EXPECT_NEAR(mean_square(noise) / (4 * size * size), 1, 0.05);
  }
  std::vector<int64_t> one(1);
  EXPECT_THROW(releases.add_noise(reach(1, Norm::kL1), one, source), Error);
  EXPECT_THROW(DisjointGaussian(permit_for(Event::laplace(1))).add_noise(reach(1), one, source),
               Error);
}

}  // namespace equinoise::tree_aggregation_test
