// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/mixture_cells.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"
#include "tests/synth/mixture/mixture_cases.h"

namespace equinoise::mixture_cells_test {

using testing::blocks_with_zeros;
using testing::random_mixture;

constexpr size_t kComponents = 30;

TEST(MixtureCells, SharesAndDerivativesAreThoseOfBruteForce) {
  const AttributeBlocks blocks = blocks_with_zeros();
  const std::vector<float> mixture = random_mixture(blocks, kComponents, 1);
  MixtureCells cells(blocks);
  std::vector<std::pair<AttributeSet, std::vector<uint32_t>>> asked = {
      {{1}, {2}}, {{0, 2}, {1, 2}}, {{0, 2}, {1, 1}}, {{0, 1, 3}, {0, 1, 3}}, {{2, 3}, {2, 0}}};
  for (const auto& [set, codes] : asked) cells.add(set, codes);
  const auto expected = [&](const std::vector<float>& values, size_t i) {
    return testing::share_by_brute_force(blocks, values, asked[i].first, asked[i].second);
  };
  const std::vector<double> shares = cells.shares(mixture.data(), kComponents);
  ASSERT_EQ(shares.size(), asked.size());
  for (size_t i = 0; i < asked.size(); ++i) EXPECT_NEAR(shares[i], expected(mixture, i), 1e-6);
  EXPECT_EQ(shares[2], 0) << "declared impossible";

  const std::vector<double> of_shares = {0.5, -2, 1, 0, 3};
  std::vector<float> derivatives(mixture.size(), 0);
  cells.add_derivatives(mixture.data(), kComponents, of_shares, derivatives.data());
  for (size_t j = 0; j < mixture.size(); j += 7) {
    std::vector<float> more = mixture;
    std::vector<float> less = mixture;
    more[j] += 0.5F;
    less[j] -= 0.5F;
    double difference = 0;
    for (const size_t i : {0, 1, 2, 4})
      difference += of_shares[i] * (cells.shares(more.data(), kComponents)[i] -
                                    cells.shares(less.data(), kComponents)[i]);
    EXPECT_NEAR(derivatives[j], difference, 1e-5) << j;
  }
}

TEST(MixtureCells, CellsOutsideTheDomainAreRefused) {
  const AttributeBlocks blocks = blocks_with_zeros();
  MixtureCells cells(blocks);
  EXPECT_THROW(cells.add({0, 4}, {0, 0}), Error);
  EXPECT_THROW(cells.add({0}, {2}), Error);
  EXPECT_THROW(cells.add({0, 1}, {0}), Error);
}

}  // namespace equinoise::mixture_cells_test
