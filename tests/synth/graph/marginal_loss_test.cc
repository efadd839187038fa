// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/marginal_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/synth/graph/graph_cases.h"

namespace equinoise::marginal_loss_test {

using ::equinoise::testing::RandomGraph;

struct LossCase {
  std::vector<NoisyMarginal> measurements;
  MarginalLoss loss;
};

LossCase random_measurements(const RandomGraph& graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto real = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<NoisyMarginal> measurements;
  for (const AttributeSet& set : graph.sets) {
    for (int repeat = 0; repeat < 1 + static_cast<int>(random() % 2); ++repeat) {
      NoisyMarginal m{set, 0.5 + 3 * real(), {}, {}};
      const auto cells = static_cast<size_t>(graph.domain.num_cells(set));
      for (size_t i = 0; i < cells; ++i) m.values.push_back(20 * real() - 6);
      if (random() % 2 == 0) {
        for (size_t i = 0; i < cells; ++i) m.weights.push_back(random() % 5 == 0 ? 0 : real());
      }
      measurements.push_back(m);
    }
  }
  return {measurements, MarginalLoss(graph.domain, measurements)};
}

/// The counts of all cliques of some records, as a vector of the loss.
std::vector<double> counts_of(const RandomGraph& graph, const MarginalLoss& loss,
                              const std::vector<double>& records) {
  std::vector<double> counts(loss.size(), 0.0);
  for (size_t k = 0; k < loss.cliques().size(); ++k) {
    Broadcast(graph.domain, graph.domain.all(), loss.cliques()[k])
        .sum_onto(records, loss.part(counts, k));
  }
  return counts;
}

TEST(MarginalLoss, IsTheSumOfSquares) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    const LossCase c = random_measurements(graph, seed);
    std::mt19937_64 random(seed);
    std::vector<double> records(static_cast<size_t>(graph.domain.num_cells(graph.domain.all())));
    for (double& count : records) count = static_cast<double>(random() % 10);
    std::vector<double> gradient;
    const std::vector<double> counts = counts_of(graph, c.loss, records);
    double want = 0;
    for (const NoisyMarginal& m : c.measurements) {
      std::vector<double> marginal(m.values.size(), 0.0);
      Broadcast(graph.domain, graph.domain.all(), m.clique).sum_onto(records, marginal);
      for (size_t i = 0; i < marginal.size(); ++i) {
        const double weight = m.weights.empty() ? 1 : m.weights[i];
        want += 0.5 * std::pow((weight * marginal[i] - m.values[i]) / m.noise_stddev, 2);
      }
    }
    ASSERT_NEAR(c.loss.evaluate(counts, gradient), want, 1e-9 * (1 + want)) << seed;
    // The gradient, by differences.
    for (size_t i = 0; i < counts.size(); ++i) {
      std::vector<double> moved = counts;
      std::vector<double> ignored;
      moved[i] += 1e-3;
      const double above = c.loss.evaluate(moved, ignored);
      moved[i] -= 2e-3;
      const double below = c.loss.evaluate(moved, ignored);
      ASSERT_NEAR(gradient[i], (above - below) / 2e-3, 1e-5 * (1 + std::abs(gradient[i]))) << seed;
    }
  }
}

TEST(MarginalLoss, BoundsLieBelowEveryDistribution) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    if (graph.sets.empty()) continue;
    const LossCase c = random_measurements(graph, seed);
    BeliefPropagation tree(graph.domain, build_junction_tree(graph.domain, graph.sets),
                           c.loss.cliques());
    std::mt19937_64 random(seed);
    constexpr double kTotal = 30;
    double bound = c.loss.separate_bound(kTotal);
    std::vector<double> gradient;
    for (int trial = 0; trial < 20; ++trial) {
      // Any gradient will do, also one of counts that fit no distribution.
      std::vector<double> counts(c.loss.size());
      for (double& count : counts) count = static_cast<double>(random() % 60) - 20;
      c.loss.evaluate(counts, gradient);
      bound = std::max(bound, c.loss.lower_bound(gradient, kTotal, tree));
      // Distributions from one record to all.
      std::vector<double> records(static_cast<size_t>(graph.domain.num_cells(graph.domain.all())));
      double sum = 0;
      for (double& count : records) {
        count = random() % (1 + trial) == 0 ? static_cast<double>(random() % 100) : 0;
        sum += count;
      }
      if (sum == 0) records[0] = sum = 1;
      for (double& count : records) count *= kTotal / sum;
      const double loss = c.loss.evaluate(counts_of(graph, c.loss, records), gradient);
      ASSERT_LE(bound, loss * (1 + 1e-12)) << seed;
      ASSERT_LE(c.loss.lower_bound(gradient, kTotal, tree), loss * (1 + 1e-12)) << seed;
    }
  }
}

TEST(MarginalLoss, SeparateBoundIsExactForOneClique) {
  // Three cells, total 10: (12, -3, 4) is nearest to (9, 0, 1).
  const Domain domain({{"a", 3}});
  const MarginalLoss loss(domain, {{{0}, 2.0, {12, -3, 4}, {}}});
  EXPECT_NEAR(loss.separate_bound(10), (9 + 9 + 9) / 8.0, 1e-9);
}

}  // namespace equinoise::marginal_loss_test
