// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/mixture_marginals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "tests/synth/mixture/mixture_cases.h"

namespace equinoise::mixture_marginals_test {

using testing::blocks_with_zeros;
using testing::random_mixture;

constexpr size_t kComponents = 70;

const std::vector<AttributeSet> kSets = {{0},    {2},          {0, 2}, {0, 1}, {1, 2}, {0, 1, 2},
                                         {1, 3}, {0, 1, 2, 3}, {2, 3}, {0, 3}, {1, 3}};

std::vector<std::vector<double>> shares_of(const AttributeBlocks& blocks,
                                           const std::vector<float>& mixture, int threads) {
  MixtureMarginals marginals(blocks);
  for (const AttributeSet& set : kSets) marginals.add(set);
  std::vector<std::vector<double>> result(kSets.size());
  marginals.evaluate(mixture.data(), kComponents, threads,
                     [&](size_t index, std::span<const double> shares) {
                       result[index].assign(shares.begin(), shares.end());
                     });
  return result;
}

TEST(MixtureMarginals, AreThoseOfBruteForce) {
  const AttributeBlocks blocks = blocks_with_zeros();
  const std::vector<float> mixture = random_mixture(blocks, kComponents, 1);
  const auto shares = shares_of(blocks, mixture, 2);
  for (size_t i = 0; i < kSets.size(); ++i) {
    ASSERT_EQ(shares[i].size(), static_cast<size_t>(blocks.domain().num_cells(kSets[i])));
    for (size_t cell = 0; cell < shares[i].size(); ++cell) {
      const double expected = testing::share_by_brute_force(
          blocks, mixture, kSets[i], testing::codes_of_cell(blocks.domain(), kSets[i], cell));
      EXPECT_NEAR(shares[i][cell], expected, 1e-6) << i << " " << cell;
    }
  }
  EXPECT_EQ(shares[2][4], 0);
}

TEST(MixtureMarginals, DerivativesAreThoseOfFiniteDifferences) {
  const AttributeBlocks blocks = blocks_with_zeros();
  const std::vector<float> mixture = random_mixture(blocks, kComponents, 2);
  MixtureMarginals marginals(blocks);
  std::vector<std::vector<double>> of_shares;
  for (const AttributeSet& set : kSets) {
    marginals.add(set);
    std::vector<double> weights;
    for (int cell = 0; cell < blocks.domain().num_cells(set); ++cell)
      weights.push_back(std::sin(cell + 5.0 * static_cast<double>(set.size())));
    of_shares.push_back(weights);
  }
  std::vector<float> derivatives(mixture.size(), 0);
  marginals.add_derivatives(mixture.data(), kComponents, of_shares, 3, derivatives.data());
  // A loss that is a polynomial of each probability, of degree 1 if it is alone.
  const auto loss = [&](const std::vector<float>& values) {
    double sum = 0;
    const auto shares = shares_of(blocks, values, 1);
    for (size_t i = 0; i < kSets.size(); ++i) {
      for (size_t cell = 0; cell < shares[i].size(); ++cell)
        sum += of_shares[i][cell] * shares[i][cell];
    }
    return sum;
  };
  for (size_t j = 0; j < mixture.size(); j += 37) {
    std::vector<float> more = mixture;
    std::vector<float> less = mixture;
    more[j] += 0.5F;
    less[j] -= 0.5F;
    EXPECT_NEAR(derivatives[j], loss(more) - loss(less), 2e-5) << j;
  }
}

TEST(MixtureMarginals, ThreadsChangeNothing) {
  const AttributeBlocks blocks = blocks_with_zeros();
  const std::vector<float> mixture = random_mixture(blocks, kComponents, 3);
  EXPECT_EQ(shares_of(blocks, mixture, 1), shares_of(blocks, mixture, 3));
}

TEST(MixtureMarginals, ASetOutsideTheDomainIsRefused) {
  const AttributeBlocks blocks = blocks_with_zeros();
  MixtureMarginals marginals(blocks);
  EXPECT_THROW(marginals.add({0, 4}), Error);
  EXPECT_THROW(marginals.add({1, 0}), Error);
}

}  // namespace equinoise::mixture_marginals_test
