// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "equinoise/synth/fit.h"
#include "equinoise/synth/graph/junction_tree.h"
#include "equinoise/synth/synth_budget.h"
#include "tests/matchers.h"

namespace equinoise::marginal_choice_test {

const Domain& domain() {
  static const Domain made({{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 2}});
  return made;
}

/// Weighted records lost to noise by measuring what was chosen.
double noise_of(const std::vector<MarginalCandidate>& candidates, const MarginalChoice& choice,
                double rho) {
  double lost = 0;
  for (size_t k = 0; k < choice.chosen.size(); ++k) {
    const MarginalCandidate& one = candidates[choice.chosen[k]];
    lost += one.weight *
            noise_l1(std::sqrt(0.5 / (rho * choice.shares[k])), domain().num_cells(one.attributes));
  }
  return lost;
}

TEST(MarginalChoice, TakesWhatIsWorthItsNoise) {
  // With rho 0.5 a pair of 100 cells alone costs 80 records, of 20 cells 16.
  const std::vector<MarginalCandidate> candidates = {
      {{0, 1}, 1, 500}, {{2, 3}, 1, 79}, {{0, 4}, 1, 100}, {{1, 4}, 1, -20}};
  const MarginalChoice choice = choose_marginals(domain(), {}, candidates, 0.5, 80);
  EXPECT_THAT(choice.chosen, UnorderedElementsAre(0, 2));
  EXPECT_EQ(choice.num_too_large, 0u);
  EXPECT_TRUE(choose_marginals(domain(), {}, {{{2, 3}, 1, 79}}, 0.5, 80).chosen.empty());
  EXPECT_THAT(choose_marginals(domain(), {}, {{{2, 3}, 1, 81}}, 0.5, 80).chosen, ElementsAre(0));
  EXPECT_TRUE(choose_marginals(domain(), {}, {}, 0.5, 80).chosen.empty());
}

TEST(MarginalChoice, SharesTheBudgetSoThatNoiseCostsLeast) {
  // Relative to the largest weight.
  const std::vector<MarginalCandidate> candidates = {
      {{0, 1}, 0.25, 90'000}, {{2, 3}, 1, 90'000}, {{0, 4}, 0.5, 90'000}};
  const double rho = 0.1;
  const MarginalChoice choice = choose_marginals(domain(), {}, candidates, rho, 80);
  ASSERT_EQ(choice.chosen.size(), 3u);
  EXPECT_NEAR(std::accumulate(choice.shares.begin(), choice.shares.end(), 0.0), 1, 1e-12);
  double parts = 0;
  for (const MarginalCandidate& one : candidates)
    parts += std::pow(one.weight * domain().num_cells(one.attributes), 2.0 / 3);
  const double least = noise_of(candidates, choice, rho);
  EXPECT_NEAR(least, std::sqrt(std::numbers::inv_pi / rho) * std::pow(parts, 1.5), 1e-6 * least);
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    MarginalChoice other = choice;
    double sum = 0;
    for (double& share : other.shares) {
      share *= 0.5 + static_cast<double>(random() % 1000) / 1000;
      sum += share;
    }
    for (double& share : other.shares) share /= sum;
    EXPECT_GE(noise_of(candidates, other, rho), least * (1 - 1e-12));
  }
}

TEST(MarginalChoice, TakesAnyWeights) {
  for (const double ratio : {1e-300, 1e-40, 1e-20}) {
    const std::vector<MarginalCandidate> candidates = {
        {{0, 1}, 1e300, 5000}, {{2, 3}, ratio * 1e300, 5000}, {{0, 4}, ratio * 1e300, 1e-9}};
    const MarginalChoice choice = choose_marginals(domain(), {}, candidates, 1e-3, 80);
    ASSERT_THAT(choice.chosen, ElementsAre(0)) << ratio;
    EXPECT_EQ(choice.shares[0], 1);
  }
}

TEST(MarginalChoice, KeepsWithinTheRoom) {
  // A triangle of three pairs is a clique of 1000 cells; two pairs are 200.
  const std::vector<MarginalCandidate> candidates = {
      {{0, 1}, 1, 3000}, {{1, 2}, 1, 2000}, {{0, 2}, 1, 1000}};
  const double room = megabytes_of(230);
  const MarginalChoice choice = choose_marginals(domain(), {{3}, {4}}, candidates, 1, room);
  EXPECT_THAT(choice.chosen, ElementsAre(0, 1));
  EXPECT_EQ(choice.num_too_large, 1u);
  EXPECT_EQ(choose_marginals(domain(), {{3}, {4}}, candidates, 1, 80).chosen.size(), 3u);
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<MarginalCandidate> many;
    for (int a = 0; a < 5; ++a) {
      for (int b = a + 1; b < 5; ++b)
        many.push_back({{a, b}, 1.0 + trial % 3, static_cast<double>(random() % 4000)});
    }
    const double most = megabytes_of(300 + static_cast<double>(random() % 3000));
    std::vector<AttributeSet> cliques = {{3}, {4}};
    for (const size_t i : choose_marginals(domain(), cliques, many, 1, most).chosen)
      cliques.push_back(many[i].attributes);
    EXPECT_LE(megabytes_of(ModelSizer(domain(), cliques).cells()), most);
  }
}

}  // namespace equinoise::marginal_choice_test
