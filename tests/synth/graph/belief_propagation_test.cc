// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/belief_propagation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "equinoise/synth/graph/graphical_model.h"
#include "tests/synth/graph/graph_cases.h"
#include "tests/test_support.h"

namespace equinoise::belief_propagation_test {

using ::equinoise::testing::GraphFile;
using ::equinoise::testing::max_difference;
using ::equinoise::testing::RandomGraph;

BeliefPropagation propagation_of(const RandomGraph& graph) {
  BeliefPropagation beliefs(graph.domain, build_junction_tree(graph.domain, graph.sets),
                            graph.sets);
  for (size_t i = 0; i < graph.potentials.size(); ++i) {
    beliefs.set_potential(i, graph.potentials[i].values);
  }
  return beliefs;
}

/// Of all sets.
std::vector<std::vector<double>> marginals_of(BeliefPropagation& beliefs, const Domain& domain) {
  std::vector<std::vector<double>> marginals;
  for (size_t i = 0; i < beliefs.num_sets(); ++i)
    marginals.emplace_back(static_cast<size_t>(domain.num_cells(beliefs.set(i))), -1.0);
  beliefs.set_marginals({std::vector<std::span<double>>(marginals.begin(), marginals.end())});
  return marginals;
}

std::vector<double> clique_marginal(const BeliefPropagation& beliefs, size_t clique) {
  return beliefs.marginal_within(clique, beliefs.tree().cliques[clique]);
}

TEST(BeliefPropagation, EqualsTheVectors) {
  const std::vector<GraphFile> files = testing::graph_files("bp_", ".json");
  if (files.empty()) GTEST_SKIP() << "no shared vectors";
  for (const GraphFile& file : files) {
    for (const nlohmann::json& model : file.content.at("models")) {
      SCOPED_TRACE(model.at("name").get<std::string>());
      const Domain domain = testing::graph_domain(model);
      const double total = model.at("total");
      std::vector<Factor> potentials;
      for (const nlohmann::json& factor : model.at("factors")) {
        potentials.push_back(testing::table_of(domain, factor, "logpot"));
        for (double& value : potentials.back().values) {
          if (value <= -1e307) value = kLogZero;
        }
      }
      const GraphicalModel ours(domain, potentials, total);
      const double log_partition = model.at("logZ");
      EXPECT_NEAR(ours.log_partition(), log_partition, 1e-10 * std::max(1.0, log_partition));
      for (const char* kind : {"factor_marginals", "query_marginals"}) {
        for (const nlohmann::json& marginal : model.at(kind)) {
          const Factor want = testing::table_of(domain, marginal, "mu");
          EXPECT_LE(max_difference(ours.marginal(want.attributes), want.values), 1e-10 * total)
              << kind << " of " << domain.describe(want.attributes);
        }
      }
    }
  }
}

TEST(BeliefPropagation, EqualsSumsOverAllRecords) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    BeliefPropagation beliefs = propagation_of(graph);
    beliefs.calibrate();
    const std::vector<std::vector<double>> marginals = marginals_of(beliefs, graph.domain);
    for (size_t i = 0; i < graph.sets.size(); ++i) {
      ASSERT_LE(max_difference(marginals[i], testing::summed_records(graph, graph.sets[i])), 1e-12)
          << seed;
    }
    for (size_t c = 0; c < beliefs.tree().cliques.size(); ++c) {
      ASSERT_LE(max_difference(clique_marginal(beliefs, c),
                               testing::summed_records(graph, beliefs.tree().cliques[c])),
                1e-12)
          << seed;
    }
    const std::vector<double> records = testing::log_weights(graph);
    std::vector<std::vector<double>> tables;
    for (const Factor& potential : graph.potentials) tables.push_back(potential.values);
    ASSERT_NEAR(beliefs.max_sum(tables), *std::ranges::max_element(records), 1e-12) << seed;
  }
}

TEST(BeliefPropagation, RecalculatesOnlyWhatAChangeReaches) {
  // A star of paths: of 2 (cliques - 1) messages, those away from the changed clique are half.
  const Domain domain({{"a", 3}, {"b", 3}, {"c", 3}, {"d", 3}, {"e", 3}, {"f", 3}});
  RandomGraph graph{domain, {{0, 1}, {1, 2}, {2, 3}, {1, 4}, {4, 5}}, {}};
  std::mt19937_64 random(3);
  const auto fill = [&](Factor& factor) {
    for (double& v : factor.values) v = static_cast<double>(random() % 1000) / 250.0;
  };
  for (const AttributeSet& set : graph.sets) {
    graph.potentials.push_back(constant_factor(domain, set, 0.0));
    fill(graph.potentials.back());
  }
  BeliefPropagation beliefs = propagation_of(graph);
  EXPECT_EQ(beliefs.calibrate(), 8);
  EXPECT_EQ(beliefs.calibrate(), 0);
  const auto expect_exact = [&] {
    const std::vector<std::vector<double>> marginals = marginals_of(beliefs, domain);
    for (size_t i = 0; i < graph.sets.size(); ++i)
      EXPECT_LE(max_difference(marginals[i], testing::summed_records(graph, graph.sets[i])), 1e-13);
  };
  for (size_t changed = 0; changed < graph.sets.size(); ++changed) {
    fill(graph.potentials[changed]);
    beliefs.set_potential(changed, graph.potentials[changed].values);
    EXPECT_EQ(beliefs.calibrate(), 4);
    expect_exact();
  }
  // Two neighbouring cliques: what one tells the other is recalculated as well.
  for (size_t changed : {0, 1}) {
    fill(graph.potentials[changed]);
    beliefs.set_potential(changed, graph.potentials[changed].values);
  }
  EXPECT_GT(beliefs.calibrate(), 4);
  expect_exact();
}

TEST(BeliefPropagation, StaysExactThroughRandomChanges) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomGraph graph = testing::random_graph(seed);
    if (graph.sets.empty()) continue;
    BeliefPropagation beliefs = propagation_of(graph);
    beliefs.calibrate();
    std::mt19937_64 random(seed);
    for (int change = 0; change < 10; ++change) {
      const size_t changed = random() % graph.sets.size();
      std::vector<double>& values = graph.potentials[changed].values;
      for (size_t i = 1; i < values.size(); ++i) {
        // Impossible cells come and go, and some are as good as impossible.
        const uint64_t kind = random() % 6;
        values[i] = kind == 0 ? kLogZero : kind == 1 ? -2000.0 : static_cast<double>(kind);
      }
      beliefs.set_potential(changed, values);
      beliefs.calibrate();
      for (size_t c = 0; c < beliefs.tree().cliques.size(); ++c) {
        ASSERT_LE(max_difference(clique_marginal(beliefs, c),
                                 testing::summed_records(graph, beliefs.tree().cliques[c])),
                  1e-12)
            << seed << " change " << change;
      }
    }
  }
}

TEST(BeliefPropagation, FindsItsWayBackFromNothingPossible) {
  const Domain domain({{"a", 2}, {"b", 2}, {"c", 2}});
  RandomGraph graph{domain, {{0, 1}, {1, 2}}, {}};
  for (const AttributeSet& set : graph.sets) {
    graph.potentials.push_back({set, {0.0, 0.5, 1.0, 0.25}});
  }
  BeliefPropagation beliefs = propagation_of(graph);
  beliefs.set_potential(0, std::vector<double>(4, kLogZero));
  beliefs.calibrate();
  EXPECT_FALSE(beliefs.possible());
  beliefs.set_potential(0, graph.potentials[0].values);
  beliefs.calibrate();
  ASSERT_TRUE(beliefs.possible());
  const std::vector<std::vector<double>> marginals = marginals_of(beliefs, domain);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_LE(max_difference(marginals[i], testing::summed_records(graph, graph.sets[i])), 1e-14);
}

TEST(BeliefPropagation, DoesNotDependOnThreads) {
  // Large enough to be cut: 40 x 30 x 50 and 50 x 60 x 20 cells.
  const Domain domain({{"a", 40}, {"b", 30}, {"c", 50}, {"d", 60}, {"e", 20}});
  const std::vector<AttributeSet> sets = {{0, 1, 2}, {2, 3, 4}, {3}};
  std::mt19937_64 random(8);
  std::vector<Factor> potentials;
  for (const AttributeSet& set : sets) {
    potentials.push_back(constant_factor(domain, set, 0.0));
    for (double& v : potentials.back().values) {
      v = random() % 10 == 0 ? kLogZero : static_cast<double>(random() % 4000) / 100.0;
    }
  }
  const JunctionTree tree = build_junction_tree(domain, sets);
  BeliefPropagation one(domain, tree, sets, 1);
  BeliefPropagation three(domain, tree, sets, 3);
  for (size_t changed : {0, 1, 2, 1}) {
    for (size_t i = 0; i < sets.size(); ++i) {
      if (i != changed && one.possible()) continue;
      one.set_potential(i, potentials[i].values);
      three.set_potential(i, potentials[i].values);
    }
    one.calibrate();
    three.calibrate();
    ASSERT_EQ(one.log_partition(), three.log_partition());
    std::vector<double> c_of_first(50, 0.0);
    std::vector<double> c_of_second(50, 0.0);
    for (size_t c = 0; c < tree.cliques.size(); ++c) {
      const std::vector<double> marginal = clique_marginal(one, c);
      ASSERT_EQ(marginal, clique_marginal(three, c));
      EXPECT_NEAR(std::accumulate(marginal.begin(), marginal.end(), 0.0), 1, 1e-12);
      Broadcast(domain, tree.cliques[c], {2}).sum_onto(marginal, c == 0 ? c_of_first : c_of_second);
    }
    EXPECT_LE(max_difference(c_of_first, c_of_second), 1e-13);  // both cliques agree
  }
}

TEST(BeliefPropagation, SharesSumsOfManySetsInALargeClique) {
  // 16 x 9 x 3 x 12 x 2 cells, large enough for unions; all pairs, and impossible cells.
  const Domain domain({{"a", 16}, {"b", 9}, {"c", 3}, {"d", 12}, {"e", 2}});
  RandomGraph graph{domain, {{0, 1, 2, 3, 4}}, {}};
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 5; ++b) graph.sets.push_back({a, b});
  }
  std::mt19937_64 random(5);
  for (const AttributeSet& set : graph.sets) {
    graph.potentials.push_back(constant_factor(domain, set, 0.0));
    for (double& v : graph.potentials.back().values)
      v = random() % 50 == 0 ? kLogZero : static_cast<double>(random() % 1000) / 500.0;
  }
  BeliefPropagation beliefs = propagation_of(graph);
  std::vector<std::vector<double>> tables;
  for (const Factor& potential : graph.potentials) tables.push_back(potential.values);
  for (int round = 0; round < 2; ++round) {
    beliefs.calibrate();
    const std::vector<std::vector<double>> marginals = marginals_of(beliefs, domain);
    for (size_t i = 0; i < graph.sets.size(); ++i)
      ASSERT_LE(max_difference(marginals[i], testing::summed_records(graph, graph.sets[i])), 1e-13);
    const std::vector<double> records = testing::log_weights(graph);
    ASSERT_NEAR(beliefs.max_sum(tables), *std::ranges::max_element(records), 1e-12);
    // What was summed up leaves nothing behind for the next time.
    graph.potentials[3].values[1] = tables[3][1] = 0.25;
    beliefs.set_potential(3, tables[3]);
  }
}

TEST(BeliefPropagation, RefusesASetThatNoCliqueHolds) {
  const Domain domain({{"a", 2}, {"b", 2}});
  const JunctionTree tree = {{{0}, {1}}, {{0, 1, {}}}};
  EXPECT_ERROR(kUsage, HasSubstr("no clique of the tree holds a, b"),
               BeliefPropagation(domain, tree, {{0, 1}}));
}

}  // namespace equinoise::belief_propagation_test
