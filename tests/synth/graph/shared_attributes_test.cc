// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/shared_attributes.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/synth/graph/graph_cases.h"

namespace equinoise::shared_attributes_test {

TEST(SharedAttributes, DividesWhatACliqueOfOneSaysByTheNumberOfCliques) {
  const Domain domain({{"a", 3}, {"b", 2}});
  const std::vector<AttributeSet> cliques = {{0}, {0, 1}, {0, 1}};
  const SharedAttributes shared(domain, cliques);
  std::vector<double> counts(15, 1.0);
  std::vector<double> gradient(15, 0.0);
  gradient[0] = 4;
  gradient[1] = 1;
  gradient[2] = -5;
  shared.damp(counts, gradient);
  EXPECT_NEAR(gradient[0], 4.0 / 3, 1e-12);
  EXPECT_NEAR(gradient[1], 1.0 / 3, 1e-12);
  EXPECT_NEAR(gradient[2], -5.0 / 3, 1e-12);
  for (size_t i = 3; i < 15; ++i) EXPECT_EQ(gradient[i], 0);
}

TEST(SharedAttributes, LeavesAloneWhatIsNotShared) {
  const Domain domain({{"a", 2}, {"b", 3}});
  const SharedAttributes shared(domain, std::vector<AttributeSet>{{0}, {1}});
  std::vector<double> gradient = {1, -2, 3, 4, 5};
  shared.damp(std::vector<double>{1, 2, 3, 4, 5}, gradient);
  EXPECT_EQ(gradient, (std::vector<double>{1, -2, 3, 4, 5}));
}

TEST(SharedAttributes, IsSymmetricAndPositiveUnderTheCounts) {
  std::mt19937_64 random(1);
  const auto real = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const testing::RandomGraph graph = testing::random_graph(seed);
    const SharedAttributes shared(graph.domain, graph.sets);
    size_t size = 0;
    for (const AttributeSet& set : graph.sets) {
      size += static_cast<size_t>(graph.domain.num_cells(set));
    }
    std::vector<double> counts(size);
    std::vector<double> u(size);
    std::vector<double> v(size);
    for (size_t i = 0; i < size; ++i) {
      counts[i] = random() % 4 == 0 ? 0 : real();
      u[i] = real() - 0.5;
      v[i] = real() - 0.5;
    }
    const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
      double sum = 0;
      for (size_t i = 0; i < size; ++i) sum += counts[i] * a[i] * b[i];
      return sum;
    };
    std::vector<double> damped_u = u;
    std::vector<double> damped_v = v;
    shared.damp(counts, damped_u);
    shared.damp(counts, damped_v);
    EXPECT_NEAR(product(damped_u, v), product(u, damped_v), 1e-12 * (1 + product(u, u))) << seed;
    EXPECT_GE(product(u, damped_u), -1e-12) << seed;
    EXPECT_LE(product(u, damped_u), product(u, u) * (1 + 1e-12)) << seed;
  }
}

}  // namespace equinoise::shared_attributes_test
