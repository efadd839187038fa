// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/additive_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace equinoise::additive_terms_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(AdditiveTerms, MonotoneOnesPoolWhatFalls) {
  AdditiveTerm term{{0}, 1, {0.25, 0.25, 0.25, 0.125, 0.125}, {0, 0, 0, 1, 1}};
  std::vector<double> parameters = {9, 1, 2, 3, 0, 4, 9};
  keep_monotone(term, 1, parameters);
  EXPECT_THAT(parameters, ElementsAre(9, 1, 2, 2, 2, 4, 9));
  EXPECT_THAT(term.parts, ElementsAre(0, 0, 1, 1, 2));
  keep_monotone(term, -1, parameters);
  const double mean = 0.25 * 1 + 0.25 * 2 + 0.25 * 2 + 0.125 * 2 + 0.125 * 4;
  for (size_t i = 1; i <= 5; ++i) EXPECT_THAT(parameters[i], DoubleEq(mean));
  EXPECT_THAT(term.parts, ElementsAre(0, 0, 0, 0, 0));
}

/// The result is the projection: any other monotone one is further away.
TEST(AdditiveTerms, MonotoneOnesAreTheNearest) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(0.1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    constexpr size_t kCells = 8;
    AdditiveTerm term{{0}, 0, {}, {}};
    std::vector<double> before;
    for (uint32_t k = 0; k < kCells; ++k) {
      term.shares.push_back(uniform(generator));
      term.parts.push_back(k);
      before.push_back(uniform(generator));
    }
    std::vector<double> after = before;
    keep_monotone(term, 1, after);
    // (before - after) . (other - after) <= 0 for the directions that span all monotone ones.
    for (size_t from = 0; from < kCells; ++from) {
      double product = 0;
      for (size_t k = from; k < kCells; ++k) product += term.shares[k] * (before[k] - after[k]);
      EXPECT_LE(product, 1e-12);
      if (from > 0) {
        EXPECT_GE(after[from], after[from - 1]);
      }
      if (from == 0 || after[from] > after[from - 1]) {
        EXPECT_NEAR(product, 0, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace equinoise::additive_terms_test
