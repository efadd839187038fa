// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/subset_sums.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/test_support.h"

namespace equinoise::subset_sums_test {

using ::equinoise::testing::max_difference;

std::vector<AttributeSet> all_pairs(int num_attributes) {
  std::vector<AttributeSet> pairs;
  for (int a = 0; a < num_attributes; ++a) {
    for (int b = a + 1; b < num_attributes; ++b) pairs.push_back({a, b});
  }
  return pairs;
}

/// What SubsetSums does, set by set.
void expect_the_same_one_by_one(const Domain& domain, const std::vector<AttributeSet>& subsets) {
  std::mt19937_64 random(11);
  SubsetSums sums(domain, subsets);
  std::vector<std::vector<double>> tables;
  for (const AttributeSet& subset : subsets) {
    std::vector<double>& table = tables.emplace_back(static_cast<size_t>(domain.num_cells(subset)));
    for (double& value : table) value = static_cast<double>(random() % 64);
  }
  if (!tables.empty()) tables.front().clear();  // counts as 0
  const std::vector<std::span<const double>> spans(tables.begin(), tables.end());
  for (size_t pass = 0; pass < sums.num_passes(); ++pass) sums.gather(pass, spans);
  std::vector<double> large(static_cast<size_t>(domain.num_cells(domain.all())), 1.0);
  std::vector<double> want = large;
  sums.add_to(large, spans, {});
  for (size_t i = 0; i < subsets.size(); ++i) {
    if (!tables[i].empty()) Broadcast(domain, domain.all(), subsets[i]).add_to(want, tables[i]);
  }
  // Sums of small whole numbers are exact.
  ASSERT_EQ(large, want);
  std::vector<std::vector<double>> found(subsets.size());
  for (size_t pass = 0; pass < sums.num_passes(); ++pass) {
    sums.sum(pass, large, [&](size_t subset, std::span<const double> values) {
      ASSERT_TRUE(found[subset].empty()) << "twice";
      found[subset].assign(values.begin(), values.end());
    });
  }
  for (size_t i = 0; i < subsets.size(); ++i) {
    std::vector<double> direct(static_cast<size_t>(domain.num_cells(subsets[i])), 0.0);
    Broadcast(domain, domain.all(), subsets[i]).sum_onto(large, direct);
    ASSERT_EQ(found[i], direct) << i;
  }
}

TEST(SubsetSums, AreThoseOfEachSubset) {
  const Domain domain({{"a", 12}, {"b", 7}, {"c", 2}, {"d", 9}, {"e", 4}});
  expect_the_same_one_by_one(domain, {});
  expect_the_same_one_by_one(domain, {{}});
  expect_the_same_one_by_one(domain, {{0, 1, 2, 3, 4}});
  expect_the_same_one_by_one(domain, {{1}, {1}, {1, 3}, {0, 1, 3}, {2}, {0, 4}});
  expect_the_same_one_by_one(domain, all_pairs(5));
  expect_the_same_one_by_one(Domain({{"a", 2}, {"b", 3}}), all_pairs(2));
}

TEST(SubsetSums, TakeFewPassesOverALargeTable) {
  const Domain domain({{"a", 12}, {"b", 12}, {"c", 12}, {"d", 12}, {"e", 12}});
  EXPECT_LE(SubsetSums(domain, all_pairs(5)).num_passes(), 4u);
  // A small one is not worth it.
  EXPECT_EQ(SubsetSums(Domain({{"a", 2}, {"b", 2}, {"c", 2}}), all_pairs(3)).num_passes(), 3u);
}

}  // namespace equinoise::subset_sums_test
